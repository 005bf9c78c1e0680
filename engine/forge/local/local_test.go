package local_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/forgetest"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// child writes a commit on parent.
func child(t *testing.T, r *gitstore.Repo, parent tree.Hash, content string) tree.Hash {
	t.Helper()
	c, err := r.Commit(parent)
	must(t, err)
	top, err := r.WriteTree(c.Tree, []tree.Edit{{Path: "skills/x.md", Content: []byte(content)},
		{Path: names.ProposalPath(content+"-00000001", epoch), Content: []byte(content)}})
	must(t, err)
	who := gitstore.Person{Name: "Kublai", Email: "kublai@agents.invalid", When: epoch}
	h, err := r.WriteCommit(gitstore.Commit{Tree: top, Parents: []tree.Hash{parent}, Author: who, Committer: who, Message: "Change\n"}, nil)
	must(t, err)
	return h
}

func opening(t *testing.T, r *gitstore.Repo, slug string) forge.Opening {
	t.Helper()
	id := slug + "-00000001"
	return forge.Opening{ID: id, Title: "Add " + slug, Branch: forge.BranchPrefix + id, Base: "main",
		Head: child(t, r, tip(t, r, "refs/heads/main"), slug), Author: forge.Actor{Name: "kublai"}, At: epoch}
}

func opened(t *testing.T, f *local.Forge, r *gitstore.Repo, slug string) forge.Pull {
	t.Helper()
	p, err := f.Open(t.Context(), opening(t, r, slug))
	must(t, err)
	return p
}

func merging(t *testing.T, r *gitstore.Repo, id string) forge.Merge {
	t.Helper()
	head := tip(t, r, "refs/heads/proposal/"+id)
	c, err := r.Commit(head)
	must(t, err)
	return forge.Merge{Head: head, Base: tip(t, r, "refs/heads/main"), Tree: c.Tree, Title: "Merge " + id,
		By: forge.Actor{Name: "jochi"}, At: epoch}
}

func openIDs(t *testing.T, f *local.Forge) []string {
	t.Helper()
	pulls, err := f.List(t.Context(), forge.Filter{State: forge.Open})
	must(t, err)
	var out []string
	for _, p := range pulls {
		out = append(out, p.ID)
	}
	return out
}

// TestBranchDeletedByHand: deleting a branch loses nothing. The journal keeps the
// commits, and the pull request can be found, merged, closed or pushed to.
func TestBranchDeletedByHand(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	p := opened(t, f, r, "orphan")
	branch := "refs/heads/" + p.Branch
	drop := func() { t.Helper(); must(t, r.Update(gitstore.RefUpdate{Name: branch, Any: true})) }
	drop()
	now, err := f.Get(t.Context(), p.ID)
	must(t, err)
	if diff := cmp.Diff(p, now); diff != "" {
		t.Errorf("without its branch it reads differently\n%s", diff)
	}
	if diff := cmp.Diff([]string{p.ID}, openIDs(t, f)); diff != "" {
		t.Error(diff)
	}
	again, err := f.Reopen(t.Context(), p.ID, p.Author, epoch)
	if err != nil || again.Head != p.Head || tip(t, r, branch) != p.Head {
		t.Errorf("reopening gave %v, %v; branch %s", again, err, tip(t, r, branch).Short())
	}
	drop()
	next := child(t, r, p.Head, "next")
	_, err = f.Push(t.Context(), p.ID, forge.Push{By: p.Author, Old: p.Head, New: next, At: epoch})
	if err != nil || tip(t, r, branch) != next {
		t.Errorf("a push gave %v; branch %s", err, tip(t, r, branch).Short())
	}
	m := merging(t, r, p.ID)
	drop()
	if _, err := f.Merge(t.Context(), p.ID, m); err != nil {
		t.Error(err)
	}
}

// forged appends an event directly, as an attacker with a shell can.
func forged(t *testing.T, r *gitstore.Repo, id, kind string, fields map[string]string) {
	t.Helper()
	_, err := journal.Append(r, local.PullPrefix+id, func([]journal.Event) (*journal.Event, error) {
		return &journal.Event{Kind: kind, At: epoch, By: "mallory", Fields: fields}, nil
	})
	must(t, err)
}

