package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/forgetest"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// folding is the embedded forge with constant maintenance: before and after each call it
// folds every ended pull request and drops its ref.
type folding struct {
	*local.Forge
	t    *testing.T
	tidy func()
}

func newFolding(t *testing.T, r *gitstore.Repo) *folding {
	f := local.New(r)
	var hours atomic.Int64 // the suite calls from several goroutines at once
	return &folding{f, t, func() {
		t.Helper()
		away(t, f, epoch.Add(time.Duration(hours.Add(1))*time.Hour))
	}}
}

// away folds every ended pull request and drops its ref, as two passes of maintenance do.
func away(t *testing.T, f *local.Forge, at time.Time) {
	t.Helper()
	if _, err := f.Archive().Fold(context.WithoutCancel(t.Context()), at, 1<<20, nil); err != nil {
		if _, world := forge.Damages(err); world != nil {
			t.Error(world)
		}
	}
	if _, err := f.Archive().Drop(t.Context(), at.Add(journal.Settling), 1<<20); err != nil {
		t.Error(err)
	}
}

func (f *folding) Open(ctx context.Context, req forge.Opening) (forge.Pull, error) {
	f.tidy()
	defer f.tidy()
	return f.Forge.Open(ctx, req)
}

func (f *folding) Push(ctx context.Context, id string, push forge.Push) (forge.Pull, error) {
	f.tidy()
	defer f.tidy()
	return f.Forge.Push(ctx, id, push)
}

func (f *folding) Comment(ctx context.Context, id string, c forge.Comment) error {
	f.tidy()
	defer f.tidy()
	return f.Forge.Comment(ctx, id, c)
}

func (f *folding) Merge(ctx context.Context, id string, m forge.Merge) (tree.Hash, error) {
	f.tidy()
	defer f.tidy()
	return f.Forge.Merge(ctx, id, m)
}

func (f *folding) Close(ctx context.Context, id string, c forge.Closing) error {
	f.tidy()
	defer f.tidy()
	return f.Forge.Close(ctx, id, c)
}

func (f *folding) Reopen(ctx context.Context, id string, by forge.Actor, at time.Time) (forge.Pull, error) {
	f.tidy()
	defer f.tidy()
	return f.Forge.Reopen(ctx, id, by, at)
}

// TestConformanceWhileFolding: the suite passes while folding happens between and beside
// its calls. After an interruption, the next call folds the rest.
func TestConformanceWhileFolding(t *testing.T) {
	folds := 0
	forgetest.Run(t, func(t *testing.T) forgetest.Harness {
		r := newRepo(t)
		h := harness(t, r, func() forge.Forge { return newFolding(t, r) })
		h.Interrupt = func(t *testing.T, at forgetest.Point, id string, do func(forge.Forge)) {
			interrupt(t, r, at, id, func() { do(local.New(r)) })
		}
		t.Cleanup(func() {
			if _, err := r.Ref(local.ClosedPrefix + "2026"); err == nil {
				folds++
			}
			git(t, r, "fsck", "--strict")
		})
		return h
	})
	if folds < 10 {
		t.Errorf("something was folded in %d tests only", folds)
	}
}

