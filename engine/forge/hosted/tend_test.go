package hosted_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// opened opens a proposal by kublai.
func (w *world) opened(f *hosted.Forge, id string) forge.Pull {
	w.t.Helper()
	base := w.tip(w.clone, "refs/heads/main")
	head := storetest.Commit(w.t, w.clone, base, 100, storetest.Files(names.ProposalPath(id, epoch), id)...) // the file by which main has it
	p, err := f.Open(w.t.Context(), forge.Opening{ID: id, Title: "Add " + id, Body: "Why", Branch: forge.BranchPrefix + id, Base: "main",
		Head: head, Author: w.person("kublai").Actor, At: epoch})
	must(w.t, err)
	return p
}

func (w *world) state(f *hosted.Forge, id string) forge.State {
	w.t.Helper()
	p, err := f.Get(w.t.Context(), id)
	must(w.t, err)
	return p.State
}

// TestTendShowsWhatTheRecordHas: Tend shows records that the service failed to show, and
// closes ended proposals there.
func TestTendShowsWhatTheRecordHas(t *testing.T) {
	w := newWorld(t)
	f, down := w.forge(w.clone, "kublai"), errors.New("bad gateway")
	w.fail(down)
	base := w.tip(w.clone, "refs/heads/main")
	head := storetest.Commit(t, w.clone, base, 100, storetest.Files("skills/a.md", "a")...)
	_, err := f.Open(t.Context(), forge.Opening{ID: "late-00000001", Title: "Late", Branch: "proposal/late-00000001", Base: "main", Head: head, Author: w.person("kublai").Actor, At: epoch})
	if !errors.Is(err, down) {
		t.Fatalf("%v; want the service's failure", err)
	}
	w.fail(nil)
	if p, err := f.Get(t.Context(), "late-00000001"); err != nil || p.Number != 0 {
		t.Fatalf("%+v, %v; want it recorded and not shown", p, err)
	}
	must(t, f.Tend(t.Context()))
	p, err := f.Get(t.Context(), "late-00000001")
	if must(t, err); p.Number == 0 {
		t.Fatal("it is still not shown")
	}
	w.fail(down)
	if err := f.Close(t.Context(), p.ID, forge.Closing{By: p.Author, Why: "withdrawn", At: epoch}); !errors.Is(err, down) {
		t.Fatal(err)
	}
	w.fail(nil)
	must(t, f.Tend(t.Context()))
	if open, err := w.as("x").List(t.Context(), "", true); err != nil || len(open) > 0 {
		t.Errorf("still shown as open: %v, %v", open, err)
	}
	if !w.tip(w.hub, "refs/heads/"+p.Branch).IsZero() {
		t.Error("its branch is still there")
	}
}

// TestClosedByHand: closing a pull request by hand withdraws it; reopening it takes a
// command.
func TestClosedByHand(t *testing.T) {
	w := newWorld(t)
	f := w.forge(w.clone, "kublai")
	p := w.opened(f, "closed-00000001")
	must(t, w.as("temujin").SetOpen(t.Context(), p.Number, false))
	_, err := f.Merge(t.Context(), p.ID, forge.Merge{Head: p.Head, Base: w.tip(w.hub, "refs/heads/main"), Tree: treeOf(t, w.clone, p.Head),
		Title: "Merge", Message: "x\n", By: p.Author, At: epoch, Attestation: []byte("{}")})
	if !errors.Is(err, forge.ErrClosed) {
		t.Fatalf("%v; want that it is closed", err)
	}
	if s := w.state(f, p.ID); s != forge.Closed {
		t.Fatalf("it is %s", s)
	}
	back, err := f.Reopen(t.Context(), p.ID, p.Author, epoch.AddDate(1, 0, 0))
	must(t, err)
	must(t, f.Tend(t.Context()))
	if s := w.state(f, p.ID); s != forge.Open || back.Head != p.Head || w.tip(w.hub, "refs/heads/"+p.Branch) != p.Head {
		t.Errorf("reopened: %s %+v", s, back)
	}
}

