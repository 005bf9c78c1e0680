package exchange_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/audit/maintain"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// TestArtifactsGo: artifacts travel with their run. Maintenance removes them when retention.yaml says
// so, and not before. Then no clone brings them back, the journal stays, and git frees their space.
func TestArtifactsGo(t *testing.T) {
	const id = "bowline-k3v9q2mt"
	keep := 10 * 24 * time.Hour
	d := worldtest.NewWith(t, func(p map[string][]byte) {
		p["policies/retention.yaml"] = append(p["policies/retention.yaml"], "\nartifacts: 10d\n"...)
	}, "scout")
	hub := filepath.Join(t.TempDir(), "hub.git")
	storetest.Git(t, d.Repo.Top(), "init", "-q", "--bare", "-b", "main", hub)
	storetest.Git(t, d.Repo.Top(), "remote", "add", "origin", hub)
	top, err := d.Repo.WriteTree(tree.Hash{}, []tree.Edit{{Path: "report.txt", Content: []byte("sound")}})
	d.OK(err)
	by := gitstore.Person{Name: "assent", When: time.Unix(0, 0)}
	commit, err := d.Repo.WriteCommit(gitstore.Commit{Tree: top, Author: by, Committer: by, Message: "artifacts\n"}, nil)
	d.OK(err)
	made := run.Artifacts{Commit: commit.String(), Files: []run.Artifact{{Path: "report.txt", Size: 5, Digest: "sha256:00"}}}
	at := d.Now()
	says := func(at time.Time, rs ...run.Record) {
		t.Helper()
		for _, r := range rs {
			r.V = run.Version
			_, err := d.Runs.Append(t.Context(), id, "assent", at, func(run.State) (*run.Record, error) { return &r, nil })
			d.OK(err)
		}
	}
	says(at, run.Record{Kind: run.Started, Start: &run.Start{Workflow: "braid", Event: "command"}},
		run.Record{Kind: run.Done, Job: "build", Artifacts: &made})
	dir := t.TempDir()
	now := at
	push := func(w *workspace.Workspace) {
		t.Helper()
		out, err := exchange.Push(t.Context(), w, exchange.Options{Remote: "origin"})
		d.OK(err)
		if len(out.Held) > 0 {
			t.Error(out.Held)
		}
	}
	push(d.Workspace)
	storetest.Git(t, dir, "clone", "-q", hub, ".")
	other := workspace.Of(storetest.Open(t, dir), workspace.Surroundings{Now: func() time.Time { return now }})
	pull := func() {
		t.Helper()
		if out, err := exchange.Pull(t.Context(), other, "origin", false); err != nil || len(out.Problems) > 0 {
			t.Fatal(out.Problems, err)
		}
	}
	has := func(want bool) {
		t.Helper()
		if got, err := other.Runs.HasArtifacts(id, made); err != nil || got != want {
			t.Fatalf("the clone has the artifacts: %v, want %v; %v", got, want, err)
		}
	}
	maintained := func(dry bool) int {
		t.Helper()
		cur, err := other.Session(t.Context())
		d.OK(err)
		out, err := maintain.Run(t.Context(), cur, maintain.Options{DryRun: dry})
		d.OK(err)
		return out.Artifacts
	}

	// Refs that no run is about, or that are at another commit than they say, stay on the hub.
	stray := []string{runlog.ArtifactsPrefix + "sheet-00000000." + commit.String(), runlog.ArtifactsPrefix + id + "." + strings.Repeat("0a", 20)}
	for _, ref := range stray {
		storetest.Git(t, hub, "update-ref", ref, commit.String())
	}
	pull()
	has(true)
	for _, ref := range stray {
		if _, err := other.Repo.Ref(ref); err == nil {
			t.Errorf("%s was taken", ref)
		}
		storetest.Git(t, hub, "update-ref", "-d", ref)
	}
	if now = at.Add(10 * keep); maintained(false) != 0 {
		t.Error("artifacts of a run that goes on are removed")
	}
	says(at, run.Record{Kind: run.Ended, Outcome: run.Completed})
	push(d.Workspace)
	now = at
	pull()
	if now = at.Add(keep - time.Minute); maintained(false) != 0 {
		t.Error("artifacts are removed too early")
	}
	has(true)
	if now = at.Add(keep); maintained(true) != 1 {
		t.Error("a dry run does not count them")
	}
	has(true)
	if maintained(false) != 1 {
		t.Error("artifacts are not removed")
	}
	has(false)
	pull() // from the hub, which still has them
	has(false)
	storetest.Git(t, hub, "update-ref", "-d", runlog.ArtifactsPrefix+id+"."+commit.String())
	d.Clock = now.Add(keep)
	push(d.Workspace) // of a clone without maintenance
	if refs := storetest.Git(t, dir, "ls-remote", "origin", runlog.ArtifactsPrefix+"*"); refs != "" {
		t.Errorf("a push brought back %s", refs)
	}
	pull()
	storetest.Git(t, dir, "gc", "-q", "--prune=now")
	if exec.Command("git", "-C", dir, "cat-file", "-e", commit.String()).Run() == nil {
		t.Error("something else keeps the artifacts")
	}
	if s, err := other.Runs.Read(id); err != nil || s.Jobs["build"].Artifacts == nil {
		t.Errorf("the run: %+v, %v", s, err)
	}
}