func git(t testing.TB, r *gitstore.Repo, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: interoperation is not tested")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Root()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestFoldedReadsTheSame: reading gives the same result before and after folding.
func TestFoldedReadsTheSame(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	who := forge.Actor{Name: "kublai"}
	open := opened(t, f, r, "open")
	merged := opened(t, f, r, "merged")
	closed := opened(t, f, r, "closed")
	must(t, f.Comment(t.Context(), closed.ID, forge.Comment{By: who, Body: "why not", At: epoch}))
	_, err := f.Merge(t.Context(), merged.ID, merging(t, r, merged.ID))
	must(t, err)
	must(t, f.Close(t.Context(), closed.ID, forge.Closing{By: who, Why: "withdrawn", Note: "later", At: epoch}))
	type seen struct {
		Pulls      map[string]forge.Pull
		Activities map[string]forge.Activity
		Lists      map[forge.State][]forge.Pull
	}
	look := func() seen {
		t.Helper()
		s := seen{map[string]forge.Pull{}, map[string]forge.Activity{}, map[forge.State][]forge.Pull{}}
		for _, id := range []string{open.ID, merged.ID, closed.ID} {
			s.Pulls[id], err = f.Get(t.Context(), id)
			must(t, err)
			s.Activities[id], err = f.Activity(t.Context(), id)
			must(t, err)
		}
		for _, state := range []forge.State{"", forge.Open, forge.Merged, forge.Closed} {
			s.Lists[state], err = f.List(t.Context(), forge.Filter{State: state})
			must(t, err)
		}
		return s
	}
	before := look()
	if n, err := f.Archive().Fold(t.Context(), epoch, 100, nil); n != 2 || err != nil {
		t.Fatalf("%d folded, %v", n, err)
	}
	if diff := cmp.Diff(before, look()); diff != "" {
		t.Errorf("folded, with refs\n%s", diff)
	}
	away(t, f, epoch.Add(time.Hour))
	if n, err := f.Archive().Standing(); n != 1 || err != nil {
		t.Errorf("%d stand, %v; want the open one", n, err)
	}
	git(t, r, "gc", "--quiet", "--prune=now")
	if diff := cmp.Diff(before, look()); diff != "" {
		t.Errorf("folded, without refs\n%s", diff)
	}
	again, err := f.Open(t.Context(), forge.Opening{ID: closed.ID, Title: "x", Branch: closed.Branch, Base: "main", Head: closed.Head, Author: who, At: epoch})
	if err != nil || again.State != forge.Closed {
		t.Errorf("opening a folded one again gave %v, %v", again.State, err)
	}
	_, err = f.Open(t.Context(), forge.Opening{ID: closed.ID, Title: "x", Branch: closed.Branch, Base: "main", Head: open.Head, Author: who, At: epoch})
	if !errors.Is(err, forge.ErrExists) {
		t.Errorf("opening something else by its id gave %v", err)
	}
}

// tampered rewrites the only record of a line.
func tampered(t *testing.T, r *gitstore.Repo, change func(map[string]any)) {
	t.Helper()
	at := tip(t, r, local.ClosedPrefix+"2026")
	c, err := r.Commit(at)
	must(t, err)
	view, err := r.Snapshot(at)
	must(t, err)
	var edits []tree.Edit
	must(t, tree.Files(view, "", func(e tree.Entry) error {
		data, err := r.Blob(e.Hash)
		must(t, err)
		var v map[string]any
		must(t, json.Unmarshal(data, &v))
		change(v)
		data, err = json.Marshal(v)
		edits = append(edits, tree.Edit{Path: e.Path, Content: data})
		return err
	}))
	c.Tree, err = r.WriteTree(c.Tree, edits)
	must(t, err)
	c.Parents = []tree.Hash{at}
	h, err := r.WriteCommit(c, nil)
	must(t, err)
	put(t, r, local.ClosedPrefix+"2026", h)
}

// TestFalseRecords: a record counts only if the journal confirms it. Its head must be the
// ended journal of that pull request, and the summary must match.
func TestFalseRecords(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(v map[string]any, other, opened tree.Hash)
		listed bool // lists believe the summary
	}{
		"the head of another":      {func(v map[string]any, other, _ tree.Hash) { v["head"] = other.String() }, true},
		"the head before it ended": {func(v map[string]any, _, opened tree.Hash) { v["head"] = opened.String() }, true},
		"another title":            {func(v map[string]any, _, _ tree.Hash) { v["summary"].(map[string]any)["title"] = "Trust me" }, true},
		"another state":            {func(v map[string]any, _, _ tree.Hash) { v["summary"].(map[string]any)["state"] = "merged" }, true},
		"no end":                   {func(v map[string]any, _, _ tree.Hash) { v["summary"].(map[string]any)["state"] = "open" }, false},
		"the summary of another":   {func(v map[string]any, _, _ tree.Hash) { v["summary"].(map[string]any)["id"] = "other-00000001" }, false},
		"no summary":               {func(v map[string]any, _, _ tree.Hash) { v["summary"] = 7 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			f := local.New(r)
			p := opened(t, f, r, "victim")
			before := tip(t, r, local.PullPrefix+p.ID)
			must(t, f.Close(t.Context(), p.ID, forge.Closing{By: p.Author, Why: "withdrawn", At: epoch}))
			away(t, f, epoch)
			other := opened(t, f, r, "other")
			must(t, f.Close(t.Context(), other.ID, forge.Closing{By: p.Author, Why: "withdrawn", At: epoch}))
			tampered(t, r, func(v map[string]any) { tc.change(v, tip(t, r, local.PullPrefix+other.ID), before) })
			var damaged *forge.Damaged
			if got, err := f.Get(t.Context(), p.ID); !errors.As(err, &damaged) || damaged.ID != p.ID {
				t.Errorf("it reads as %v, %v", got, err)
			}
			if _, err := f.Activity(t.Context(), p.ID); !errors.As(err, &damaged) {
				t.Errorf("its activity gave %v", err)
			}
			_, err := f.List(t.Context(), forge.Filter{})
			if bad, world := forge.Damages(err); world != nil || (len(bad) == 0) != tc.listed {
				t.Errorf("the list gave %v, %v", bad, world)
			}
			if got, err := f.Get(t.Context(), other.ID); err != nil || got.State != forge.Closed {
				t.Errorf("the other reads as %v, %v", got, err)
			}
		})
	}
}

