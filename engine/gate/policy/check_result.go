package policy

import "slices"

// LacksResult reports whether a required check about a job of a workflow lacks a result of it that
// counts. With the id of a run, results of other runs are not enough.
func LacksResult(p Policies, f Facts, workflow, job, run string) bool {
	c := inquiry{p: p, f: f, electorate: newElectorate(p, f)}
	for _, check := range p.Approvals.Checks {
		known := f.Checks[check.Name]
		if check.Workflow != workflow || !slices.Contains(known.Jobs, job) {
			continue
		}
		if newest, _ := c.newest(job, known.Results); newest == nil || c.expired(check, *newest) {
			return true
		}
		of := func(r JobResult) bool { return r.Job == job && r.Run == run }
		if run != "" && !slices.ContainsFunc(known.Results, of) {
			return true
		}
	}
	return false
}