// TestMergedThere: a merge by the service's button does not bypass the gate, and the
// error says what to do.
func TestMergedThere(t *testing.T) {
	w := newWorld(t)
	f := w.forge(w.clone, "kublai")
	p := w.opened(f, "button-00000001")
	must(t, w.as("temujin").MarkMerged(t.Context(), p.Number, p.Head))
	if _, err := f.Push(t.Context(), p.ID, forge.Push{By: p.Author, Old: p.Head, New: w.tip(w.hub, "refs/heads/main"), At: epoch}); !errors.Is(err, hosted.ErrMergedThere) {
		t.Errorf("%v", err)
	}
	must(t, f.Comment(t.Context(), p.ID, forge.Comment{By: p.Author, Body: "hm", At: epoch})) // comments are still possible
	if now, err := f.Get(t.Context(), p.ID); err != nil || now.There != p.Head || now.State != forge.Open {
		t.Errorf("%+v, %v", now, err)
	}
	must(t, f.Tend(t.Context())) // status reports it, and passes go on
	must(t, f.Close(t.Context(), p.ID, forge.Closing{By: p.Author, Why: "withdrawn", At: epoch}))
	if s := w.state(f, p.ID); s != forge.Closed {
		t.Errorf("it is %s", s)
	}
}

// TestEndedByAnotherEngine: a merge or closing by another engine is not attributed to a
// person on the service, even in a clone that has not fetched it. No command there
// reopens the pull request or shows it twice.
func TestEndedByAnotherEngine(t *testing.T) {
	ends := map[forge.State]func(*world, *hosted.Forge, forge.Pull) error{
		forge.Merged: func(w *world, f *hosted.Forge, p forge.Pull) error {
			_, err := f.Merge(t.Context(), p.ID, forge.Merge{Head: p.Head, Base: w.tip(w.hub, "refs/heads/main"), Tree: treeOf(t, w.clone, p.Head),
				Title: "Merge", Message: "x\n", By: p.Author, At: epoch, Attestation: []byte("{}")})
			return err
		},
		forge.Closed: func(_ *world, f *hosted.Forge, p forge.Pull) error {
			return f.Close(t.Context(), p.ID, forge.Closing{By: p.Author, Why: "withdrawn", At: epoch})
		},
	}
	late := map[string]func(*hosted.Forge, forge.Pull) error{
		"comment": func(f *hosted.Forge, p forge.Pull) error {
			return f.Comment(t.Context(), p.ID, forge.Comment{By: p.Author, Body: "hm", At: epoch})
		},
		"show": func(f *hosted.Forge, p forge.Pull) error { return hosted.Show(t.Context(), f, p.ID) },
	}
	for state, end := range ends {
		for name, act := range late {
			t.Run(name+" what was "+string(state), func(t *testing.T) {
				w := newWorld(t)
				dir := t.TempDir()
				one := w.forge(w.clone, "kublai")
				p := w.opened(one, "ended-00000001")
				storetest.Git(t, dir, "clone", "-q", w.hub.CommonDir(), "second")
				second, err := gitstore.Open(dir + "/second")
				must(t, err)
				two := w.forge(second, "jochi")
				must(t, two.Refresh(t.Context()))
				must(t, end(w, one, p))
				if err := act(two, p); errors.Is(err, hosted.ErrMergedThere) {
					t.Error(err)
				}
				if s := w.state(two, p.ID); s != state {
					t.Errorf("in the clone that was behind it is %s", s)
				}
				all, err := w.as("x").List(t.Context(), "", false)
				if must(t, err); len(all) != 1 || all[0].Open || all[0].Merged != (state == forge.Merged) {
					t.Errorf("the service shows %+v", all)
				}
			})
		}
	}
}

