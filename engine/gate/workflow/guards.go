package workflow

import "slices"

// Guards returns the jobs with approve that a job needs, directly or through others.
func (w Workflow) Guards(j Job) []Job {
	return slices.DeleteFunc(w.Ancestors(j), func(before Job) bool { return before.Approve == "" })
}

// Ancestors returns the jobs that a job needs, directly or through others, the later ones first.
func (w Workflow) Ancestors(j Job) []Job {
	var out []Job
	needed := slices.Clone(j.Needs)
	for _, before := range slices.Backward(w.Jobs) { // they are in order
		if slices.Contains(needed, before.Name) {
			needed = append(needed, before.Needs...)
			out = append(out, before)
		}
	}
	return out
}

// secretsGuarded refuses an approval that a condition can skip before a job with secrets: anyone who can
// push can write the outputs, the inputs and the event that decide it. A condition that leaves out both
// jobs, of a call that they belong to, skips no approval.
func (p *parser) secretsGuarded(w Workflow) {
	for _, j := range w.Jobs {
		if j.Script == nil || len(j.Script.Secrets) == 0 {
			continue
		}
		for _, guard := range w.Guards(j) {
			own := slices.ContainsFunc(guard.Groups(), func(g *Group) bool { return g.If != nil && !j.within(g) })
			//defence:conditions-skip-no-approval-of-secrets
			if guard.If != nil || own {
				p.diags.Errorf(RuleCondition, guard.Pos, "leave out if: there, or write it on the jobs with secrets too, in a workflow that a job with uses: workflow and if: calls",
					"job %s cannot guard the secrets of job %s: a condition can skip it, and what that reads is not signed", quote(guard.Name), quote(j.Name))
			}
		}
	}
}

// within reports whether the job belongs to the call of a group.
func (j Job) within(g *Group) bool {
	return slices.ContainsFunc(j.Groups(), func(own *Group) bool { return own.Prefix == g.Prefix })
}
