package run

import (
	"slices"

	"github.com/assent-dev/assent/engine/gate/workflow"
)

// TooEarly says why a record about a job cannot follow by the definition of the run, "" if it can: a job
// that it needs is not settled, or prevents it. Decide asks for no such record; a journal that is joined
// with another one can hold those of another past.
func TooEarly(w workflow.Workflow, s State, r Record) string {
	j, known := w.Job(r.Job)
	if !known {
		return ""
	}
	why := blocked(w, s, j)
	switch {
	case r.Kind == Skipped && r.Outcome == Broke && why == "":
		return "nothing that it needs failed"
	case r.Kind == Skipped && r.Outcome == Broke, r.Kind == Failed && why != "":
		return ""
	case why != "" && !j.OnFailure():
		return why
	}
	for _, before := range w.Ancestors(j) {
		if !slices.Contains(j.Needs, before.Name) && (before.Approve == "" || j.OnFailure()) {
			continue // no record was about a direct need before this one was settled
		}
		// A repeated run keeps jobs that were done after an approval, which it asks for again.
		if kept := s.Of != "" && r.Attempt == 0 && before.Approve != ""; !s.Settled(before) && !kept {
			return "it needs " + before.Name + ", which is not done"
		}
	}
	return ""
}
