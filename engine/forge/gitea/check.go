package gitea

import (
	"context"
	"fmt"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/forge/host"
)

// maxSummary is as much of a summary as Gitea's pages show, in runes.
const maxSummary = 250

// Check publishes the outcome of validation as a commit status. There is no room in it
// for text and notes. What another account published under our name is no reason not to.
func (h *Host) Check(ctx context.Context, c host.Check) error {
	state, known := map[string]sdk.StatusState{"pending": sdk.StatusPending, "success": sdk.StatusSuccess, "failure": sdk.StatusFailure}[c.State]
	if !known {
		return fmt.Errorf("publish a check: %q is no state", c.State)
	}
	o := sdk.CreateStatusOption{State: state, TargetURL: c.URL, Description: shorten(c.Summary, maxSummary), Context: host.CheckName}
	return h.repeat(ctx, func() error {
		me, err := h.self(ctx)
		if err != nil {
			return err
		}
		var now *sdk.CombinedStatus
		err = h.ask(ctx, "read the checks of "+c.Head.Short(), func(api *sdk.Client) (resp *sdk.Response, err error) {
			now, resp, err = api.GetCombinedStatus(h.Owner, h.Repo, c.Head.String())
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
		return h.ask(ctx, "publish a check on "+c.Head.Short(), func(api *sdk.Client) (*sdk.Response, error) {
			_, resp, err := api.CreateStatus(h.Owner, h.Repo, c.Head.String(), o)
			return resp, err
		})
	})
}
