package journal_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

var (
	shelf = journal.Shelf{Live: "refs/assent/pulls/", Lines: journal.Lines{Folded: "refs/assent/closed/"}}
	began = time.Date(2026, 12, 31, 9, 0, 0, 0, time.UTC)
)

// put appends an event to a journal, folded or not.
func put(t *testing.T, r *gitstore.Repo, name, kind string) journal.Event {
	t.Helper()
	e, err := shelf.AppendWith(r, name, func(history []journal.Event) (*journal.Event, journal.Moves, error) {
		return event(kind, int64(len(history))), journal.Moves{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// fold folds journals in their current state.
func fold(t *testing.T, r *gitstore.Repo, at time.Time, names ...string) int {
	t.Helper()
	var entries []journal.Entry
	for _, name := range names {
		events, err := shelf.Read(r, name)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, journal.Entry{Name: name, Head: events[len(events)-1].Commit,
			Summary: json.RawMessage(fmt.Sprintf(`{"events":%d}`, len(events)))})
	}
	n, err := shelf.Fold(r, at, entries)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func drop(t *testing.T, r *gitstore.Repo, now time.Time) (dropped, waiting int) {
	t.Helper()
	out, err := shelf.Drop(r, now, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return out.Removed, out.Waiting
}

// foldAndDrop folds journals and removes their refs.
func foldAndDrop(t *testing.T, r *gitstore.Repo, at time.Time, names ...string) {
	t.Helper()
	fold(t, r, at, names...)
	drop(t, r, at.Add(journal.Settling))
	for _, name := range names {
		if _, err := r.Ref(shelf.Ref(name)); !errors.Is(err, gitstore.ErrNoRef) {
			t.Fatalf("%s still has a ref: %v", name, err)
		}
	}
}

func kinds(t *testing.T, r *gitstore.Repo, name string) string {
	t.Helper()
	events, err := shelf.Read(r, name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		out = append(out, e.Kind)
	}
	return strings.Join(out, " ")
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestFoldedJournalsGoOn: a folded journal reads as before, survives git gc, and can be
// appended to.
func TestFoldedJournalsGoOn(t *testing.T) {
	r := newRepo(t)
	for _, name := range []string{"a", "b", "c"} {
		put(t, r, name, "opened")
		put(t, r, name, "closed")
	}
	same(t, "folded", fold(t, r, began, "a", "b"), 2)
	same(t, "folded again", fold(t, r, began, "a", "b"), 0)
	dropped, waiting := drop(t, r, began.Add(journal.Settling-time.Second))
	same(t, "dropped before the fold is settled", dropped, 0)
	same(t, "waiting", waiting, 2)
	dropped, _ = drop(t, r, began.Add(journal.Settling))
	same(t, "dropped", dropped, 2)
	gitOut(t, r.Root(), "gc", "--quiet", "--prune=now")
	gitOut(t, r.Root(), "fsck", "--strict")
	same(t, "refs", gitOut(t, r.Root(), "for-each-ref", "--format=%(refname)"), "refs/assent/closed/2026\nrefs/assent/pulls/c")
	same(t, "a", kinds(t, r, "a"), "opened closed")
	if _, rec, err := shelf.Find(r, "b"); err != nil || string(rec.Summary) != `{"events":2}` || rec.Line != "refs/assent/closed/2026" {
		t.Errorf("the record of b: %+v, %v", rec, err)
	}

	put(t, r, "a", "reopened")
	same(t, "a, reopened", kinds(t, r, "a"), "opened closed reopened")
	if _, rec, err := shelf.Find(r, "a"); err != nil || rec.Name != "" {
		t.Errorf("a reopened one is told to be folded: %+v, %v", rec, err)
	}
	dropped, waiting = drop(t, r, began.Add(time.Hour))
	same(t, "dropped or waiting while it is ahead of its record", dropped+waiting, 0)
	put(t, r, "a", "closed")
	next := began.AddDate(0, 1, 0)
	foldAndDrop(t, r, next, "a")
	same(t, "the years", gitOut(t, r.Root(), "for-each-ref", "--format=%(refname)", "refs/assent/closed"), "refs/assent/closed/2026\nrefs/assent/closed/2027")
	same(t, "a, folded twice", kinds(t, r, "a"), "opened closed reopened closed")

	foldAndDrop(t, r, began.AddDate(-3, 0, 0), "c") // a clock that is behind
	same(t, "lines after a clock went back", gitOut(t, r.Root(), "for-each-ref", "--format=%(refname)"), "refs/assent/closed/2026\nrefs/assent/closed/2027")
	gitOut(t, r.Root(), "gc", "--quiet", "--prune=now")
	gitOut(t, r.Root(), "fsck", "--strict")
	same(t, "c", kinds(t, r, "c"), "opened closed")
	same(t, "one that never was", kinds(t, r, "d"), "")
}

// TestFoldDuringAppend: while an append is decided, others append, fold and remove the ref. The
// ref looks unchanged, but the event must not fork the journal.
func TestFoldDuringAppend(t *testing.T) {
	for _, foldedBefore := range []bool{false, true} {
		r := newRepo(t)
		put(t, r, "a", "opened")
		if foldedBefore {
			foldAndDrop(t, r, began, "a")
		}
		calls := 0
		_, err := shelf.AppendWith(r, "a", func(history []journal.Event) (*journal.Event, journal.Moves, error) {
			if calls++; calls == 1 {
				other, err := gitstore.Open(r.Root())
				if err != nil {
					t.Fatal(err)
				}
				put(t, other, "a", "between")
				foldAndDrop(t, other, began.Add(time.Hour), "a")
			}
			return event("last", int64(len(history))), journal.Moves{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "decisions", calls, 2)
		same(t, "events", kinds(t, r, "a"), "opened between last")
	}
}

// TestLateFold: a process that read a journal before others folded more of it moves no record
// back.
func TestLateFold(t *testing.T) {
	r := newRepo(t)
	early := put(t, r, "a", "opened")
	put(t, r, "a", "closed")
	foldAndDrop(t, r, began, "a")
	n, err := shelf.Fold(r, began, []journal.Entry{{Name: "a", Head: early.Commit, Summary: json.RawMessage("{}")}})
	if n != 0 || err != nil {
		t.Errorf("%d folded, %v", n, err)
	}
	same(t, "events", kinds(t, r, "a"), "opened closed")
}

// TestFoldBesideAppends: concurrent appends, folds and git gc lose nothing.
func TestFoldBesideAppends(t *testing.T) {
	r := newRepo(t)
	names := []string{"a", "b", "c"}
	const each = 12
	var writers, folders sync.WaitGroup
	mine := func() *gitstore.Repo {
		t.Helper()
		other, err := gitstore.Open(r.Root())
		if err != nil {
			t.Fatal(err)
		}
		return other
	}
	for _, name := range names {
		put(t, r, name, "opened")
		for range 2 {
			repo := mine()
			writers.Go(func() {
				for i := range each {
					_, err := shelf.AppendWith(repo, name, func(history []journal.Event) (*journal.Event, journal.Moves, error) {
						e := event("tick", int64(i))
						e.Fields["Seen"] = fmt.Sprint(len(history))
						return e, journal.Moves{}, nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	done := make(chan struct{})
	for range 2 {
		repo := mine()
		folders.Go(func() {
			for at := began; ; at = at.Add(time.Hour) {
				select {
				case <-done:
					return
				default:
				}
				var entries []journal.Entry
				for _, name := range names {
					events, err := shelf.Read(repo, name)
					if err != nil {
						t.Error(err)
						return
					}
					entries = append(entries, journal.Entry{Name: name, Head: events[len(events)-1].Commit, Summary: json.RawMessage("{}")})
				}
				_, err := shelf.Fold(repo, at, entries)
				if err == nil {
					_, err = shelf.Drop(repo, at.Add(journal.Settling), 100)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	folders.Wait()
	gitOut(t, r.Root(), "fsck", "--strict")
	for _, name := range names {
		events, err := shelf.Read(r, name)
		if err != nil || len(events) != 1+2*each {
			t.Errorf("%s: %d events, %v; want %d", name, len(events), err, 1+2*each)
		}
		for i, e := range events[1:] {
			same(t, name+" was decided on", e.Fields["Seen"], fmt.Sprint(i+1))
		}
	}
}

// tampered writes changed records into a line, with a mode.
func tampered(t *testing.T, r *gitstore.Repo, ref string, change func(path string, data []byte) []byte, mode tree.Mode) {
	t.Helper()
	at, err := r.Ref(ref)
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Commit(at)
	if err != nil {
		t.Fatal(err)
	}
	view, err := r.Snapshot(at)
	if err != nil {
		t.Fatal(err)
	}
	var edits []tree.Edit
	err = tree.Files(view, "", func(e tree.Entry) error {
		data, err := r.Blob(e.Hash)
		if change != nil {
			data = change(e.Path, data)
		}
		edits = append(edits, tree.Edit{Path: e.Path, Content: data, Mode: mode})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	root, err := r.WriteTree(c.Tree, edits)
	if err != nil {
		t.Fatal(err)
	}
	h, err := r.WriteCommit(gitstore.Commit{Tree: root, Parents: []tree.Hash{at}, Author: c.Author, Committer: c.Committer, Message: c.Message}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Update(gitstore.RefUpdate{Name: ref, Old: at, New: h}); err != nil {
		t.Fatal(err)
	}
}

func TestBadRecords(t *testing.T) {
	const line = "refs/assent/closed/2026"
	for name, tc := range map[string]struct {
		change func(r *gitstore.Repo, head tree.Hash) (old, new string)
		want   error
	}{
		"not JSON":      {func(*gitstore.Repo, tree.Hash) (string, string) { return `"v":1`, `"v"` }, journal.ErrNotJournal},
		"newer version": {func(*gitstore.Repo, tree.Hash) (string, string) { return `"v":1`, `"v":2` }, journal.ErrVersion},
		"no version":    {func(*gitstore.Repo, tree.Hash) (string, string) { return `"v":1,`, `` }, journal.ErrNotJournal},
		"another name":  {func(*gitstore.Repo, tree.Hash) (string, string) { return `"name":"a"`, `"name":"b"` }, journal.ErrNotJournal},
		"no head":       {func(_ *gitstore.Repo, head tree.Hash) (string, string) { return head.String(), "" }, journal.ErrNotJournal},
		"no such event": {func(_ *gitstore.Repo, head tree.Hash) (string, string) {
			return head.String(), strings.Repeat("12345", 8)
		}, gitstore.ErrNoObject},
		"not an event": {func(r *gitstore.Repo, head tree.Hash) (string, string) {
			at, _ := r.Ref(line)
			return head.String(), at.String()
		}, journal.ErrNotJournal},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			head := put(t, r, "a", "opened").Commit
			foldAndDrop(t, r, began, "a")
			old, new := tc.change(r, head)
			tampered(t, r, line, func(_ string, data []byte) []byte {
				if !strings.Contains(string(data), old) {
					t.Fatalf("%s holds no %s", data, old)
				}
				return []byte(strings.Replace(string(data), old, new, 1))
			}, tree.Regular)
			if events, err := shelf.Read(r, "a"); !errors.Is(err, tc.want) {
				t.Errorf("it reads as %v, %v; want %v", events, err, tc.want)
			}
			if _, err := shelf.AppendWith(r, "a", func([]journal.Event) (*journal.Event, journal.Moves, error) {
				return event("opened", 1), journal.Moves{}, nil
			}); !errors.Is(err, tc.want) {
				t.Errorf("an append gave %v; want %v", err, tc.want)
			}
			put(t, r, "c", "opened") // other journals are not affected
		})
	}
}

// TestRecordModes: a record must be a regular file, because readers could interpret anything
// else differently.
func TestRecordModes(t *testing.T) {
	for _, mode := range []tree.Mode{tree.Executable, tree.Symlink} {
		r := newRepo(t)
		put(t, r, "a", "opened")
		foldAndDrop(t, r, began, "a")
		tampered(t, r, "refs/assent/closed/2026", nil, mode)
		if events, err := shelf.Read(r, "a"); !errors.Is(err, journal.ErrNotJournal) {
			t.Errorf("%v: %v, %v", mode, events, err)
		}
	}
}

// TestTornJournal: beside a journal's own ref, a record on another chain is left out, whichever is longer, and no
// ref of such a journal is removed.
func TestTornJournal(t *testing.T) {
	r := newRepo(t)
	put(t, r, "a", "opened")
	put(t, r, "b", "begun")
	put(t, r, "b", "closed")
	other, err := r.Ref(shelf.Ref("b"))
	if err != nil {
		t.Fatal(err)
	}
	foldAndDrop(t, r, began, "a")
	for _, at := range []tree.Hash{other, put(t, r, "c", "opened-otherwise").Commit} {
		if err := r.Update(gitstore.RefUpdate{Name: shelf.Ref("a"), New: at, Any: true}); err != nil {
			t.Fatal(err)
		}
		if events, err := shelf.Read(r, "a"); err != nil || events[len(events)-1].Commit != at {
			t.Errorf("reading gave %v, %v", events, err)
		}
		if dropped, waiting := drop(t, r, began.Add(time.Hour)); dropped+waiting != 0 {
			t.Errorf("%d dropped, %d waiting", dropped, waiting)
		}
	}
}

// TestStrangersBesideLines: foreign refs beside the lines, including a line of a newer version,
// are reported and do not block the journals. A ref where no clone writes lines is not reported.
func TestStrangersBesideLines(t *testing.T) {
	r := newRepo(t)
	e := put(t, r, "a", "opened")
	put(t, r, "b", "opened")
	foldAndDrop(t, r, began, "a")
	c, err := r.Commit(e.Commit)
	if err != nil {
		t.Fatal(err)
	}
	c.Message = "Fold\n\nAssent-Fold: 2\n"
	newer, err := r.WriteCommit(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]tree.Hash{"refs/assent/closed/9999": e.Commit, "refs/assent/closed/x/y": e.Commit, "refs/assent/closed/9998": newer} {
		if err := r.Update(gitstore.RefUpdate{Name: name, New: at}); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "a", kinds(t, r, "a"), "opened")
	same(t, "b", kinds(t, r, "b"), "opened")
	told := ""
	err = shelf.Records(r, func(rec journal.Record, err error) error {
		told += fmt.Sprintln(rec.Name, err)
		return nil
	})
	if err != nil || !strings.Contains(told, "refs/assent/closed/9999") || !strings.Contains(told, "refs/assent/closed/9998 has version 2") || strings.Contains(told, "refs/assent/closed/x/y") || !strings.Contains(told, "a <nil>") {
		t.Errorf("told %q, %v", told, err)
	}
	if n := fold(t, r, began, "b"); n != 1 {
		t.Errorf("%d folded", n)
	}
	if err := r.Update(gitstore.RefUpdate{Name: "refs/assent/closed/2030", New: e.Commit}); err != nil {
		t.Fatal(err)
	}
	put(t, r, "b", "closed")
	events, _ := shelf.Read(r, "b")
	_, err = shelf.Fold(r, began.AddDate(4, 0, 0), []journal.Entry{{Name: "b", Head: events[1].Commit, Summary: json.RawMessage("{}")}})
	if !errors.Is(err, journal.ErrNotJournal) {
		t.Errorf("folding into what is no line gave %v", err)
	}
}

// TestUnite: one of two clones that folded independently merges both lines, and the other can
// then fast-forward.
func TestUnite(t *testing.T) {
	hub := newRepo(t)
	for _, name := range []string{"both", "hubs", "mine", "later"} {
		put(t, hub, name, "opened")
	}
	mine := newRepo(t)
	gitOut(t, mine.Root(), "remote", "add", "origin", hub.Root())
	fetch := func(spec string) { t.Helper(); gitOut(t, mine.Root(), "fetch", "-q", "origin", spec) }
	fetch("refs/assent/*:refs/assent/*")
	put(t, hub, "later", "closed")
	put(t, mine, "mine", "closed")
	foldAndDrop(t, hub, began, "both", "hubs", "later")
	foldAndDrop(t, mine, began.Add(time.Second), "both", "mine", "later")
	fetch("refs/assent/closed/2026:refs/assent/closed/2026-origin")
	same(t, "later, while there are two lines", kinds(t, mine, "later"), "opened closed")

	now := began.Add(time.Hour)
	united, removed, err := shelf.Unite(mine, now)
	if err != nil || len(united) != 1 || len(removed) != 0 {
		t.Fatalf("united %v, removed %v, %v", united, removed, err)
	}
	united, removed, err = shelf.Unite(mine, now.Add(journal.Settling))
	if err != nil || len(united) != 0 || len(removed) != 1 {
		t.Fatalf("united %v, removed %v, %v", united, removed, err)
	}
	drop(t, mine, now.Add(journal.Settling))
	same(t, "refs", gitOut(t, mine.Root(), "for-each-ref", "--format=%(refname)"), "refs/assent/closed/2026")
	gitOut(t, mine.Root(), "gc", "--quiet", "--prune=now")
	gitOut(t, mine.Root(), "fsck", "--strict")
	gitOut(t, mine.Root(), "push", "-q", "origin", "refs/assent/closed/2026") // no force: it is a fast-forward
	for _, r := range []*gitstore.Repo{mine, hub} {
		for name, want := range map[string]string{"both": "opened", "hubs": "opened", "mine": "opened closed", "later": "opened closed"} {
			same(t, name, kinds(t, r, name), want)
		}
	}
}

// TestCloneBehindAFold: a clone that fetched a fold has refs from before it. The fold counts,
// and the refs are removed.
func TestCloneBehindAFold(t *testing.T) {
	hub := newRepo(t)
	put(t, hub, "a", "opened")
	clone := newRepo(t)
	gitOut(t, clone.Root(), "remote", "add", "origin", hub.Root())
	fetch := func() { t.Helper(); gitOut(t, clone.Root(), "fetch", "-q", "origin", "refs/assent/*:refs/assent/*") }
	fetch()
	put(t, hub, "a", "closed")
	foldAndDrop(t, hub, began, "a")
	fetch()
	same(t, "a", kinds(t, clone, "a"), "opened closed")
	e := put(t, clone, "a", "reopened") // on the ref that was behind
	same(t, "its number", e.Sequence, 3)
	if err := clone.Update(gitstore.RefUpdate{Name: shelf.Ref("a"), Any: true}); err != nil {
		t.Fatal(err)
	}
	fetch()
	first, err := shelf.Read(clone, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := clone.Update(gitstore.RefUpdate{Name: shelf.Ref("a"), New: first[0].Commit}); err != nil {
		t.Fatal(err)
	}
	dropped, _ := drop(t, clone, began.Add(time.Hour))
	same(t, "dropped", dropped, 1)
	same(t, "a", kinds(t, clone, "a"), "opened closed")
}

func TestTooManyAtOnce(t *testing.T) {
	if _, err := shelf.Fold(newRepo(t), began, make([]journal.Entry, journal.MaxFold+1)); err == nil {
		t.Error("accepted")
	}
}

// TestYearly: only a ref named exactly by a year is a line that takes folds.
func TestYearly(t *testing.T) {
	for ref, want := range map[string]bool{
		"refs/assent/closed/2026": true, "refs/assent/closed/2026-origin": false, "refs/assent/closed/2026-team/hub": false,
		"refs/assent/closed/odd": false, "refs/assent/closed/odd/2026": false, "refs/assent/pulls/2026": false, "refs/assent/closed/": false,
	} {
		if got := shelf.Yearly(ref); got != want {
			t.Errorf("%s: %v", ref, got)
		}
	}
}
