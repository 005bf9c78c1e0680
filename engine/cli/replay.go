package cli

import (
	"context"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/workspace"
)

// wouldReplay names the merges that a pull would give up and make again.
func (c *console) wouldReplay(from string, given []exchange.GivenUp) error {
	if c.json {
		v := pullViewOf(exchange.Pulled{Remote: from})
		v.DryRun = true
		for _, g := range given {
			v.Replayed = append(v.Replayed, replayedJSON{ID: g.ID, Was: g.Merge})
		}
		return c.emit(v)
	}
	for _, g := range given {
		c.printf("%s %s would be merged again: only this clone has its merge as %s\n", c.style.warn("dry run:"), oneLine(g.ID), g.Merge.Short())
	}
	return nil
}

// replay merges the proposals again whose merges were given up, on the remote and here. One
// that is refused stays open, and the others are merged all the same.
func (c *console) replay(ctx context.Context, w *workspace.Workspace, from string, given []exchange.GivenUp) ([]replayedJSON, error) {
	out := []replayedJSON{}
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
		done, err := merge.Run(ctx, w, g.ID, c.acting(cur), false)
		if err != nil {
			return out, err
		}
		if !done.Merged {
			failed = refused("assent show "+g.ID, "%s does not merge any more: %s", g.ID, done.Refused)
		}
		out = append(out, replayedJSON{g.ID, g.Merge, done.Commit, done.Refused})
	}
	return out, failed
}

func (c *console) replayed(all []replayedJSON) {
	for _, r := range all {
		if r.Refused != "" {
			c.printf("%s %s is open again: %s\n", c.style.warn("gave up"), oneLine(r.ID), oneLine(r.Refused))
			continue
		}
		c.printf("%s %s as %s, was %s\n", c.style.good("merged again"), oneLine(r.ID), r.Merge.Short(), r.Was.Short())
	}
}
