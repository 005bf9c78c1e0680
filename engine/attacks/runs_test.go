package attacks_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func runDefences() map[string]defence {
	return map[string]defence{
		"lists-of-runs-have-a-budget":       {attack: "TestAttackGrowthOfRuns/of its own"},
		"journals-of-runs-name-their-run":   {attack: "TestAttackRenamedRuns/pulls"},
		"events-are-weighed-once":           {attack: "TestAttackGrowthOfRenamedRuns/events upon it"},
		"runs-follow-what-was-in-force":     {attack: "TestAttackRunVersions/of a commit that was reverted"},
		"replaced-workflows-get-no-secrets": {attack: "TestAttackRunVersions/of a version that gave its secret away"},
	}
}

const replacedFlow = "name: braid\non: {command: braid}\njobs:\n  give: {run: \"echo $TOKEN\", secrets: [TOKEN]}\n"

// forgedRun writes the journal of a run of the workflow braid at a commit.
func (d *world) forgedRun(at tree.Hash, flow string) string {
	const id = "braid-00000000"
	_, _, err := d.Runs.Begin(d.Context(), id, "mallory", d.tick(), run.Start{
		Workflow: "braid", Event: "command", Commit: at.String(), Definition: tree.BlobHash([]byte(flow)).String(),
	})
	d.ok(err)
	return id
}

// A run follows the workflow of the commit that its journal names, and anyone who can push can write
// a journal.
func TestAttackRunVersions(t *testing.T) {
	tame := strings.Replace(replacedFlow, "echo $TOKEN", "true", 1)
	attack(t, "of a commit that was reverted", func(d *world) {
		d.merged(file("workflows/braid.yaml", tame))
		evil := strings.Replace(tame, "true", "echo evil", 1)
		at := d.straight("evil", file("workflows/braid.yaml", evil))
		d.straight("revert", file("workflows/braid.yaml", tame))
		out, err := task.Advance(d.Context(), d.Workspace, d.forgedRun(at, evil))
		d.ok(err)
		if out.Outcome != run.Broke || len(out.Jobs) > 0 {
			d.succeeds("a workflow that was never in force runs: %+v, waits for %q", out.Jobs, out.Waits)
		}
		d.because(out.Reason, "was never in force")
	})
	attack(t, "of a version that gave its secret away", func(d *world) {
		d.merged(file("workflows/braid.yaml", replacedFlow))
		at := d.main()
		d.merged(file("workflows/braid.yaml", tame))
		out, err := task.Advance(d.Context(), d.Workspace, d.forgedRun(at, replacedFlow))
		d.ok(err)
		if out.Outcome != run.Broke {
			d.succeeds("a replaced script asks for its secret: %+v, waits for %q", out.Jobs, out.Waits)
		}
		d.because(out.Reason, "only the version in force gets secrets")
	})
}

// A run follows the version of its workflow that was in force when it started, and is drawn by it.
func TestRunFollowsItsVersion(t *testing.T) {
	d := newWorld(t)
	_, build := d.braiding()
	d.merged(file("workflows/braid.yaml", strings.NewReplacer("    gate: result.confidence > 0.5\n", "", "  deploy: {uses: merge, needs: build}\n", "").Replace(braidFlow)))
	cur, err := d.Session(d.Context())
	d.ok(err)
	defs, err := task.DefinitionsOf(cur)
	d.ok(err)
	def, err := defs.Of(d.Context(), build.Run)
	d.ok(err)
	if shown, found := defs.Recorded(build.Run); !def.Found || !def.Replaced || !found || len(def.Jobs) != 2 || len(shown.Jobs) != 2 {
		t.Fatalf("%+v, shown %v %+v", def, found, shown)
	}
	poor := built("kublai", skill("clove-hitch"))
	poor.Result.Confidence = 0
	again, err := task.Find(d.Context(), cur, build.Run.ID, "build")
	d.ok(err)
	out, err := task.Deliver(d.Context(), cur, again, poor)
	d.ok(err)
	if out.Refused == "" {
		t.Error("the gate of the version in force was used")
	}
	if _, err := task.Retry(d.Context(), cur, build.Run.ID, false); err == nil {
		t.Error("a run that goes on is repeated")
	}
	_, err = task.Advance(d.Context(), d.Workspace, build.Run.ID)
	d.ok(err)
	b, err := task.Retry(d.Context(), cur, build.Run.ID, false)
	d.ok(err)
	if len(b.Workflow.Jobs) != 1 {
		t.Errorf("%+v is not the version in force", b.Workflow.Jobs)
	}
}
