package run

import (
	"encoding/json"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/gate/workflow"
)

// Basis is the digest of what a decision about a job rests on: the start of the run, and the results of
// all jobs that come before it.
func (s State) Basis(w workflow.Workflow, j workflow.Job) string {
	before := map[string]Job{}
	var add func(workflow.Job)
	add = func(j workflow.Job) {
		for _, need := range j.Needs {
			if _, seen := before[need]; !seen {
				before[need] = s.Jobs[need]
				of, _ := w.Job(need)
				add(of)
			}
		}
	}
	add(j)
	data, _ := json.Marshal([]any{s.ID, s.Start, s.Began, before}) // it has no value that JSON cannot hold
	return canonical.Digest(data)
}
