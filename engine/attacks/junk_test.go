package attacks_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// foreignNames returns names below a prefix that no record has, and that git can store together.
func foreignNames(prefix string) []string {
	var out []string
	for i, name := range []string{"abc", "UP", "-x", "it's", "a;b", "$(x)", "Ünï", "x_y", "0", "a-1", "%2e", "@", "{x}", "tidy-0abc123", "tidy-0abc12345", "tidy-0ABC1234"} {
		out = append(out, prefix+name+"/x", fmt.Sprintf("%s%s%d", prefix, name, i), prefix+"deep/"+name+"/y")
	}
	return out
}

// A ref without the name of a record is neither pulled nor cloned, and stops no reader.
func TestAttackForeignRefs(t *testing.T) {
	for what, prefix := range map[string]string{
		"journals": local.PullPrefix, "runs": runlog.Prefix, "stops": workspace.StopPrefix, "trials": triallog.Prefix, "nothing known": workspace.RecordPrefix + "notes/",
	} {
		attack(t, what, func(d *world) {
			d.proposed("kublai", skill("clove-hitch"))
			hub := d.hub()
			objects := []string{"refs/heads/main", "refs/heads/main:policies/roles.yaml", "refs/heads/main:skills"}
			var all strings.Builder
			for i, ref := range foreignNames(prefix) {
				fmt.Fprintf(&all, "create %s %s\n", ref, d.git("-C", hub, "rev-parse", objects[i%len(objects)]))
			}
			d.gitIn(all.String(), "-C", hub, "update-ref", "--stdin")
			pulled, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
			if err != nil || len(pulled.Problems) > 0 {
				d.succeeds("the pull: %v, %v", pulled.Problems, err)
			}
			clone := filepath.Join(d.TempDir(), "clone")
			d.git("clone", "-q", hub, clone)
			repo, err := gitstore.Open(clone)
			d.ok(err)
			d.ok(remote.FetchJournals(d.Context(), repo, "origin", workspace.Shared))
			for where, r := range map[string]*gitstore.Repo{"here": d.Repo, "in a clone": repo} {
				refs, err := r.Refs(workspace.RecordPrefix)
				d.ok(err)
				if len(refs) != 1 {
					d.succeeds("%d refs %s", len(refs), where)
				}
			}
		})
	}
}

// recorded stores a run and a trial, and returns the refs of both.
func (d *world) recorded() (ofRun, ofTrials string) {
	d.Helper()
	const id = "bowline-k3v9q2mt"
	start := run.Record{V: run.Version, Kind: run.Started, Start: &run.Start{Workflow: "braid", Event: "command"}}
	_, err := d.Runs.Append(d.Context(), id, "assent", d.Now(), func(run.State) (*run.Record, error) { return &start, nil })
	d.ok(err)
	return runlog.Prefix + id, d.tried()
}

// tried records a trial, and returns the ref of its journal.
func (d *world) tried() string {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	trials := triallog.New(d.Repo, cur.ID(), d.Now)
	_, err = trials.Record(d.Context(), trial.Observation{At: d.Now(), Source: trial.Engine, Level: trial.Followed, Capability: "bowline", Version: "1.0.0", Outcome: trial.Success})
	d.ok(err)
	d.ok(trials.Commit(d.Context()))
	w, err := trials.Own()
	d.ok(err)
	return triallog.Ref(w)
}

// junks returns objects that an attacker puts in the place of a record.
func junks() map[string]func(h *world, ref string) {
	return map[string]func(h *world, ref string){
		"a blob":   func(h *world, ref string) { h.git("update-ref", ref, h.object("blob", []byte("x\n"))) },
		"a folder": func(h *world, ref string) { h.git("update-ref", ref, "main:skills") },
		"a commit": func(h *world, ref string) { h.put(ref, h.main()) },
		"no object": func(h *world, ref string) {
			h.ok(os.WriteFile(filepath.Join(h.dir, ".git", ref), []byte(strings.Repeat("12345678", 5)+"\n"), 0o600))
		},
	}
}

