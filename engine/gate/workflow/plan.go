package workflow

import (
	"cmp"
	"slices"

	"github.com/assent-dev/assent/engine/base/order"
)

// Plan returns the steps that event calls for in workflows that are carried out
// directly: workflows by name, and in each the jobs in an order that respects their
// needs. The order of ws makes no
// difference; an event that nothing waits for yields no steps.
func Plan(ws []Workflow, event Event) []Step {
	ws = slices.Clone(ws)
	order.Sort(ws, func(a, b Workflow) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) })
	var steps []Step
	for _, w := range ws {
		if !w.Direct() || !w.On.Match(event) {
			continue
		}
		for _, j := range w.Jobs {
			steps = append(steps, Step{Workflow: w.Name, Job: j.Name, Uses: j.Uses, Needs: slices.Clone(j.Needs)})
		}
	}
	return steps
}

// Match reports whether e is one of the triggers.
func (t Triggers) Match(e Event) bool {
	switch e.Name {
	case Gap:
		return t.Gap
	case Schedule:
		return t.Schedule != "" && t.Schedule == e.Value
	case Command:
		return t.Command != "" && t.Command == e.Value
	default:
		return slices.Contains(t.Proposal, e.Name)
	}
}
