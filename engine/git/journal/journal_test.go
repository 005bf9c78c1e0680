package journal_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

const ref = "refs/assent/pulls/01j"

func newRepo(t *testing.T) *gitstore.Repo {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	r, err := gitstore.Init(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func event(kind string, second int64) *journal.Event {
	return &journal.Event{Kind: kind, At: time.Unix(1_700_000_000+second, 42).UTC(), By: "alice <alice@example.org>",
		Fields: map[string]string{}, Files: map[string][]byte{}}
}

func appendEvent(t *testing.T, r *gitstore.Repo, e *journal.Event) journal.Event {
	t.Helper()
	stored, err := journal.Append(r, ref, func([]journal.Event) (*journal.Event, error) { return e, nil })
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func gitOut(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: interoperation is not tested")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestAppendAndRead(t *testing.T) {
	r := newRepo(t)
	if events, err := journal.Read(r, ref); err != nil || len(events) != 0 {
		t.Fatalf("no ref: %v, %v; want an empty journal", events, err)
	}
	anchor := appendEvent(t, r, event("other", 0)).Commit
	if err := r.Update(gitstore.RefUpdate{Name: ref, Old: anchor}); err != nil {
		t.Fatal(err)
	}
	first := event("opened", 1)
	first.Note = "\nwhat and why\n\nKey: not a trailer\n\n"
	first.Anchors = []tree.Hash{anchor}
	second := event("changes-requested", 2)
	second.Fields = map[string]string{"Head": anchor.String(), "Empty": "", "Tricky": " a\nAssent-By: eve\\n\r\x00\x7f\u00a0 "}
	second.Files = map[string][]byte{"report.json": []byte("{}"), "a/b": nil}
	var want []journal.Event
	for _, e := range []*journal.Event{first, second, event("merged", 3)} {
		want = append(want, appendEvent(t, r, e))
	}
	want[0].Note = "what and why\n\nKey: not a trailer"
	want[1].Files["a/b"] = []byte{}
	got, err := journal.Read(r, ref)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	names, err := journal.List(r, "refs/assent/pulls/")
	if err != nil || len(names) != 1 || names[0] != ref {
		t.Errorf("List = %v, %v", names, err)
	}
	gitOut(t, r.Root(), "fsck", "--strict")
	if got := gitOut(t, r.Root(), "log", "--first-parent", "-2", "--format=%s", ref); got != "merged: by alice <alice@example.org>\nchanges-requested: by alice <alice@example.org>" {
		t.Errorf("git log = %q", got)
	}
	if got := gitOut(t, r.Root(), "log", "-1", "--format=%(trailers:key=Assent-Journal,valueonly)", ref); got != "1" {
		t.Errorf("git's trailer = %q", got)
	}
}

func TestRefusedEvents(t *testing.T) {
	r := newRepo(t)
	for name, change := range map[string]func(*journal.Event){
		"kind":     func(e *journal.Event) { e.Kind = "Two words" },
		"time":     func(e *journal.Event) { e.At = time.Time{} },
		"by":       func(e *journal.Event) { e.By = "a\nb" },
		"nobody":   func(e *journal.Event) { e.By = " " },
		"key":      func(e *journal.Event) { e.Fields["a b"] = "" },
		"reserved": func(e *journal.Event) { e.Fields["assent-by"] = "eve" },
		"twice":    func(e *journal.Event) { e.Fields["Head"], e.Fields["head"] = "1", "2" },
		"nul":      func(e *journal.Event) { e.Note = "a\x00b" },
		"path":     func(e *journal.Event) { e.Files["../x"] = nil },
	} {
		e := event("opened", 1)
		change(e)
		if _, err := journal.Append(r, ref, func([]journal.Event) (*journal.Event, error) { return e, nil }); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if names, err := journal.List(r, "refs/"); err != nil || len(names) != 0 {
		t.Errorf("refs were made: %v, %v", names, err)
	}
}

func TestNoEvent(t *testing.T) {
	r := newRepo(t)
	got, err := journal.Append(r, ref, func([]journal.Event) (*journal.Event, error) { return nil, nil })
	if err != nil || !got.Commit.IsZero() {
		t.Errorf("Append = %+v, %v", got, err)
	}
	wrong := errors.New("no")
	if _, err := journal.Append(r, ref, func([]journal.Event) (*journal.Event, error) { return nil, wrong }); !errors.Is(err, wrong) {
		t.Errorf("Append = %v, want the decision's own error", err)
	}
}

func TestConcurrentAppends(t *testing.T) {
	r := newRepo(t)
	const writers, each = 5, 8
	var group sync.WaitGroup
	for w := range writers {
		mine, err := gitstore.Open(r.Root())
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			for i := range each {
				_, err := journal.Append(mine, ref, func(history []journal.Event) (*journal.Event, error) {
					e := event("tick", int64(i))
					e.Fields["Writer"] = fmt.Sprintf("%d-%d", w, i)
					e.Fields["Seen"] = fmt.Sprint(len(history))
					return e, nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	events, err := journal.Read(r, ref)
	if err != nil || len(events) != writers*each {
		t.Fatalf("%d events, %v; want %d", len(events), err, writers*each)
	}
	seen := map[string]bool{}
	for i, e := range events {
		seen[e.Fields["Writer"]] = true
		if e.Fields["Seen"] != fmt.Sprint(i) {
			t.Errorf("event %d was decided on %s events", i, e.Fields["Seen"])
		}
	}
	if len(seen) != writers*each {
		t.Errorf("%d distinct events, want %d", len(seen), writers*each)
	}
}

func TestAppendWithMovesAllOrNothing(t *testing.T) {
	r := newRepo(t)
	a := appendEvent(t, r, event("opened", 1)).Commit
	calls := 0
	stored, err := journal.AppendWith(r, ref, func([]journal.Event) (*journal.Event, journal.Moves, error) {
		calls++
		old := tree.Hash{}
		if calls == 1 {
			old = a // wrong: the branch does not exist
		}
		return event("merged", 2), journal.Moves{Before: []gitstore.RefUpdate{{Name: "refs/heads/main", Old: old, New: a}}}, nil
	})
	if err != nil || calls != 2 {
		t.Fatalf("%d calls, %v; want the second to pass", calls, err)
	}
	if got, err := r.Ref("refs/heads/main"); err != nil || got != a {
		t.Errorf("main = %s, %v", got, err)
	}
	if got, err := r.Ref(ref); err != nil || got != stored.Commit {
		t.Errorf("journal = %s, %v; want %s", got, err, stored.Commit)
	}
}

func TestReadRefuses(t *testing.T) {
	r := newRepo(t)
	first := appendEvent(t, r, event("opened", 1))
	c, err := r.Commit(first.Commit)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		message string
		parents []tree.Hash
		want    error
	}{
		"newer version": {strings.Replace(c.Message, "Assent-Journal: 1", "Assent-Journal: 2", 1), nil, journal.ErrVersion},
		"plain commit":  {"hello\n", nil, journal.ErrNotJournal},
		"cut short":     {strings.Replace(c.Message, "Sequence: 1", "Sequence: 2", 1), nil, journal.ErrNotJournal},
		"gap":           {strings.Replace(c.Message, "Sequence: 1", "Sequence: 3", 1), []tree.Hash{first.Commit}, journal.ErrNotJournal},
	} {
		h, err := r.WriteCommit(gitstore.Commit{Tree: c.Tree, Parents: tc.parents, Author: c.Author, Committer: c.Committer, Message: tc.message}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := journal.ReadAt(r, h); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}
