package exchange_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// TestFoldedRunsTravel: a run that one clone folded is folded for all. No clone restores
// its ref, and all can read it.
func TestFoldedRunsTravel(t *testing.T) {
	const id = "bowline-k3v9q2mt"
	d := worldtest.New(t, "scout")
	hub := filepath.Join(t.TempDir(), "hub.git")
	storetest.Git(t, d.Repo.Top(), "init", "-q", "--bare", "-b", "main", hub)
	storetest.Git(t, d.Repo.Top(), "remote", "add", "origin", hub)
	begun := d.Now()
	for _, r := range []run.Record{
		{Kind: run.Started, Start: &run.Start{Workflow: "braid", Event: "command"}}, {Kind: run.Ended, Outcome: run.Completed},
	} {
		r.V = run.Version
		_, err := d.Runs.Append(t.Context(), id, "assent", begun, func(run.State) (*run.Record, error) { return &r, nil })
		d.OK(err)
	}
	push := func(w *workspace.Workspace) exchange.Pushed {
		t.Helper()
		out, err := exchange.Push(t.Context(), w, exchange.Options{Remote: "origin"})
		d.OK(err)
		if len(out.Held) > 0 {
			t.Error(out.Held)
		}
		return out
	}
	push(d.Workspace)
	dir := t.TempDir()
	storetest.Git(t, dir, "clone", "-q", hub, ".")
	other := workspace.Of(storetest.Open(t, dir), workspace.Surroundings{Now: d.Now})
	_, err := exchange.Pull(t.Context(), other, "origin", false)
	d.OK(err)

	late := begun.Add(runlog.Rest)
	if n, err := d.Runs.Fold(t.Context(), late, 10); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	push(d.Workspace)
	_, err = d.Runs.Drop(t.Context(), late.Add(journal.Settling+time.Hour), 10)
	d.OK(err)
	storetest.Git(t, dir, "push", "-q", "origin", ":"+runlog.Prefix+id) // as the hub's own maintenance would
	if out := push(other); len(out.Moves) > 0 {
		t.Errorf("it brought back %v", out.Moves)
	}
	if out, err := exchange.Pull(t.Context(), other, "origin", false); err != nil || len(out.Problems) > 0 {
		t.Error(out.Problems, err)
	}
	out, err := other.Runs.Drop(t.Context(), late.Add(journal.Settling+time.Hour), 10)
	d.OK(err)
	if s, err := other.Runs.Read(id); out.Removed != 1 || err != nil || s.Outcome != run.Completed {
		t.Errorf("%+v, %+v, %v", out, s, err)
	}
	push(other)
	push(d.Workspace)
	if refs := storetest.Git(t, dir, "ls-remote", "origin", "refs/assent/*"); strings.Contains(refs, runlog.Prefix) || !strings.Contains(refs, runlog.EndedPrefix) {
		t.Errorf("the hub has %s", refs)
	}
}
