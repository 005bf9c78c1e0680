package proposals

import (
	"context"
	"slices"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/notice"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// turn is an open proposal on which one of some people must act.
type turn struct {
	output.Proposal
	// run is the command that shows what there is to do.
	run string
	// decide is set if the proposal waits for their review, not for their update or merge.
	decide bool
	tier   policy.Tier
}

// turnOf returns the turn of the named people on an examined proposal; ok is false if it is
// not theirs. It agrees with the people whom assent notify sends a notice.
func turnOf(ex workspace.Examined, people []string) (t turn, ok bool) {
	n, is := notice.Of(ex.Case, ex.Verdict, ex.Risk)
	if !is || !slices.ContainsFunc(n.For, func(p notice.Person) bool { return slices.Contains(people, p.Name) }) {
		return t, false
	}
	t = turn{Proposal: output.ProposalOf(ex), tier: ex.Risk.Tier}
	t.run, t.decide = t.Next, t.State == notice.Waiting
	if t.decide {
		t.run = n.Run
	}
	return t, true
}

// turnsOf lists the open proposals on which one of the people must act: the highest risk
// first, then the oldest.
func turnsOf(ctx context.Context, cur workspace.Session, filter forge.Filter, people []string) ([]turn, []output.Damaged, error) {
	var out []turn
	damaged, err := output.Examine(ctx, cur, filter, func(ex workspace.Examined) (err error) {
		t, ok := turnOf(ex, people)
		if !ok {
			return nil
		}
		if err = t.NameMaker(cur); err == nil {
			t.Queued, err = queued(ctx, cur.Workspace, t.Proposal, false)
		}
		if !t.decide {
			t.run = t.Next
		}
		out = append(out, t)
		return err
	})
	order.Stable(out, func(a, b turn) int {
		if a.tier != b.tier {
			return int(b.tier) - int(a.tier)
		}
		return a.Opened.Compare(b.Opened)
	})
	return out, damaged, err
}
