package task_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// TestRehearsalMatchesRun: workflow test predicts of each job what becomes of it in a run with these outcomes. With
// fail-fast: false that holds in any order of events. With fail-fast it holds if scripts take equally long, in any
// order among those that end together.
func TestRehearsalMatchesRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		flow := anyFlow(rt)
		failing := map[string]bool{}
		given := map[string]task.Imagined{}
		for _, j := range flow.Jobs {
			if j.Uses != workflow.Notify && rapid.Bool().Draw(rt, "fails") {
				failing[j.Name], given[j.Name] = true, task.Imagined{Outcome: "failure"}
			}
		}
		out, ds := task.Rehearse(flow, task.Occasion{Event: workflow.ProposalOpened, Jobs: given}, began)
		if len(ds) > 0 || !out.Starts {
			rt.Fatal(ds, out)
		}
		s := carryOut(rt, flow, failing)
		for _, j := range out.Jobs {
			if would := map[run.Status]string{run.Did: "run", run.Gave: "fail", run.Left: "skip"}[s.Jobs[j.Name].Status]; would != j.Would {
				rt.Errorf("%s would %s, and is %q: %s", j.Name, j.Would, s.Jobs[j.Name].Status, s.Jobs[j.Name].Reason)
			}
		}
		if s.Outcome != out.Outcome {
			rt.Errorf("the run would be %s, and is %s", out.Outcome, s.Outcome)
		}
	})
}

var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func anyFlow(rt *rapid.T) workflow.Workflow {
	src := fmt.Sprintf("name: x\non: {proposal.opened: true}\nfail-fast: %v\njobs:\n", rapid.Bool().Draw(rt, "fail-fast"))
	for i := range rapid.IntRange(1, 6).Draw(rt, "jobs") {
		kind := rapid.SampledFrom([]string{
			"run: x", "run: x", "run: x, retries: 2", "run: x, continue-on-error: true", "run: x, retries: 1, if: always()", "run: x, if: failure()",
			"run: x, if: IF", "agent: writer, task: templates/a.md", "agent: writer, task: templates/a.md, retries: 1", "approve: human", "uses: validate, if: IF", "uses: notify, message: x", "uses: notify, message: x, if: always()",
		}).Draw(rt, "kind")
		needs, last := []string{}, ""
		for k := range i {
			if rapid.Bool().Draw(rt, "needs") {
				last = fmt.Sprintf("j%d", k)
				needs = append(needs, last)
			}
		}
		condition := `'run.event == "proposal.opened"'`
		if last != "" {
			condition = fmt.Sprintf("'needs.%s.outcome == %q'", last, rapid.SampledFrom(workflow.Outcomes()).Draw(rt, "outcome"))
		}
		src += fmt.Sprintf("  j%d: {%s, needs: [%s]}\n", i, strings.Replace(kind, "IF", condition, 1), strings.Join(needs, ", "))
	}
	ws, ds, err := workflow.Load(tree.MapOf(map[string]string{"workflows/x.yaml": src, "workflows/templates/a.md": "Do it.\n"}), func(string) error { return nil })
	if err != nil || ds.HasErrors() || len(ws) != 1 {
		rt.Fatal(ds, err, src)
	}
	return ws[0]
}

// carryOut carries a run out by the decisions of the engine, and returns its end.
func carryOut(rt *rapid.T, flow workflow.Workflow, failing map[string]bool) (s run.State) {
	var records []run.Record
	add := func(r run.Record) {
		r.V, r.At, r.By = run.Version, began, "assent"
		records = append(records, r)
		var err error
		if s, err = run.Of("x-00000000", records); err != nil {
			rt.Fatal(err)
		}
	}
	ends := func(j workflow.Job) {
		r := run.Record{Kind: run.Done, Job: j.Name, Attempt: s.Jobs[j.Name].Attempt}
		if failing[j.Name] {
			r.Kind = run.Failed
		}
		add(r)
	}
	add(run.Record{Kind: run.Started, Start: &run.Start{Workflow: flow.Name, Event: workflow.ProposalOpened}})
	for range 300 {
		next := run.Decide(flow, s, began)
		under := underWay(flow, s)
		switch {
		case s.Outcome != "":
			return s
		case next.Record != nil:
			add(*next.Record)
		case !flow.FailFast && len(under) > 0 && rapid.Bool().Draw(rt, "early"):
			ends(rapid.SampledFrom(slices.Concat(under...)).Draw(rt, "job"))
		case next.Action == run.Script:
			j := rapid.SampledFrom(run.Scripts(flow, s, began)).Draw(rt, "begins")
			add(run.Record{Kind: run.Begun, Job: j.Name, Attempt: s.Jobs[j.Name].Attempt + 1, Until: began.Add(time.Minute)})
		case next.Action != "":
			ends(next.Job)
		case len(under) == 0:
			rt.Fatal("nothing is under way")
		default:
			for _, j := range rapid.Permutation(under[0]).Draw(rt, "order") {
				ends(j)
			}
		}
	}
	rt.Fatal("it does not end")
	return s
}

// underWay are the scripts that run, and the tasks and approvals that wait, without empty lists.
func underWay(flow workflow.Workflow, s run.State) [][]workflow.Job {
	var out [][]workflow.Job
	for _, status := range []run.Status{run.Running, run.Waiting} {
		if js := slices.DeleteFunc(slices.Clone(flow.Jobs), func(j workflow.Job) bool { return s.Jobs[j.Name].Status != status }); len(js) > 0 {
			out = append(out, js)
		}
	}
	return out
}
