package github

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// Limits of GitHub for check runs and statuses.
const (
	notesAtOnce    = 50
	maxNotes       = 1000 // ours: each page is a request
	maxOutput      = 65535
	maxNote        = 64 << 10
	maxNoteTitle   = 255
	maxDescription = 140
)

// The states of host.Check.
const (
	pending, success, failure = "pending", "success", "failure"
)

// checkAPI publishes outcomes of validation.
type checkAPI struct{ *server }

// Check publishes the outcome as a check run, which only an App may do, or as a commit
// status, which has no room for text and notes. An unchanged outcome is not written
// again.
func (api *checkAPI) Check(ctx context.Context, c host.Check) error {
	doing := "publish the check of " + c.Head.Short()
	if c.State != pending && c.State != success && c.State != failure {
		return fmt.Errorf("%s: unknown state %q", doing, c.State)
	}
	if api.app != nil {
		return explain(doing, api.checkRun(ctx, c))
	}
	return explain(doing, api.status(ctx, c))
}

// status publishes a commit status. A commit has room for 1 000 statuses of one context.
func (api *checkAPI) status(ctx context.Context, c host.Check) error {
	want := &github.RepoStatus{State: &c.State, Context: github.String(c.Context()), Description: github.String(rest.CutBytes(c.Summary, maxDescription))}
	if c.URL != "" {
		want.TargetURL = &c.URL
	}
	me, err := api.Login(ctx)
	if err != nil {
		return err
	}
	all, _, err := api.usual.Repositories.ListStatuses(ctx, api.owner, api.repo, c.Head.String(), &github.ListOptions{PerPage: perPage})
	if err != nil {
		return err
	}
	for _, s := range all { // newest first
		if s.GetContext() != c.Context() {
			continue
		}
		if strings.EqualFold(s.GetCreator().GetLogin(), me) && s.GetState() == c.State &&
			s.GetDescription() == want.GetDescription() && s.GetTargetURL() == c.URL {
			return nil
		}
		break // the newest counts, regardless of its writer
	}
	_, _, err = api.repeatable.Repositories.CreateStatus(ctx, api.owner, api.repo, c.Head.String(), want)
	return err
}
