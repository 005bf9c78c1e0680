package run

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
)

// categories maps words in a capability's name to its category; the first word that the name
// contains decides (seed: capability acquisition, 4.1).
var categories = [...][2]string{
	{"call", "communication"},
	{"sms", "communication"},
	{"email", "communication"},
	{"voice", "communication"},
	{"api", "integration"},
	{"webhook", "integration"},
	{"database", "data"},
	{"query", "data"},
	{"file", "storage"},
	{"image", "media"},
	{"video", "media"},
}

// Category is the category of a capability by its name.
func Category(name string) string {
	for _, c := range categories {
		if strings.Contains(strings.ToLower(name), c[0]) {
			return c[1]
		}
	}
	return "automation"
}

// category is that of the run's capability: where it stands, or by its name.
func (s State) category() string {
	if s.Category == "." || names.IsName(s.Category) { // a forged journal may hold any
		return s.Category
	}
	return Category(s.Inputs[capabilityInput])
}

// costly is the cost of one use above which a capability is dangerous.
const costly = 1.00

// Risk is the tier derived from the answers to a run's tasks: high for a cost above 1.00 a use,
// medium for secrets or an external service, else low. It can only make a decision stricter: the
// requirements of a proposal come from its content.
func (s State) Risk() policy.Tier {
	tier := policy.Low
	for _, j := range s.Jobs {
		switch r := j.Result; {
		case r == nil:
		case r.CostPerUse > costly:
			return policy.High
		case len(r.Secrets) > 0 || r.ExternalAPI:
			tier = policy.Medium
		}
	}
	return tier
}

// RoleFor returns the role for a task. The first input with a word in its route decides: the exact
// word, else the first word that it contains. Without one, it is the job's own role.
func RoleFor(j workflow.Job, inputs map[string]string) string {
	inputs = j.Group.Values(inputs)
	for _, r := range j.Route {
		value := strings.ReplaceAll(strings.ToLower(inputs[r.Input]), "_", "-")
		for _, c := range r.Table {
			if c.Word == value {
				return c.Role
			}
		}
		for _, c := range r.Table {
			if strings.Contains(value, c.Word) {
				return c.Role
			}
		}
	}
	return j.Agent
}

// capabilityInput is the input that a capability's name comes in.
const capabilityInput = "capability"

// Values fill the placeholders of a job's instructions and paths.
func Values(w workflow.Workflow, s State, job string) map[string]string {
	out := map[string]string{
		workflow.GivenRun: s.ID, workflow.GivenJob: job, workflow.GivenProposal: "",
		workflow.GivenCategory: s.category(), workflow.GivenRisk: s.Risk().String(),
	}
	if _, _, ok := names.ParseProposalID(s.Proposal); ok {
		out[workflow.GivenProposal] = s.Proposal
	}
	j, _ := w.Job(job)
	given := j.Group.Values(s.Inputs)
	for _, in := range w.InputsOf(j) {
		if in.Free() { // words of others are no part of instructions
			continue
		}
		out[in.Name] = ""
		if text := given[in.Name]; in.Fault(text) == "" { // a forged journal may hold any
			out[in.Name] = text
		}
	}
	return out
}
