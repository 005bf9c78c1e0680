package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// TestVerifyOtherRecords: the record holds with journals of trials and of runs, folded or not, and
// with a ref of a foreign name, which is named.
func TestVerifyOtherRecords(t *testing.T) {
	d := newWorld(t)
	d.merged(d.approved(skill("bowline", "Pull.")), nil)
	cur, err := d.Session(t.Context())
	d.OK(err)
	trials := triallog.New(d.Repo, cur.ID(), d.Now)
	_, err = trials.Record(t.Context(), trial.Observation{At: d.Now(), Source: trial.Engine, Level: trial.Followed, Capability: "bowline", Version: "1.0.0", Outcome: trial.Success})
	d.OK(err)
	d.OK(trials.Commit(t.Context()))
	const id = "bowline-k3v9q2mt"
	for _, r := range []run.Record{
		{Kind: run.Started, Start: &run.Start{Workflow: "braid", Event: "command"}}, {Kind: run.Ended, Outcome: run.Completed},
	} {
		r.V = run.Version
		_, err := d.Runs.Append(t.Context(), id, "assent", d.Now(), func(run.State) (*run.Record, error) { return &r, nil })
		d.OK(err)
	}
	before := d.verify()
	if before.Broken != nil || before.Journals != 2 {
		t.Fatalf("%+v, broken %+v", before, before.Broken)
	}
	kept := d.checkpointed(nil)

	late := d.Now().Add(runlog.Rest)
	if n, err := d.Runs.Fold(t.Context(), late, 10); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	_, err = d.Runs.Drop(t.Context(), late.Add(journal.Settling+time.Hour), 10)
	d.OK(err)
	if _, err := d.Repo.Ref(runlog.Prefix + id); err == nil {
		t.Fatal("the run keeps its ref")
	}
	const foreign = workspace.RecordPrefix + "pulls/abc/x"
	d.OK(d.Repo.Update(gitstore.RefUpdate{Name: foreign, New: cur.Main}))
	after, err := audit.Verify(t.Context(), d.Workspace, nil, kept)
	d.OK(err)
	if after.Broken != nil || after.Journals != 2 {
		t.Errorf("%+v, broken %+v", after, after.Broken)
	}
	if len(after.Unrecorded) != 1 || !strings.Contains(after.Unrecorded[0].Note, foreign) {
		t.Errorf("the foreign ref is not named: %+v", after.Unrecorded)
	}
}