// TestUnrecordedMergeIsNotFolded: a merge is not folded before its journal records it.
// One case is an interrupted merge, the other a merge of a closed proposal.
func TestUnrecordedMergeIsNotFolded(t *testing.T) {
	for name, cut := range map[string]func(*gitstore.Repo, *local.Forge, forge.Pull){
		"cut": func(r *gitstore.Repo, f *local.Forge, p forge.Pull) {
			interrupt(t, r, forgetest.MergeMoved, p.ID, func() {
				_, err := f.Merge(t.Context(), p.ID, merging(t, r, p.ID))
				must(t, err)
			})
		},
		"closed": func(r *gitstore.Repo, f *local.Forge, p forge.Pull) {
			interrupt(t, r, forgetest.MergeAnnounced, p.ID, func() {
				_, err := f.Merge(t.Context(), p.ID, merging(t, r, p.ID))
				must(t, err)
			})
			a, err := f.Activity(t.Context(), p.ID)
			must(t, err)
			must(t, f.Close(t.Context(), p.ID, forge.Closing{By: p.Author, Why: "withdrawn", At: epoch}))
			put(t, r, "refs/heads/main", a.Merges[0].Commit)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			f := local.New(r)
			p := opened(t, f, r, "cut")
			cut(r, f, p)
			if n, err := f.Archive().Fold(t.Context(), epoch, 100, nil); n != 0 || err != nil {
				t.Errorf("%d folded, %v", n, err)
			}
			must(t, f.Comment(t.Context(), p.ID, forge.Comment{By: p.Author, Body: "hm", At: epoch}))
			if n, err := f.Archive().Fold(t.Context(), epoch, 100, nil); n != 1 || err != nil {
				t.Errorf("%d folded, %v", n, err)
			}
		})
	}
}

// TestFoldBesideDamage: a damaged journal does not prevent folding of the others.
func TestFoldBesideDamage(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	first, good, last := opened(t, f, r, "bad"), opened(t, f, r, "good"), opened(t, f, r, "worse")
	for _, bad := range []forge.Pull{first, last} {
		forged(t, r, bad.ID, "opened", map[string]string{"State": "closed"})
	}
	must(t, f.Close(t.Context(), good.ID, forge.Closing{By: good.Author, Why: "withdrawn", At: epoch}))
	n, err := f.Archive().Fold(t.Context(), epoch, 100, nil)
	if damages, world := forge.Damages(err); n != 1 || world != nil || len(damages) != 2 || damages[0].ID != first.ID || damages[1].ID != last.ID {
		t.Errorf("%d folded, %v, %v", n, damages, world)
	}
}

