package run

import (
	"strings"

	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
)

// categories are the words of a capability's name that tell its category, the first
// that stands in it deciding (seed: capability acquisition, 4.1).
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

// costly is what one use may cost before that makes a capability dangerous.
const costly = 1.00

// Risk is the tier that the answers to a run's tasks derive: high for a cost above
// 1.00 a use, medium for secrets or a service of others, else low. It can only make
// somebody stricter: what a proposal needs is derived from its content.
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

// RoleFor is the role that a task is for: of the first input that a route knows a word
// of, the role of the word that it is, else of the first word that stands in it; else
// the job's own.
func RoleFor(j workflow.Job, inputs map[string]string) string {
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
		workflow.GivenRun: s.ID, workflow.GivenJob: job, workflow.GivenProposal: s.Proposal,
		workflow.GivenCategory: Category(s.Inputs[capabilityInput]), workflow.GivenRisk: s.Risk().String(),
	}
	for _, in := range w.Inputs {
		if !in.Free() { // words of others are no part of instructions
			out[in.Name] = s.Inputs[in.Name]
		}
	}
	return out
}
