package judging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

const (
	// maxReport bounds a report that is read back: 5 000 findings with long lines.
	maxReport = 32 << 20
	// claimedBases is how many commits back main may have been when a run began.
	claimedBases = 500
)

// readReport reads a report from a file. That it is not there or no report is an
// errNoReport.
func readReport(ctx context.Context, c *console.Console, file string) (validate.Report, error) {
	data, err := console.ReadFile(ctx, c, file, maxReport)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return validate.Report{}, errNoReport{"there is no such file"}
	case errors.Is(err, console.ErrTooLarge):
		return validate.Report{}, errNoReport{fmt.Sprintf("the file is larger than %d MiB", maxReport>>20)}
	case err != nil:
		return validate.Report{}, console.Unread("the report", err)
	}
	r, err := validate.ParseReport(data)
	if err != nil {
		return validate.Report{}, errNoReport{err.Error()}
	}
	return r, nil
}

// errNoReport says why a file is not a report.
type errNoReport struct{ why string }

// Error is the reason alone.
func (e errNoReport) Error() string { return e.why }

// compareClaim lists the faults of the report in file, compared with the one found for merging
// head into base.
func compareClaim(ctx context.Context, c *console.Console, w *workspace.Workspace, base, head tree.Hash, file string, found validate.Report) (diag.List, error) {
	claimed, err := readReport(ctx, c, file)
	var none errNoReport
	if errors.As(err, &none) {
		return validate.Unclaimed(none.why), nil
	}
	if err != nil {
		return nil, err
	}
	bound, err := boundTo(w, base, head, claimed)
	if err != nil {
		return nil, err
	}
	return validate.Claim(claimed, found, bound), nil
}

// boundTo reports whether merging head into base, or into one of the last commits
// before it, gives the trees that a report names.
func boundTo(w *workspace.Workspace, base, head tree.Hash, claimed validate.Report) (bound bool, err error) {
	left := claimedBases
	err = w.Repo.Lineage(base, func(c gitstore.Commit) (bool, error) {
		left--
		if c.Tree.String() != claimed.Base {
			return left > 0, nil
		}
		result, err := w.Result(c.Hash, head)
		if err != nil {
			return false, err
		}
		if len(result.Conflicts) > 0 {
			bound = claimed.Result == ""
		} else {
			bound = result.Tree.String() == claimed.Result
		}
		return !bound && left > 0, nil // the same tree can come again, with another merge base
	})
	if errors.Is(err, gitstore.ErrNoObject) { // a shallow clone ends here
		return bound, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for what the report is of: %w", err)
	}
	return bound, nil
}
