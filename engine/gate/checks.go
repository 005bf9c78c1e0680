package gate

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
)

// Checks is what results of required checks are compared with.
type Checks struct {
	// Base is the commit in force that judges, Result the tree of the merge result.
	Base, Result tree.Hash
	// Workflows are those in force, Running the runs about the proposal that go on, by workflow.
	Workflows []workflow.Workflow
	Running   map[string]string
}

// checks returns what is known of each required check, by name.
func (c Case) checks() map[string]policy.CheckRun {
	if c.Checks == nil {
		return nil
	}
	out := map[string]policy.CheckRun{}
	for _, check := range c.Policies.Approvals.Checks {
		run := policy.CheckRun{Running: c.Checks.Running[check.Workflow]}
		flow, jobs, unfit := workflow.Required(c.Checks.Workflows, check.Workflow, check.Job)
		if run.Jobs, run.Unfit = jobs, unfit; unfit == "" {
			c.results(flow, &run)
		}
		out[check.Name] = run
	}
	return out
}

// results adds the signed results of a check's jobs to run.
func (c Case) results(flow workflow.Workflow, run *policy.CheckRun) {
	for _, p := range c.Activity.Results {
		rec, key, err := review.VerifyResult(review.Signed{Record: p.Record, Signature: p.Signature})
		if err != nil || rec.Workflow != flow.Name || !slices.Contains(run.Jobs, rec.Job) {
			continue
		}
		if other := c.elsewhere(rec, flow); other != "" {
			run.Other = "a result of " + rec.Job + " does not count: " + other
			continue
		}
		run.Results = append(run.Results, policy.JobResult{By: key, Job: rec.Job, Passed: rec.Passed, Reason: rec.Reason, Run: rec.Run, At: rec.At})
	}
}

// elsewhere returns what a result is about, if that is not exactly this merge result and the
// workflow in force; empty otherwise.
func (c Case) elsewhere(rec review.Result, flow workflow.Workflow) string {
	switch {
	//defence:results-name-workspace-and-proposal
	case rec.Workspace != c.Workspace, rec.Proposal != c.Pull.ID:
		return "it is of another workspace or proposal"
	//defence:results-name-the-head
	case rec.Head != c.Pull.Head:
		return fmt.Sprintf("it is of the version %s", rec.Head.Short())
	//defence:results-name-base-and-result
	case rec.Base != c.Checks.Base, rec.Tree != c.Checks.Result:
		return fmt.Sprintf("main was at %s then, and what would be merged was another tree", rec.Base.Short())
	//defence:results-name-the-definition
	case rec.Definition != flow.Digest:
		return "the workflow was changed since"
	}
	return ""
}

// Ignored returns a function that says why the gate ignores a signed result; "" if it counts. by signed it.
func (c Case) Ignored() func(rec review.Result, by review.Fingerprint) string {
	facts := c.Facts()
	applying, discounts := policy.Checks(c.Policies, facts), policy.Discounts(c.Policies, facts)
	return func(rec review.Result, by review.Fingerprint) string {
		for _, s := range applying {
			if c.Checks == nil || s.Workflow != rec.Workflow || !slices.Contains(facts.Checks[s.Name].Jobs, rec.Job) {
				continue
			}
			flow, _, _ := workflow.Required(c.Checks.Workflows, s.Workflow, s.Job)
			if other := c.elsewhere(rec, flow); other != "" {
				return other
			}
			return discounts(policy.JobResult{By: by, Job: rec.Job, Passed: rec.Passed, At: rec.At})
		}
		return "no check of " + policy.ApprovalsFile + " requires it of this proposal"
	}
}