func TestLaterEventsAreCarried(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	p := opened(t, f, r, "later")
	forged(t, r, p.ID, "sung-about", map[string]string{"Song": "la"})
	must(t, f.Comment(t.Context(), p.ID, forge.Comment{By: p.Author, Body: "nice song", At: epoch}))
	a, err := f.Activity(t.Context(), p.ID)
	if err != nil || len(a.Comments) != 1 {
		t.Errorf("%v, %v", a.Comments, err)
	}
	if diff := cmp.Diff([]string{p.ID}, openIDs(t, f)); diff != "" {
		t.Error(diff)
	}
}

// TestDamaged: damaged journals are named with their refs, and the others are still
// listed.
func TestDamaged(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	good := opened(t, f, r, "good")
	var bad []string
	for name, damage := range map[string]func(id string){
		"no journal":     func(id string) { put(t, r, local.PullPrefix+id, good.Head) },
		"no hash":        func(id string) { forged(t, r, id, "pushed", map[string]string{"Head": "x"}) },
		"opened twice":   func(id string) { forged(t, r, id, "opened", map[string]string{"Head": good.Head.String()}) },
		"never opened":   func(id string) { drop(t, r, id); forged(t, r, id, "comment", nil) },
		"another branch": func(id string) { drop(t, r, id); forged(t, r, id, "opened", opens(good.Head, "main", "main")) },
		"an odd base":    func(id string) { drop(t, r, id); forged(t, r, id, "opened", opens(good.Head, "proposal/"+id, "../x")) },
		"merged, undone": func(id string) { merges(t, f, r, forge.Pull{ID: id}); forged(t, r, id, "reopened", nil) },
		"merged as another": func(id string) {
			before := tip(t, r, "refs/heads/main")
			merges(t, f, r, forge.Pull{ID: id})
			forged(t, r, id, "merged", map[string]string{"Commit": before.String()})
		},
		"an empty ref":    func(id string) { overwrite(t, r, id, "") },
		"a garbage ref":   func(id string) { overwrite(t, r, id, "ref: ../x\n") },
		"a tree, no blob": func(id string) { put(t, r, local.PullPrefix+id, treeOf(t, r, good.Head)) },
	} {
		p := opened(t, f, r, strings.NewReplacer(" ", "-", ",", "").Replace(name))
		damage(p.ID)
		bad = append(bad, p.ID)
		_, err := f.Get(t.Context(), p.ID)
		var d *forge.Damaged
		if !errors.As(err, &d) || d.ID != p.ID || d.Where != local.PullPrefix+p.ID || !strings.Contains(err.Error(), d.Where) {
			t.Errorf("%s: %v; want Damaged", name, err)
		}
		err = f.Comment(t.Context(), p.ID, forge.Comment{By: p.Author, Body: "hello", At: epoch})
		if !errors.As(err, &d) {
			t.Errorf("%s: commenting gave %v; want Damaged", name, err)
		}
	}
	put(t, r, local.PullPrefix+"not an id"[:3], good.Head)
	pulls, err := f.List(t.Context(), forge.Filter{})
	if len(pulls) != 1 || pulls[0].ID != good.ID {
		t.Errorf("%d pull requests are listed, want the good one", len(pulls))
	}
	if strings.Contains(fmt.Sprint(err), local.PullPrefix+"not:") || strings.Contains(fmt.Sprint(err), local.PullPrefix+"not ") {
		t.Errorf("a ref whose name is no id is listed: %v", err)
	}
	for _, id := range bad {
		if err == nil || !strings.Contains(err.Error(), local.PullPrefix+id+" ") {
			t.Errorf("%s is not named by %v", id, err)
		}
	}
	if tip(t, r, "refs/heads/main").IsZero() {
		t.Error("main is gone")
	}
}

