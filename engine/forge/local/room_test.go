package local_test

import (
	"errors"
	"slices"
	"sort"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/forgetest"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// TestRoom: whatever a stranger writes into the last part of a journal's bounds, up to where it can be
// read a listed person can decide, and close or merge without a signature after that.
func TestRoom(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	ann, eve := person(t, f, "ann"), person(t, f, "eve")
	top, err := r.WriteTree(tree.Hash{}, []tree.Edit{{Path: "policies/roles.yaml", Content: []byte("people:\n  ann:\n    keys: [" + ann.Actor.Key + "]\n")}})
	must(t, err)
	who := gitstore.Person{Name: "Jochi", Email: "jochi@example.org", When: epoch}
	head, err := r.WriteCommit(gitstore.Commit{Tree: top, Author: who, Committer: who, Message: "Begin\n"}, nil)
	must(t, err)
	const id = "x-abcd2345"
	signed := func(p forgetest.Person) journal.Event {
		r := p.Review(id, head, review.Approve, "")
		return journal.Event{Kind: "review", Files: map[string][]byte{"review.json": r.Record, "review.sig": r.Signature}}
	}
	begin := []journal.Event{{Kind: "opened", Fields: map[string]string{"Head": head.String()}}}
	old := signed(ann)
	fills := map[string][]journal.Event{
		"bytes":  append(slices.Clone(begin), old, journal.Event{Kind: "comment", Files: map[string][]byte{"x": make([]byte, journal.MaxTotal-journal.RoomBytes-4096)}}),
		"events": append(slices.Concat(begin, []journal.Event{old}), slices.Repeat([]journal.Event{{Kind: "comment"}}, journal.MaxEvents-journal.RoomEvents-2)...),
	}
	n := 0
	for name, fill := range fills {
		for _, kind := range []string{"opened", "pushed", "comment", "review", "report", "merging", "merged", "closed", "reopened", "later"} {
			for _, size := range []int{0, 4 << 10, 100 << 10, 2 << 20} {
				for what, ev := range map[string]journal.Event{
					"plain": {Kind: kind}, "old": {Kind: kind, Files: old.Files}, "a stranger's": {Kind: kind, Files: signed(eve).Files},
				} {
					n++
					ev.Files = map[string][]byte{"x": make([]byte, size), "review.json": ev.Files["review.json"], "review.sig": ev.Files["review.sig"]}
					events := append(slices.Clone(fill), slices.Repeat([]journal.Event{ev}, 100)...)
					if name == "events" && size > 0 {
						continue
					}
					events = events[:len(fill)+sort.Search(100, func(n int) bool { return local.KeepsRoom(f.Journals(), id, events[:len(fill)+n+1]) != nil })]
					for _, more := range []journal.Event{signed(ann), {Kind: "merging"}, {Kind: "merged"}, signed(ann), {Kind: "closed"}} {
						events = append(events, more)
						if err := local.KeepsRoom(f.Journals(), id, events); err != nil {
							t.Fatalf("%s full, then %s of %d bytes, %s: %s is refused: %v", name, kind, size, what, more.Kind, err)
						}
					}
					total := int64(0)
					for _, e := range events {
						total += e.Size()
					}
					if total > journal.MaxTotal-journal.RoomBytes/2 || len(events) > journal.MaxEvents-journal.RoomEvents/2 {
						t.Errorf("%s full, then %s of %d bytes, %s: %d bytes in %d events", name, kind, size, what, total, len(events))
					}
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
	if err := local.KeepsRoom(f.Journals(), id, append(slices.Clone(fills["bytes"]), journal.Event{Kind: "comment"}, journal.Event{Kind: "comment", Files: map[string][]byte{"x": make([]byte, 8<<10)}})); !errors.Is(err, journal.ErrFull) {
		t.Errorf("the error is %v", err)
	}
}
