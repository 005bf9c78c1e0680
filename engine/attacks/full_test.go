package attacks_test

import (
	"strconv"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/approve"
)

func fullDefences() map[string]defence {
	return map[string]defence{
		"a-full-journal-takes-decisions": {attack: "TestAttackFullJournal/comments, to the bound, approve"},
	}
}

// filling fills the journal of a proposal on the hub.
type filling struct {
	*world
	ref    string
	events []journal.Event
}

func (f *filling) add(ev journal.Event) {
	f.Helper()
	if ev.Fields == nil {
		ev.Fields = map[string]string{}
	}
	ev.At, ev.By, ev.Fields["State"] = f.tick(), "eve", "open"
	stored, err := journal.Continue(f.Repo, f.events, ev)
	f.ok(err)
	f.events = append(f.events, stored)
}

// until adds events with large files until so many bytes of the bounds are left.
func (f *filling) until(left int64, ev journal.Event) {
	f.Helper()
	total := int64(0)
	for _, e := range f.events {
		total += e.Size()
	}
	for room := int64(journal.MaxTotal) - left - total; room > 4096; {
		n := min(room-2048, 30<<20)
		ev.Files = map[string][]byte{"x.json": make([]byte, n)}
		f.add(ev)
		room -= f.events[len(f.events)-1].Size()
	}
}

// A full journal of a proposal still takes the decisions of people, at once or after a repair.
func TestAttackFullJournal(t *testing.T) {
	const room = journal.RoomBytes
	fields := func(f *filling) map[string]string { return map[string]string{"Head": f.events[0].Fields["Head"]} }
	for name, fill := range map[string]func(f *filling){
		"comments, to the room":  func(f *filling) { f.until(room, journal.Event{Kind: "comment"}) },
		"comments, to the bound": func(f *filling) { f.until(0, journal.Event{Kind: "comment"}) },
		"forged reviews": func(f *filling) {
			f.until(0, journal.Event{Kind: "review", Fields: fields(f)})
		},
		"a signed review again and again": func(f *filling) {
			f.until(room, journal.Event{Kind: "comment"})
			f.world.decided(idOf(f.ref), review.RequestChanges, "bob")
			var err error
			f.events, err = journal.Read(f.Repo, f.ref)
			f.ok(err)
			again := f.events[len(f.events)-1]
			for again.Size() < 1<<20 {
				again.Files["x"+strconv.Itoa(len(again.Files))] = make([]byte, 1<<18)
			}
			for range 6 {
				f.add(journal.Event{Kind: again.Kind, Fields: fields(f), Files: again.Files})
			}
		},
		"closed and reopened": func(f *filling) {
			f.until(room, journal.Event{Kind: "comment"})
			for range 40 {
				f.add(journal.Event{Kind: "closed"})
				f.add(journal.Event{Kind: "reopened"})
			}
		},
	} {
		for _, decision := range []review.Decision{review.Approve, review.Reject} {
			if decision == review.Reject && name != "closed and reopened" {
				continue // it differs by the closing
			}
			attack(t, name+", "+string(decision), func(d *world) { d.full(fill, decision) })
		}
	}
}

func idOf(ref string) string { return ref[len(local.PullPrefix):] }

func (d *world) full(fill func(*filling), decision review.Decision) {
	d.Helper()
	p := d.proposed("kublai", skill("clove-hitch"))
	hub := d.copied()
	hub.git("config", "receive.denyCurrentBranch", "ignore")
	f := &filling{world: hub, ref: local.PullPrefix + p.ID}
	var err error
	f.events, err = journal.Read(hub.Repo, f.ref)
	d.ok(err)
	fill(f)
	d.ok(hub.Repo.Sync())
	hub.put(f.ref, f.events[len(f.events)-1].Commit)
	for _, who := range []string{"ada", "bob"} {
		if _, err := exchange.Pull(d.Context(), d.Workspace, "origin", false); err != nil {
			d.Fatal(err)
		}
		_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: p.ID, Decision: decision, Reason: "so", Signer: d.who[who]})
		if err != nil {
			d.succeeds("%s cannot decide: %v", who, err)
			return
		}
		found, err := exchange.Damages(d.Context(), d.Workspace, "origin")
		d.ok(err)
		for _, damage := range found {
			_, err = exchange.Restore(d.Context(), d.Workspace, "origin", damage)
			d.ok(err)
		}
		if decision == review.Reject {
			break
		}
	}
	if decision == review.Approve {
		if out := d.merge(p.ID); !out.Merged {
			d.succeeds("it does not merge: %s", out.Refused)
			return
		}
		d.begin()
	}
	pushed, err := exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
	d.ok(err)
	there, err := hub.Record.Get(d.Context(), p.ID)
	if want := map[review.Decision]forge.State{review.Approve: forge.Merged, review.Reject: forge.Closed}[decision]; err != nil || there.State != want || hub.ref(f.ref) == (tree.Hash{}) {
		d.succeeds("on the hub it is %s, not %s: %v, %v", there.State, want, err, pushed.Held)
	}
}
