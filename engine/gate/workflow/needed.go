package workflow

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/condition"
)

// NeededVariable is the name of the variable in which a script gets a fact of a job that it needs.
func NeededVariable(need, fact string) string {
	return "ASSENT_NEEDS_" + strings.ToUpper(FactName(need)) + "_" + strings.ToUpper(fact)
}

// ArtifactsVariable is the name of the variable with the folder of the artifacts of a needed job.
func ArtifactsVariable(need string) string { return NeededVariable(need, artifactsFact) }

// facts are those that other jobs get of a job, beside its outcome.
func (j Job) facts() []condition.Fact {
	switch {
	case j.Agent != "":
		return ResultFacts()
	case j.Uses == Validate:
		return ReportFacts()
	case j.Script != nil:
		if len(j.Script.Artifacts) > 0 {
			return append(j.Script.facts(), condition.Fact{Name: artifactsFact})
		}
		return j.Script.facts()
	}
	return nil
}

// apart refuses a script in which two facts of its needs would be one variable.
func (p *parser) apart(w Workflow, j Job) {
	if j.Script == nil {
		return
	}
	from := map[string]string{}
	for _, need := range j.Needs {
		of, _ := w.Job(need)
		seen := map[string]bool{}
		for _, f := range append(of.facts(), ReportFacts()[0]) {
			name := NeededVariable(j.Local(need), f.Name)
			if other, taken := from[name]; taken && !seen[name] {
				p.diags.Errorf(RuleJob, j.Pos, "rename an output or a job", "%s and %s would both be the variable %s of job %s", quote(other), quote(need), name, quote(j.Name))
			}
			from[name], seen[name] = need, true
		}
	}
	for _, aggregate := range j.Aggregates {
		name := NeededVariable(j.Local(aggregate.Name), ReportFacts()[0].Name)
		if other, taken := from[name]; taken {
			p.diags.Errorf(RuleJob, j.Pos, "rename an output or a job", "%s and %s would both be the variable %s of job %s", quote(other), quote(aggregate.Name), name, quote(j.Name))
		}
	}
}
