package proposals

import (
	"context"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/workspace"
)

// printReplayPlan names the merges that a pull would give up and make again.
func printReplayPlan(c *console.Console, from string, given []exchange.GivenUp) error {
	if c.JSON {
		v := output.PulledOf(exchange.Pulled{Remote: from})
		v.DryRun = true
		for _, g := range given {
			v.Replayed = append(v.Replayed, output.Replayed{ID: g.ID, Was: g.Merge})
		}
		return c.Emit(v)
	}
	for _, g := range given {
		c.Printf("%s %s would be merged again: only this clone has its merge as %s\n", c.Style.Warn("dry run:"), console.OneLine(g.ID), g.Merge.Short())
	}
	return nil
}

// replayMerges merges the proposals again whose merges were given up, on the remote and here. One
// that is refused stays open, and the others are merged all the same.
func replayMerges(ctx context.Context, c *console.Console, w *workspace.Workspace, from string, given []exchange.GivenUp) ([]output.Replayed, error) {
	out := []output.Replayed{}
	if len(given) == 0 {
		return out, nil
	}
	exchange.Through(w, from)
	cur, err := w.Session(ctx)
	if err != nil {
		return out, err
	}
	var failed error
	for _, g := range given {
		done, err := merge.Run(ctx, w, g.ID, console.Acting(c, cur), false)
		if err != nil {
			return out, err
		}
		if !done.Merged {
			failed = console.Refused("assent show "+names.ShellWord(g.ID), "%s does not merge any more: %s", g.ID, done.Refused)
		}
		out = append(out, output.Replayed{ID: g.ID, Was: g.Merge, Merge: done.Commit, Refused: done.Refused})
	}
	return out, failed
}

func printReplayed(c *console.Console, all []output.Replayed) {
	for _, r := range all {
		if r.Refused != "" {
			c.Printf("%s %s is open again: %s\n", c.Style.Warn("gave up"), console.OneLine(r.ID), console.OneLine(r.Refused))
			continue
		}
		c.Printf("%s %s as %s, was %s\n", c.Style.Good("merged again"), console.OneLine(r.ID), r.Merge.Short(), r.Was.Short())
	}
}
