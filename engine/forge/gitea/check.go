package gitea

import (
	"context"
	"fmt"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// maxSummary is the length of a summary on Gitea's pages, in runes.
const maxSummary = 250

// checkAPI publishes outcomes of validation.
type checkAPI struct{ *server }

// Check publishes the outcome of validation as a commit status, which has no place for
// text and notes. Statuses of other accounts under the same name are ignored.
func (api *checkAPI) Check(ctx context.Context, outcome host.Check) error {
	state, known := map[string]sdk.StatusState{"pending": sdk.StatusPending, "success": sdk.StatusSuccess, "failure": sdk.StatusFailure}[outcome.State]
	if !known {
		return fmt.Errorf("publish a check: unknown state %q", outcome.State)
	}
	o := sdk.CreateStatusOption{State: state, TargetURL: outcome.URL, Description: rest.CutRunes(outcome.Summary, maxSummary), Context: outcome.Context()}
	return api.repeat(ctx, func() error {
		me, err := api.self(ctx)
		if err != nil {
			return err
		}
		var now *sdk.CombinedStatus
		err = api.ask(ctx, "read the checks of "+outcome.Head.Short(), func(c *sdk.Client) (resp *sdk.Response, err error) {
			now, resp, err = c.GetCombinedStatus(api.Owner, api.Repo, outcome.Head.String())
			return resp, err
		})
		if err != nil {
			return err
		}
		for _, s := range now.Statuses {
			if s != nil && s.Context == o.Context && s.Creator != nil && s.Creator.ID == me.ID &&
				s.State == o.State && s.Description == o.Description && s.TargetURL == o.TargetURL {
				return nil
			}
		}
		return api.ask(ctx, "publish a check on "+outcome.Head.Short(), func(c *sdk.Client) (*sdk.Response, error) {
			_, resp, err := c.CreateStatus(api.Owner, api.Repo, outcome.Head.String(), o)
			return resp, err
		})
	})
}
