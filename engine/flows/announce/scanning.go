package announce

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/proposals/render"
)

// Scanning is a service that keeps findings as alerts, beside the pull request.
type Scanning interface {
	// UploadSARIF uploads the findings about a commit of the ref, and returns how many were
	// dropped because they were too many.
	UploadSARIF(ctx context.Context, commit tree.Hash, ref string, log []byte) (id string, dropped int, err error)
}

// Alerts uploads a report to code scanning, for the pull request of that number. A
// repository may have code scanning switched off, and the token may lack the right. Then
// why is the reason, and the findings are only in the comment.
func Alerts(ctx context.Context, h Scanning, s Subject, number int, r validate.Report) (why string, err error) {
	if number == 0 {
		return "there is no pull request to show findings in", nil
	}
	log, err := render.Report(render.FormatSARIF, r)
	if err != nil {
		return "", err
	}
	_, dropped, err := h.UploadSARIF(ctx, s.Head, fmt.Sprintf("refs/pull/%d/head", number), log)
	var denied *host.Denied
	switch {
	case errors.As(err, &denied) && (denied.Status == http.StatusForbidden || denied.Status == http.StatusNotFound):
		return "code scanning is switched off for the repository, or the step lacks security-events: write; the service says: " + denied.Said, nil
	case err != nil:
		return "", err
	case dropped > 0:
		return fmt.Sprintf("%d findings were more than code scanning takes", dropped), nil
	}
	return "", nil
}
