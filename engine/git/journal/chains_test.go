package journal_test

import (
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// TestChains: events stay readable whatever commits follow them.
func TestChains(t *testing.T) {
	r, err := gitstore.Init(t.TempDir())
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(err)
	shelf := journal.Shelf{Live: "refs/assent/pulls/", Lines: journal.Lines{Folded: "refs/assent/closed/"}}
	at := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	event := func(kind string) {
		_, err := journal.Append(r, shelf.Ref("a"), func([]journal.Event) (*journal.Event, error) {
			return &journal.Event{Kind: kind, At: at, By: "ada"}, nil
		})
		ok(err)
	}
	top := func(message string) {
		head, err := r.Ref(shelf.Ref("a"))
		ok(err)
		c, err := r.Commit(head)
		ok(err)
		h, err := r.WriteCommit(gitstore.Commit{Tree: c.Tree, Parents: []tree.Hash{head}, Author: c.Author, Committer: c.Committer, Message: message}, nil)
		ok(err)
		ok(r.Update(gitstore.RefUpdate{Name: shelf.Ref("a"), Old: head, New: h}))
	}
	want := func(damaged bool, lengths ...int) {
		t.Helper()
		parts, damage, err := shelf.Chains(r, "a", "Commit")
		ok(err)
		var got []int
		for _, p := range parts {
			got = append(got, len(p.Events))
		}
		if len(got) != len(lengths) || (damage != nil) != damaged {
			t.Fatalf("parts of %v events, damage %v; want %v", got, damage, lengths)
		}
		for i := range got {
			if got[i] != lengths[i] {
				t.Errorf("parts of %v events, want %v", got, lengths)
			}
		}
	}
	want(false)
	event("opened")
	event("pushed")
	want(false, 2)
	top("hello\n")
	want(true, 2)
	top("hello again\n")
	want(true, 2)
	top("pushed: by bob\n\nAssent-Journal: 1\nAssent-Sequence: 9\nAssent-Event: pushed\nAssent-At: 2026-03-10T09:00:00Z\nAssent-By: bob\n")
	want(true, 1, 2)
	top("opened: by bob\n\nAssent-Journal: 1\nAssent-Sequence: 1\nAssent-Event: opened\nAssent-At: 2026-03-10T09:00:00Z\nAssent-By: bob\n")
	want(true, 1, 1, 2)
	for range 257 {
		top("hello\n")
	}
	want(true)
}

// TestChainsAtPlaces: what is at one place hides nothing at another.
func TestChainsAtPlaces(t *testing.T) {
	at := time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		live, folded int // number of events there
		fork         int // events written upon live
		want         []int
	}{
		"a live ref at an older event":  {live: 2, folded: 4, want: []int{4}},
		"a live ref at the first event": {live: 1, folded: 4, want: []int{4}},
		"appended after the fold":       {live: 4, folded: 2, want: []int{4}},
		"both at one event":             {live: 3, folded: 3, want: []int{3}},
		"a live ref of another way":     {live: 2, folded: 4, fork: 1, want: []int{3, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := gitstore.Init(t.TempDir())
			ok := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			ok(err)
			shelf := journal.Shelf{Live: "refs/assent/pulls/", Lines: journal.Lines{Folded: "refs/assent/closed/"}}
			var events []journal.Event
			write := func(upon []journal.Event, kind string) []journal.Event {
				e, err := journal.Continue(r, upon, journal.Event{Kind: kind, At: at, By: "ada"})
				ok(err)
				return append(upon[:len(upon):len(upon)], e)
			}
			for range 4 {
				events = write(events, "pushed")
			}
			live := events[:tc.live]
			for range tc.fork {
				live = write(live, "comment")
			}
			ok(r.Sync())
			_, err = shelf.Fold(r, at, []journal.Entry{{Name: "a", Head: events[tc.folded-1].Commit, Summary: []byte("{}")}})
			ok(err)
			ok(r.Update(gitstore.RefUpdate{Name: shelf.Ref("a"), New: live[len(live)-1].Commit}))
			parts, damage, err := shelf.Chains(r, "a", "Commit")
			ok(err)
			ok(damage)
			var got []int
			for _, p := range parts {
				got = append(got, len(p.Events))
				if p.Events[0].Sequence != 1 {
					t.Errorf("a part begins with number %d", p.Events[0].Sequence)
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("parts of %v events, want %v", got, tc.want)
			}
		})
	}
}
