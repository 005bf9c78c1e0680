package workflow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/workflow"
)

// A required check has the scripts whose success shows something: all, or a job with those that it
// needs.
func TestRequired(t *testing.T) {
	all, ds, err := workflow.Load(tree.MapOf(map[string]string{
		"workflows/ci.yaml": "name: ci\non: {proposal.updated: true}\njobs:\n  build: {run: make}\n  test: {run: test, needs: build}\n  look: {run: look}\n" +
			"  maybe: {run: look, if: 'run.risk == \"high\"'}\n  after: {run: look, needs: maybe}\n  tell: {uses: notify, message: done, needs: test}\n",
		"workflows/many.yaml": "name: many\non: {proposal.opened: true}\njobs:\n  pick: {run: look, outputs: {seed: string}}\n  use: {run: look, needs: pick}\n" +
			"  test: {run: look, matrix: {os: [linux, mac]}}\n  join: {run: look, needs: test}\n" +
			"  think: {uses: validate}\n  ask: {run: look, needs: think}\n",
		"workflows/all.yaml":     "name: all\non: {proposal.opened: true}\njobs:\n  b: {run: look, needs: a}\n  a: {run: look}\n",
		"workflows/nightly.yaml": "name: nightly\non: {schedule: \"0 3 * * *\"}\njobs: {look: {run: look}}\n",
		"workflows/tell.yaml":    "name: tell\non: {proposal.opened: true}\njobs: {tell: {uses: notify, message: hello}}\n",
	}), func(string) error { return nil })
	if err != nil || ds.HasErrors() {
		t.Fatal(err, ds)
	}
	for _, tt := range []struct{ name, job, jobs, unfit string }{
		{"ci", "test", "build test", ""},
		{"ci", "look", "look", ""},
		{"ci", "maybe", "", "may be skipped"},
		{"ci", "after", "", "may be skipped"},
		{"ci", "", "", "may be skipped"},
		{"ci", "tell", "", "runs no script"},
		{"ci", "nothing", "", "no such script"},
		{"many", "pick", "pick", ""},
		{"many", "use", "", "gets facts of pick"},
		{"many", "ask", "", "gets facts of think"},
		{"many", "", "", "gets facts of pick"},
		{"many", "test", "test-linux test-mac", ""},
		{"many", "join", "join test-linux test-mac", ""},
		{"all", "", "a b", ""},
		{"nightly", "look", "", "no proposal starts"},
		{"tell", "", "", "runs no script"},
		{"none", "", "", "no workflow"},
	} {
		_, jobs, unfit := workflow.Required(all, tt.name, tt.job)
		slices.Sort(jobs)
		if strings.Join(jobs, " ") != tt.jobs && unfit == "" || (tt.unfit == "") != (unfit == "") || !strings.Contains(unfit, tt.unfit) {
			t.Errorf("%s/%s: %v, %q", tt.name, tt.job, jobs, unfit)
		}
	}
}