// overwrite replaces the ref of a journal with text.
func overwrite(t *testing.T, r *gitstore.Repo, id, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(r.CommonDir(), filepath.FromSlash(local.PullPrefix+id)), []byte(text), 0o644))
}

func drop(t *testing.T, r *gitstore.Repo, id string) {
	t.Helper()
	must(t, r.Update(gitstore.RefUpdate{Name: local.PullPrefix + id, Any: true}))
}

func opens(head tree.Hash, branch, base string) map[string]string {
	return map[string]string{"Head": head.String(), "Branch": branch, "Base": base, "Title": "x"}
}

// TestClaims: only main and closing events end a pull request, whatever an event claims.
func TestClaims(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	other := opened(t, f, r, "other")
	merges(t, f, r, other)
	main := tip(t, r, "refs/heads/main")
	beside := child(t, r, main, "beside")
	for name, claim := range map[string]struct {
		kind   string
		fields map[string]string
		claims tree.Hash
	}{
		"merged nowhere":    {"merged", fieldsOf(tree.BlobHash([]byte("nowhere")), "merged"), tree.BlobHash([]byte("nowhere"))},
		"merged beside":     {"merged", fieldsOf(beside, "merged"), beside},
		"merged as another": {"merged", fieldsOf(main, "merged"), main},
		"announced":         {"merging", fieldsOf(main, "open"), tree.Hash{}},
		"said merged":       {"comment", fieldsOf(main, "merged"), tree.Hash{}},
		"said closed":       {"comment", fieldsOf(main, "closed"), tree.Hash{}},
		"of a later kind":   {"sung-about", fieldsOf(main, "closed"), tree.Hash{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := opened(t, f, r, "claimed-"+strings.ReplaceAll(name, " ", "-"))
			forged(t, r, p.ID, claim.kind, claim.fields)
			now, err := f.Get(t.Context(), p.ID)
			must(t, err)
			if now.State != forge.Open || now.Claimed != claim.claims {
				t.Errorf("it is %s and claims %s", now.State, now.Claimed.Short())
			}
			if !slices.Contains(openIDs(t, f), p.ID) {
				t.Error("it is not listed")
			}
			merges(t, f, r, p)
			now, err = f.Get(t.Context(), p.ID)
			must(t, err)
			if now.State != forge.Merged || now.Merge != tip(t, r, "refs/heads/main") || !now.Claimed.IsZero() {
				t.Errorf("merged, it is %s by %s and claims %s", now.State, now.Merge.Short(), now.Claimed.Short())
			}
			if slices.Contains(openIDs(t, f), p.ID) {
				t.Error("it is still listed")
			}
		})
	}
}

func fieldsOf(commit tree.Hash, state string) map[string]string {
	return map[string]string{"Commit": commit.String(), "State": state}
}

func treeOf(t *testing.T, r *gitstore.Repo, commit tree.Hash) tree.Hash {
	t.Helper()
	c, err := r.Commit(commit)
	must(t, err)
	return c.Tree
}

// TestListOpenReadsNoClosedJournal: listing open pull requests reads only the last event
// of each ended one, and so does not notice the damage below it.
func TestListOpenReadsNoClosedJournal(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	p, open := opened(t, f, r, "ended"), opened(t, f, r, "open")
	must(t, f.Close(t.Context(), p.ID, forge.Closing{By: p.Author, Why: "expired", At: epoch}))
	c, err := r.Commit(tip(t, r, local.PullPrefix+p.ID))
	must(t, err)
	c.Parents = []tree.Hash{open.Head} // no event
	h, err := r.WriteCommit(c, nil)
	must(t, err)
	put(t, r, local.PullPrefix+p.ID, h)
	if diff := cmp.Diff([]string{open.ID}, openIDs(t, f)); diff != "" {
		t.Error(diff)
	}
	if _, err := f.List(t.Context(), forge.Filter{}); err == nil {
		t.Error("listing everything does not notice the damage: the test proves nothing")
	}
}