// manyClosed returns a repository with n closed pull requests.
func manyClosed(b *testing.B, n int) *gitstore.Repo {
	b.Helper()
	b.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	r, err := gitstore.Init(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	who := gitstore.Person{Name: "Jochi", When: epoch}
	root, err := r.WriteTree(tree.Hash{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	head, err := r.WriteCommit(gitstore.Commit{Tree: root, Author: who, Committer: who, Message: "Begin\n"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	var moves []gitstore.RefUpdate
	for i := range n {
		id := fmt.Sprintf("many-%08d", i)
		opened := map[string]string{"Title": "Add it", "Branch": "proposal/" + id, "Base": "main", "Head": head.String(), "State": "open"}
		var parents []tree.Hash
		for seq, kind := range []string{"opened", "comment", "report", "closed"} {
			fields := map[string]string{"Head": head.String(), "Base-Commit": head.String(), "State": "open"}
			switch kind {
			case "opened":
				fields = opened
			case "closed":
				fields = map[string]string{"Why": "withdrawn", "State": "closed"}
			}
			message := fmt.Sprintf("%s: by kublai\n\nAssent-Journal: 1\nAssent-Sequence: %d\nAssent-Event: %s\nAssent-At: 2026-03-10T09:00:00Z\nAssent-By: kublai\n", kind, seq+1, kind)
			for key, value := range fields {
				message += key + ": " + value + "\n"
			}
			h, err := r.WriteCommit(gitstore.Commit{Tree: root, Parents: parents, Author: who, Committer: who, Message: message}, nil)
			if err != nil {
				b.Fatal(err)
			}
			parents = []tree.Hash{h}
		}
		moves = append(moves, gitstore.RefUpdate{Name: local.PullPrefix + id, New: parents[0]})
		if len(moves) == 1000 || i == n-1 {
			if err := r.Update(moves...); err != nil {
				b.Fatal(err)
			}
			moves = nil
		}
	}
	return r
}

// BenchmarkFold folds n ended pull requests and drops their refs. One operation is one
// pull request.
func BenchmarkFold(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				r := manyClosed(b, n)
				f := local.New(r)
				b.StartTimer()
				folded, err := f.Archive().Fold(b.Context(), epoch, n, nil)
				if err == nil {
					_, err = f.Archive().Drop(b.Context(), epoch.Add(time.Hour), n)
				}
				if err != nil || folded != n {
					b.Fatal(folded, err)
				}
				b.StopTimer()
				b.ReportMetric(float64(len(strings.Split(git(b, r, "ls-remote", "."), "\n"))), "refs")
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/fold")
		})
	}
}

// BenchmarkFolded reads pull requests before and after folding: one, the list of open
// ones, and the list of ended ones.
func BenchmarkFolded(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		r := manyClosed(b, n)
		git(b, r, "repack", "-adq")
		git(b, r, "pack-refs", "--all")
		f := local.New(r)
		read := func(how string) {
			b.Run(fmt.Sprintf("get-%d-%s", n, how), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					if _, err := f.Get(b.Context(), fmt.Sprintf("many-%08d", i*7919%n)); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("list-open-%d-%s", n, how), func(b *testing.B) {
				for b.Loop() {
					if _, err := f.List(b.Context(), forge.Filter{State: forge.Open}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("list-closed-%d-%s", n, how), func(b *testing.B) {
				for b.Loop() {
					if all, err := f.List(b.Context(), forge.Filter{State: forge.Closed}); err != nil || len(all) != n {
						b.Fatal(len(all), err)
					}
				}
			})
		}
		read("peer")
		if _, err := f.Archive().Fold(b.Context(), epoch, n, nil); err != nil {
			b.Fatal(err)
		}
		if _, err := f.Archive().Drop(b.Context(), epoch.Add(time.Hour), n); err != nil {
			b.Fatal(err)
		}
		git(b, r, "repack", "-adq")
		f = local.New(r)
		read("folded")
	}
}
