package workflow

import (
	"fmt"
	"slices"
)

// Required returns a workflow by name, and the scripts of it that have to succeed for a required
// check: a job and the scripts that it needs or, with job empty, all. Of a job with a matrix that is each
// instance. unfit says why no result of them can count; empty if one can.
func Required(all []Workflow, name, job string) (flow Workflow, jobs []string, unfit string) {
	at := slices.IndexFunc(all, func(w Workflow) bool { return w.Name == name })
	if at < 0 {
		return flow, nil, fmt.Sprintf("there is no workflow %q", name)
	}
	flow = all[at]
	if !slices.Contains(flow.On.Proposal, ProposalOpened) && !slices.Contains(flow.On.Proposal, ProposalUpdated) {
		return flow, nil, fmt.Sprintf("no proposal starts the workflow %s: it needs on: {proposal.opened: true, proposal.updated: true}", name)
	}
	wanted := map[string]bool{job: true}
	for _, j := range slices.Backward(flow.Jobs) { // each job comes after those that it needs
		if job != "" && !wanted[j.Name] && j.Of != job {
			continue
		}
		for _, need := range j.Needs {
			wanted[need] = true
		}
		switch from := flow.givesFacts(j); {
		case from != "":
			return flow, nil, fmt.Sprintf("the job %s of %s gets facts of %s, which lie in the run's journal, where anyone who can push can write", j.Name, name, from)
		case j.Script == nil && j.Name == job:
			return flow, nil, fmt.Sprintf("the job %s of %s runs no script", job, name)
		case j.Script != nil && j.Conditional():
			return flow, nil, fmt.Sprintf("the job %s of %s may be skipped, because it has an if", j.Name, name)
		case j.Script != nil:
			jobs = append(jobs, j.Name)
		}
	}
	if slices.Reverse(jobs); len(jobs) == 0 {
		unfit = fmt.Sprintf("the workflow %s has no such script %q", name, job)
		if job == "" {
			unfit = fmt.Sprintf("the workflow %s runs no script", name)
		}
	}
	return flow, jobs, unfit
}

// givesFacts returns a needed job that passes facts or outputs to a script; empty if no job does.
func (w Workflow) givesFacts(to Job) string {
	for _, need := range to.Needs {
		if j, _ := w.Job(need); to.Script != nil && (j.Script == nil || len(j.Script.Outputs)+len(j.Script.Artifacts) > 0) {
			return need
		}
	}
	return ""
}
