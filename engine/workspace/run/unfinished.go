package run

import (
	"slices"

	"github.com/assent-dev/assent/engine/gate/workflow"
)

// BeforeMerge returns the jobs of an active run that are still to be done before its proposal is merged: not the
// run's own merge, what needs that, messages, and jobs that only a failure calls for. Without a definition they are the jobs that were begun.
func (s State) BeforeMerge(w workflow.Workflow) (open []string) {
	if s.Outcome != "" {
		return nil
	}
	var after []string
	for _, j := range w.Jobs { // in an order in which they can run
		switch {
		case j.Uses == workflow.Merge || slices.ContainsFunc(j.Needs, func(need string) bool { return slices.Contains(after, need) }):
			after = append(after, j.Name)
		case j.Uses != workflow.Notify && !j.If.Calls(workflow.Failure) && !Concluded(w, s, j):
			open = append(open, j.Name)
		}
	}
	if w.Name == "" {
		for name, j := range s.Jobs {
			if j.Status == Waiting || j.Status == Running {
				open = append(open, name)
			}
		}
		slices.Sort(open)
	}
	return open
}