// TestTwoClones: two clones move main without knowing each other. The second decides
// again on the result of the first, and nothing is lost.
func TestTwoClones(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	storetest.Git(t, dir, "clone", "-q", w.hub.CommonDir(), "second")
	second, err := gitstore.Open(dir + "/second")
	must(t, err)
	one, two := w.forge(w.clone, "kublai"), w.forge(second, "jochi")
	a := w.opened(one, "first-00000001")
	must(t, two.Refresh(t.Context()))
	must(t, two.Comment(t.Context(), a.ID, forge.Comment{By: w.person("jochi").Actor, Body: "seen", At: epoch}))
	must(t, one.Comment(t.Context(), a.ID, forge.Comment{By: a.Author, Body: "thanks", At: epoch}))
	must(t, two.Refresh(t.Context()))
	for name, f := range map[string]*hosted.Forge{"first": one, "second": two} {
		if act, err := f.Activity(t.Context(), a.ID); err != nil || len(act.Comments) != 2 {
			t.Errorf("%s: %d comments, %v", name, len(act.Comments), err)
		}
	}
	b := w.opened(one, "next-00000002")
	must(t, two.Refresh(t.Context()))
	merge := func(f *hosted.Forge, r *gitstore.Repo, p forge.Pull, base tree.Hash) error {
		_, err := f.Merge(t.Context(), p.ID, forge.Merge{Head: p.Head, Base: base, Tree: treeOf(t, r, p.Head),
			Title: "Merge", Message: "x\n", By: p.Author, At: epoch, Attestation: []byte("{}")})
		return err
	}
	base := w.tip(w.hub, "refs/heads/main")
	must(t, merge(one, w.clone, a, base))
	var stale *forge.ErrStale
	if err := merge(two, second, b, base); !errors.As(err, &stale) {
		t.Errorf("a merge upon a main that moved: %v", err)
	}
	if here, there := w.tip(second, "refs/heads/main"), w.tip(w.hub, "refs/heads/main"); here != there {
		t.Errorf("main is %s here and %s there", here.Short(), there.Short())
	}
}

func treeOf(t *testing.T, r *gitstore.Repo, commit tree.Hash) tree.Hash {
	t.Helper()
	c, err := r.Commit(commit)
	must(t, err)
	return c.Tree
}

// TestTendClearsBranches: Tend deletes a branch that an interrupted ending left.
func TestTendClearsBranches(t *testing.T) {
	w := newWorld(t)
	f := w.forge(w.clone, "kublai")
	p := w.opened(f, "left-00000001")
	must(t, f.Close(t.Context(), p.ID, forge.Closing{By: p.Author, Why: "withdrawn", At: epoch}))
	w.put("refs/heads/"+p.Branch, p.Head)
	must(t, f.Tend(t.Context()))
	if !w.tip(w.hub, "refs/heads/"+p.Branch).IsZero() {
		t.Error("its branch is still there")
	}
}

// TestOpenedTwice: engines of several accounts may open pull requests for one branch at
// the same moment, if the service permits it. The newest stays and counts.
func TestOpenedTwice(t *testing.T) {
	w := newWorld(t)
	f := w.forge(w.clone, "kublai")
	p := w.opened(f, "twice-00000001")
	second := w.beside(host.New{Branch: p.Branch, Base: p.Base, Title: p.Title})
	must(t, f.Tend(t.Context()))
	open, err := w.as("x").List(t.Context(), "", true)
	if must(t, err); len(open) != 1 || open[0].Number != second {
		t.Errorf("open are %+v; want #%d alone", open, second)
	}
	if s := w.state(f, p.ID); s != forge.Open {
		t.Errorf("it is %s", s)
	}
}

// TestEditedByHand: Tend restores the text of a pull request that was edited by hand.
func TestEditedByHand(t *testing.T) {
	w := newWorld(t)
	f := w.forge(w.clone, "kublai")
	p := w.opened(f, "edited-00000001")
	service := w.as("temujin")
	must(t, service.Describe(t.Context(), p.Number, "Harmless", "Nothing to see."))
	must(t, f.Tend(t.Context()))
	r, err := service.Find(t.Context(), p.Branch, p.Base)
	if must(t, err); r.Title != p.Title || !strings.Contains(r.Body, "Why") {
		t.Errorf("it shows %q, %q", r.Title, r.Body)
	}
}
