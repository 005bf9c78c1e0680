package linker

import (
	"context"
	"strings"

	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// Archived is an archived capability that fits a step better than all that can be used, or that For requires,
// which would serve the step.
type Archived struct {
	Step int
	For  string
	discover.Archived
}

// Restorable returns the archived capabilities that what a link left out requires, and the one that fits each
// of the steps best, if it fits better than all that can be used. Each is named once. unread are the errors of
// those that cannot be read.
func Restorable(ctx context.Context, here discover.Here, a Answer, q link.Question) (out []Archived, unread []*archive.Unread, err error) {
	text := strings.Join(a.Steps, "\n")
	for _, l := range a.LeftOut {
		text += "\n" + l.Missing
	}
	old, err := here.Archive(ctx, text)
	if err != nil || old == nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	add := func(step int, by string, found *discover.Archived) {
		if found != nil && !known[found.Path] {
			known[found.Path] = true
			out = append(out, Archived{step, by, *found})
		}
	}
	var r discover.Request
	if q.Agent != "" {
		r.Agent = &q.Agent
	}
	for _, l := range a.LeftOut {
		if l.Missing == "" {
			continue
		}
		found, err := old.Named(l.Missing, r)
		if err != nil {
			return nil, nil, err
		}
		add(l.Step, l.Name, found)
	}
	for i, step := range a.Steps {
		r.Words = step
		found, err := old.Best(r, Enough)
		if err != nil {
			return nil, nil, err
		}
		add(i+1, "", found)
	}
	return out, old.Unread, nil
}