// Junk in the place of a run or of trials holds up neither pulls nor other pushes, and doctor
// restores the record.
func TestAttackJunkInPlace(t *testing.T) {
	for _, what := range []string{"a run", "trials", "folded runs"} {
		for name, damage := range junks() {
			attack(t, what+" that is "+name, func(d *world) {
				ref, trials := d.recorded()
				switch what {
				case "trials":
					ref = trials
				case "folded runs":
					d.endedRun(ref)
					ref = runlog.EndedPrefix + d.Now().Add(runlog.Rest+time.Hour).Format("2006")
				}
				hub := d.copied()
				want := d.ref(ref)
				damage(hub, ref)
				if _, err := exchange.Pull(d.Context(), d.Workspace, "origin", false); err != nil {
					d.succeeds("nothing can be pulled: %v", err)
					return
				}
				p := d.proposed("mongke", skill("sheet-bend"))
				_, err := exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
				_, there := hub.Repo.Ref(local.PullPrefix + p.ID)
				if dangles := name == "no object"; err != nil && !dangles || there != nil && !dangles { // git takes no push beside it
					d.succeeds("the other proposal is not published: %v, %v", err, there)
					return
				}
				_, err = exchange.Damages(d.Context(), d.Workspace, "origin")
				var unfetched *remote.Partly
				if err != nil && !errors.As(err, &unfetched) {
					d.Fatal(err)
				}
				found, err := exchange.FindJunk(d.Context(), d.Workspace, "origin", unfetched)
				d.ok(err)
				if len(found) != 1 || found[0].Ref != ref || found[0].Here != want || found[0].Stays {
					d.Fatalf("found %+v", found)
				}
				d.ok(exchange.Replace(d.Context(), d.Workspace, "origin", found[0]))
				if got := hub.ref(ref); got != want || d.ref(ref) != want {
					d.succeeds("%s on the hub is at %s, want %s", ref, got.Short(), want.Short())
				}
			})
		}
	}
}

// endedRun ends a run and folds it.
func (d *world) endedRun(ref string) {
	d.Helper()
	end := run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Completed}
	_, err := d.Runs.Append(d.Context(), strings.TrimPrefix(ref, runlog.Prefix), "assent", d.Now(), func(run.State) (*run.Record, error) { return &end, nil })
	d.ok(err)
	if n, err := d.Runs.Fold(d.Context(), d.Now().Add(runlog.Rest+time.Hour), 10); n != 1 || err != nil {
		d.Fatal(n, err)
	}
}

// A clone that lacks the records below junk does not remove them from the hub.
func TestAttackRecordsBelowJunk(t *testing.T) {
	for _, what := range []string{"a run", "of folded journals"} {
		attack(t, what, func(d *world) {
			ref, _ := d.recorded()
			if what == "of folded journals" {
				d.endedRun(ref)
				ref = runlog.EndedPrefix + d.Now().Add(runlog.Rest+time.Hour).Format("2006")
			}
			hub := d.copied()
			d.git("update-ref", "-d", ref)
			hub.put(ref, hub.commit("x", []tree.Hash{hub.ref(ref)}))
			_, err := exchange.Damages(d.Context(), d.Workspace, "origin")
			d.ok(err)
			found, err := exchange.FindJunk(d.Context(), d.Workspace, "origin", nil)
			d.ok(err)
			if len(found) != 1 || found[0].Ref != ref {
				d.Fatalf("found %+v", found)
			}
			if err := exchange.Replace(d.Context(), d.Workspace, "origin", found[0]); err == nil {
				d.succeeds("the records below %s are gone from the hub", ref)
			}
		})
	}
}

// An inbox branch that names nothing, on the hub or here, holds up no other branch.
func TestAttackInboxBranch(t *testing.T) {
	for _, name := range []string{"that names nothing", "without a name"} {
		attack(t, name, func(d *world) {
			hub := d.copied()
			const good, bad = remote.InboxPrefix + "kublai/hum", remote.InboxPrefix + "kublai/bad"
			hub.put(good, hub.main())
			text := ""
			if name == "that names nothing" {
				text = strings.Repeat("12345678", 5) + "\n"
			}
			hub.ok(os.WriteFile(filepath.Join(hub.dir, ".git", bad), []byte(text), 0o600))
			_, problems, err := exchange.TakeInbox(d.Context(), d.Workspace, "origin")
			if err != nil {
				d.succeeds("nothing is taken in: %v", err)
				return
			}
			if _, err := d.Repo.Ref(good); err != nil || len(problems) != 1 {
				d.succeeds("the other branch is not taken in: %v, %v", err, problems)
			}
		})
	}
}

// Records that this clone cannot read are not published, and hold nothing else up.
func TestUnreadableHere(t *testing.T) {
	for name, damage := range junks() {
		attack(t, name, func(d *world) {
			stuck := d.proposed("kublai", skill("clove-hitch"))
			ofRun, trials := d.recorded()
			hub := d.hub()
			other := d.proposed("mongke", skill("sheet-bend"))
			for _, ref := range []string{local.PullPrefix + stuck.ID, ofRun, trials} {
				damage(d, ref)
			}
			out, err := exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
			if err != nil || d.git("-C", hub, "for-each-ref", local.PullPrefix+other.ID) == "" {
				d.succeeds("the other proposal is not published: %v, %+v", err, out.Held)
			}
		})
	}
}
