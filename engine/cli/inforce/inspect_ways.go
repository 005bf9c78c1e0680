package inforce

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/resolution"
	"github.com/assent-dev/assent/engine/workspace"
)

// wayJSON is one implementation with its results here.
type wayJSON struct {
	Name    string             `json:"name"`
	Version capability.Version `json:"version"`
	Status  capability.Status  `json:"status"`
	State   health.State       `json:"state"`
	// Success is the rate by which a specification gets its implementation: package resolution.
	// Tried counts the calls of this content that gave a result or failed, Failures the failed
	// ones.
	Success  float64       `json:"success"`
	Tried    int           `json:"tried"`
	Failures int           `json:"failures"`
	Contexts []contextJSON `json:"contexts"`
}

type contextJSON struct {
	Tag      string  `json:"tag"`
	Success  float64 `json:"success"`
	Tried    int     `json:"tried"`
	Failures int     `json:"failures"`
}

// waysHere returns the capabilities in force with code that do the same as another one, including
// itself, with their results in this installation.
func waysHere(ctx context.Context, c *console.Console, cur workspace.Session, p capability.Capability) ([]wayJSON, error) {
	out := []wayJSON{}
	if p.Kind != capability.KindTool {
		return out, nil
	}
	store := workspace.HealthOf(cur)
	folders, err := capability.Ways(cur.View, cur.View, p.Canonical())
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		s, ok, err := quarantine.Look(ctx, cur, store, f.Path, c.World.Now())
		if err != nil {
			return nil, err
		}
		if !ok || s.Kind != p.Kind {
			continue
		}
		way := s.Health.Way(s.Name)
		row := wayJSON{
			Name: s.Name, Version: s.Version, Status: s.Status, State: s.Health.State,
			Success: hundredths(resolution.Success(way.All)), Tried: way.All.Tried, Failures: s.Health.Failures, Contexts: []contextJSON{},
		}
		for _, known := range s.Health.Contexts {
			row.Contexts = append(row.Contexts, contextJSON{known.Tag, hundredths(float64(known.Uses-known.Failures) / float64(known.Uses)), known.Uses, known.Failures})
		}
		out = append(out, row)
	}
	return out, nil
}

// hundredths is a rate with two decimals.
func hundredths(x float64) float64 { return float64(int(x*100+0.5)) / 100 }

// printWays shows how the ways to do the same did, where there is something to compare.
func printWays(c *console.Console, p inspectJSON) {
	for _, w := range p.Ways {
		if len(p.Ways) == 1 && !p.SpecOnly && len(w.Contexts) == 0 {
			continue
		}
		text := fmt.Sprintf("%s: %.2f, %d of %s gave a result", w.Name, w.Success, w.Tried-w.Failures, console.Plural(w.Tried, "call"))
		if !w.Status.Runs() || !w.State.Runs() {
			text += fmt.Sprintf(" (%s, %s)", w.Status, w.State)
		}
		var in []string
		for _, k := range w.Contexts[:min(len(w.Contexts), maxContext)] {
			in = append(in, fmt.Sprintf("%s %d of %d", k.Tag, k.Tried-k.Failures, k.Tried))
		}
		if len(in) > 0 {
			text += "; for " + strings.Join(in, ", ")
		}
		c.Field("success", console.OneLine(text))
	}
}
