package run

import (
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/gate/workflow"
)

// Facts are the names that a job's conditions can read; result or report is the job's own outcome,
// for its gate.
func Facts(w workflow.Workflow, s State, j workflow.Job, result *Result, report *Report) condition.Facts {
	return condition.FactsFunc(func(name string) any {
		switch name {
		case "run":
			return map[string]any{"category": s.category(), "risk": riskWith(s, result), "proposal": s.Proposal, "event": s.Event}
		case "inputs":
			out := map[string]any{}
			values := j.Group.Values(s.Inputs)
			for _, in := range w.InputsOf(j) {
				out[in.Name] = values[in.Name]
			}
			return out
		case workflow.Failure:
			return blocked(w, s, j) != ""
		case "result":
			return result.facts("success")
		case "report":
			return report.facts("success")
		case "needs":
			return s.needed(w, j)
		}
		return nil
	})
}

// needed are the facts of the jobs that a job needs, by their names in conditions.
func (s State) needed(w workflow.Workflow, j workflow.Job) map[string]any {
	out := map[string]any{}
	for _, need := range j.Needs {
		of, _ := w.Job(need)
		out[workflow.FactName(j.Local(need))] = s.Jobs[need].facts(of)
	}
	for _, aggregate := range j.Aggregates {
		out[workflow.FactName(j.Local(aggregate.Name))] = map[string]any{"outcome": s.outcome(w, aggregate)}
	}
	return out
}

// outcome is that of a call or of all combinations of a matrix: failed if a job has failed that counts, skipped if all
// were skipped or a failure prevented one, else success.
func (s State) outcome(w workflow.Workflow, aggregate workflow.Aggregate) string {
	out, prevented := "skipped", false
	for _, name := range aggregate.Jobs {
		of, _ := w.Job(name)
		switch state := s.Jobs[name]; {
		case state.Status == Gave && !(aggregate.Call && of.ContinueOnError):
			return "failed"
		case state.Status != Left:
			out = "success"
		default:
			prevented = prevented || state.Blocked
		}
	}
	if prevented {
		return "skipped"
	}
	return out
}

// riskWith is the run's risk with an answer that is not recorded yet.
func riskWith(s State, result *Result) string {
	if result != nil {
		s.Jobs = maps.Clone(s.Jobs)
		s.Jobs[result.Job] = Job{Result: result}
	}
	return s.Risk().String()
}

func (j Job) facts(of workflow.Job) map[string]any {
	outcome := "success"
	switch j.Status {
	case Left:
		outcome = "skipped"
	case Gave:
		outcome = "failed"
	}
	switch {
	case of.Agent != "":
		return j.Result.facts(outcome)
	case of.Uses == workflow.Validate:
		return j.Report.facts(outcome)
	}
	out := map[string]any{"outcome": outcome}
	if of.Script != nil {
		for _, o := range of.Script.Outputs {
			out[o.Name] = j.output(o)
		}
	}
	return out
}

// output is a value of a script, or the zero value of its type.
func (j Job) output(o workflow.Output) any {
	switch v := j.Outputs[o.Name]; o.Type {
	case "number":
		n, _ := v.(float64)
		return n
	case "boolean":
		is, _ := v.(bool)
		return is
	default:
		text, _ := v.(string)
		return text
	}
}

// facts returns the facts of an answer; for a skipped job, those of a zero answer.
func (r *Result) facts(outcome string) map[string]any {
	if r == nil {
		r = &Result{}
	}
	return map[string]any{
		"outcome": outcome, "confidence": r.Confidence, "compiles": r.Compiles, "found": r.Found, "cost_per_use": r.CostPerUse,
		"secrets": listed(r.Secrets), "external_api": r.ExternalAPI, "covers": listed(r.Covers),
		"lacks": listed(slices.Sorted(maps.Keys(r.Lacks))), "files": listed(r.Files), "agent": r.Agent,
	}
}

func listed(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (r *Report) facts(outcome string) map[string]any {
	if r == nil {
		r = &Report{}
	}
	return map[string]any{"outcome": outcome, "passed": r.Passed, "errors": r.Errors, "warnings": r.Warnings, "risk": r.Risk}
}