// TestHostileNames: a name may hold anything. The record keeps it, and it adds no line to
// a commit.
func TestHostileNames(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	for i, name := range []string{
		"Eve <jochi@example.org>", "a\nAssent-By: jochi", "<>", " ", "\x00", "\x1b[2J", ".,:;", "\"", strings.Repeat("x", 10_000), "日本語", "a\r\nb", "",
	} {
		req := opening(t, r, fmt.Sprintf("name-%d", i))
		req.Author = forge.Actor{Name: name, Login: "l" + name, Email: "e" + name}
		if strings.ContainsRune(name, 0) || len(name) > forge.MaxName {
			if _, err := f.Open(t.Context(), req); !errors.Is(err, forge.ErrRequest) {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		p, err := f.Open(t.Context(), req)
		must(t, err)
		if diff := cmp.Diff(req.Author, p.Author); diff != "" {
			t.Errorf("%q comes back differently\n%s", name, diff)
		}
		m := merging(t, r, p.ID)
		m.By = req.Author
		commit, err := f.Merge(t.Context(), p.ID, m)
		must(t, err)
		for _, ref := range []tree.Hash{commit, tip(t, r, local.PullPrefix+p.ID)} {
			c, err := r.Commit(ref)
			must(t, err)
			if strings.ContainsAny(c.Author.Name, "<>\n\r\x1b") || c.Author.Name == "" || strings.Contains(c.Author.Name, "jochi@") && c.Author.Email == "jochi@example.org" {
				t.Errorf("%q makes the author %q <%s>", name, c.Author.Name, c.Author.Email)
			}
		}
	}
}

// TestSeveralProcesses merges into one main from several processes, each with its own
// view of the repository.
func TestSeveralProcesses(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	const n = 4
	var ids []string
	for i := range n {
		ids = append(ids, opened(t, f, r, fmt.Sprintf("process-%d", i)).ID)
	}
	errs := make([]error, n)
	var all sync.WaitGroup
	for i, id := range ids {
		own, err := gitstore.Open(r.Root())
		must(t, err)
		all.Go(func() { errs[i] = mergeUntilDone(t, own, id) })
	}
	all.Wait()
	must(t, errors.Join(errs...))
	count := 0
	must(t, r.FirstParents(tip(t, r, "refs/heads/main"), func(gitstore.Commit) (bool, error) { count++; return true, nil }))
	if count != n+1 {
		t.Errorf("main has %d commits, want %d", count, n+1)
	}
}

func mergeUntilDone(t *testing.T, r *gitstore.Repo, id string) error {
	f := local.New(r)
	for {
		p, err := f.Get(t.Context(), id)
		if err != nil {
			return err
		}
		base, err := r.Ref("refs/heads/main")
		if err != nil {
			return err
		}
		head, err := r.Commit(p.Head)
		if err != nil {
			return err
		}
		_, err = f.Merge(t.Context(), id, forge.Merge{Head: p.Head, Base: base, Tree: head.Tree, Title: "Merge " + id, By: p.Author, At: epoch})
		var stale *forge.ErrStale
		if !errors.As(err, &stale) {
			return err
		}
	}
}

// TestCatchesUpWithMain: the next operation records an interrupted merge, so that lists
// of open pull requests stop comparing it with main.
func TestCatchesUpWithMain(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	p := opened(t, f, r, "cut")
	m := merging(t, r, p.ID)
	interrupt(t, r, forgetest.MergeMoved, p.ID, func() {
		_, err := f.Merge(t.Context(), p.ID, m)
		must(t, err)
	})
	must(t, f.Comment(t.Context(), p.ID, forge.Comment{By: p.Author, Body: "well?", At: epoch}))
	events, err := journal.Read(r, local.PullPrefix+p.ID)
	must(t, err)
	var kinds []string
	for _, ev := range events {
		kinds = append(kinds, ev.Kind)
	}
	if diff := cmp.Diff([]string{"opened", "merging", "merged", "comment"}, kinds); diff != "" {
		t.Error(diff)
	}
	if !tip(t, r, "refs/heads/"+p.Branch).IsZero() {
		t.Error("the branch is still there")
	}
}
