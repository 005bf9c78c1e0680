package workflow

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
)

func TestPlan(t *testing.T) {
	ws, ds, err := Load(tree.MapOf(map[string]string{
		"workflows/a.yaml": "name: beta\non: {proposal.opened: true, command: check}\njobs: {x: {uses: merge, needs: y}, y: {uses: validate}}\n",
		"workflows/b.yaml": "name: alpha\non: {proposal.opened: true, schedule: \"0 3 * * *\"}\njobs: {z: {uses: inbox}}\n",
	}), fiveFields)
	if err != nil || len(ds) > 0 {
		t.Fatal(ds, err)
	}
	alpha := Step{Workflow: "alpha", Job: "z", Uses: "inbox"}
	beta := []Step{{Workflow: "beta", Job: "y", Uses: "validate"}, {Workflow: "beta", Job: "x", Uses: "merge", Needs: []string{"y"}}}
	for _, c := range []struct {
		event Event
		want  []Step
	}{
		{Event{Name: ProposalOpened}, append([]Step{alpha}, beta...)},
		{Event{Name: Command, Value: "check"}, beta},
		{Event{Name: Command, Value: "other"}, nil},
		{Event{Name: Command}, nil},
		{Event{Name: Schedule, Value: "0 3 * * *"}, []Step{alpha}},
		{Event{Name: Schedule, Value: "0 4 * * *"}, nil},
		{Event{Name: Schedule}, nil},
		{Event{Name: ProposalMerged}, nil},
		{Event{}, nil},
	} {
		if diff := cmp.Diff(c.want, Plan(ws, c.event)); diff != "" {
			t.Errorf("%+v: -want +have:\n%s", c.event, diff)
		}
	}
}

// Any acyclic workflow plans every job once and after all that it needs, and the order of
// workflows makes no difference.
func TestPlanRespectsNeeds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{}
		for w := range rapid.IntRange(1, 3).Draw(rt, "workflows") {
			src := fmt.Sprintf("name: w%d\non: {proposal.opened: true}\njobs:\n", w)
			n := rapid.IntRange(1, 8).Draw(rt, "jobs")
			rank := rapid.Permutation(ints(n)).Draw(rt, "rank")
			for i := range n {
				src += fmt.Sprintf("  j%d:\n    uses: inbox\n    needs: [", rank[i])
				for k := range i {
					if rapid.Bool().Draw(rt, "needs") {
						src += fmt.Sprintf("j%d, ", rank[k])
					}
				}
				src += "]\n"
			}
			files[fmt.Sprintf("workflows/%d.yaml", w)] = src
		}
		ws, ds, err := Load(tree.MapOf(files), fiveFields)
		if err != nil || len(ds) > 0 {
			rt.Fatal(ds, err)
		}
		steps := Plan(ws, Event{Name: ProposalOpened})
		slices.Reverse(ws)
		if diff := cmp.Diff(steps, Plan(ws, Event{Name: ProposalOpened})); diff != "" {
			rt.Errorf("depends on the order of workflows:\n%s", diff)
		}
		done := map[string]bool{}
		total := 0
		for _, s := range steps {
			for _, need := range s.Needs {
				if !done[s.Workflow+need] {
					rt.Errorf("%s/%s comes before %s", s.Workflow, s.Job, need)
				}
			}
			done[s.Workflow+s.Job] = true
		}
		for _, w := range ws {
			total += len(w.Jobs)
		}
		if len(done) != total || len(steps) != total {
			rt.Errorf("%d steps of %d jobs", len(steps), total)
		}
	})
}

func ints(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
