package answers

import (
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Estimate is what it costs to bring a capability, by what this workspace has recorded, and what it would
// save, by the transcript.
type Estimate struct {
	// Workflows are started by a gap. Tasks counts what they ask of people and agents.
	Workflows []string `json:"workflows"`
	Tasks     int      `json:"tasks"`
	// Earlier counts ended runs for gaps, Brought those that completed. Hours is the median that
	// these took; absent without one.
	Earlier int      `json:"earlier_runs"`
	Brought int      `json:"earlier_completed"`
	Hours   *float64 `json:"median_hours,omitempty"`
	// Places is how many more capabilities of agents limits.yaml allows.
	Places int `json:"places_left"`
	// Tokens is the median that a capability of the type takes of each prompt that lists it; absent
	// where none is in force.
	Tokens *int `json:"tokens_listed,omitempty"`
	// Heard and Failures count what the transcript has of the gap.
	Heard    int `json:"heard"`
	Failures int `json:"failed_calls"`
}

// bytesPerToken is the assumed size of a token.
const bytesPerToken = 4

// Estimator estimates for one workspace. workflows are those in force.
func Estimator(cur workspace.Session, workflows []workflow.Workflow) (func(gaps.Gap) (Estimate, error), error) {
	base := Estimate{Workflows: []string{}}
	for _, w := range workflows {
		if !w.On.Gap || w.Mends() || cur.Policies.Gaps.Off {
			continue
		}
		base.Workflows = append(base.Workflows, w.Name)
		for _, j := range w.Jobs {
			if j.Uses == "" && j.Script == nil {
				base.Tasks++
			}
		}
	}
	all, _, err := cur.Runs.All()
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	for _, s := range all {
		if s.Event != workflow.Gap || s.Outcome == "" || s.Inputs[workflow.Unusable] != "" {
			continue
		}
		if base.Earlier++; s.Outcome == run.Completed {
			base.Brought++
			took = append(took, s.At.Sub(s.Began))
		}
	}
	if len(took) > 0 {
		slices.Sort(took)
		hours := took[len(took)/2].Round(time.Second).Hours()
		base.Hours = &hours
	}
	synthesised, err := workspace.Synthesised(cur)
	if err != nil {
		return nil, err
	}
	base.Places = max(0, cur.Policies.Limits.Synthesised-synthesised)
	return func(g gaps.Gap) (Estimate, error) {
		out := base
		out.Heard, out.Failures = g.Times, g.Failures
		out.Tokens, err = listed(cur, g.Type)
		return out, err
	}, nil
}

// listed is the median size of the entries of a kind in a prompt; nil without any.
func listed(cur workspace.Session, kind capability.Kind) (*int, error) {
	all, err := cur.Capabilities.Entries(func(e index.Entry) bool { return e.Kind == kind && e.Status.Runs() })
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var sizes []int
	for _, e := range all {
		sizes = append(sizes, (len(e.Name)+len(e.Description)+bytesPerToken-1)/bytesPerToken)
	}
	slices.Sort(sizes)
	return &sizes[len(sizes)/2], nil
}
