package local

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// AsidePrefix begins the refs of journals with events that could not be appended to those of
// others. No program reads them.
const AsidePrefix = "refs/assent-aside/"

// Theirs is a pull request in another repository.
type Theirs struct {
	// Journal is the last event, Branch the tip of the branch; zero without one.
	Journal, Branch tree.Hash
	// Unproves returns an error if the journal up to next must not replace ours up to own, which
	// announces a merge; nil allows each.
	Unproves func(own, next tree.Hash) error
	// OfRun reports whether the parts of a run made the pull request; nil if none did. Two clones may do the first part
	// at the same time.
	OfRun func() bool
}

// Joined is the outcome for one pull request.
type Joined struct {
	// Took counts events taken from there, Again own events appended after them.
	Took, Again int
	// Aside are own events that became impossible; AsideRef keeps them.
	Aside    []Aside
	AsideRef string
	// Branch is the move of its branch here; Stays says why it did not move.
	Branch gitstore.RefUpdate
	Stays  string
}

// Aside is an event that could not be appended again.
type Aside struct {
	Event journal.Event
	Why   string
}

// joinAttempts bounds the repetitions while other processes write here.
const joinAttempts = 64

// Join brings a pull request of this repository forward to its state in another one. If both
// journals grew, our events are appended again after theirs, with the same content: a signed
// review does not name its place in the journal. Journal and branch move together. Join
// judges none of their events; readers of the journal do.
func (f *Forge) Join(id string, theirs Theirs, busy func(branch string) bool) (Joined, error) {
	if !forge.IsID(id) {
		return Joined{}, wrap("join", id, forge.ErrNotFound)
	}
	for range joinAttempts {
		u, moves, err := union(f.record, id, theirs, busy)
		if err == nil && len(moves) > 0 {
			err = f.repo.Update(moves...)
		}
		var stale *gitstore.ErrStale
		if !errors.As(err, &stale) {
			return u, wrap("join", id, err)
		}
	}
	return Joined{}, wrap("join", id, journal.ErrContended)
}

func union(r record, id string, theirs Theirs, busy func(string) bool) (Joined, []gitstore.RefUpdate, error) {
	at, err := r.repo.Ref(pullRef(id))
	if err != nil && !errors.Is(err, gitstore.ErrNoRef) {
		return Joined{}, nil, err
	}
	own, folded, err := Shelf().Find(r.repo, id)
	if err != nil {
		return Joined{}, nil, damaged(id, pullRef(id), err)
	}
	other, err := journal.ReadAt(r.repo, theirs.Journal)
	if err == nil { // an audit would refuse them
		//defence:events-in-another-form-stay-out
		err = journal.Check(r.repo, other)
	}
	if err != nil {
		return Joined{}, nil, damaged(id, theirs.Journal.Short(), err)
	}
	b := bringing{record: r, id: id, ofRun: theirs.OfRun}
	if b.now, err = r.replay(id, other); err != nil {
		return Joined{}, nil, &forge.Damaged{ID: id, Where: theirs.Journal.Short(), Err: err}
	}
	b.theirHead = b.now.pull.Head
	if err := b.together(own, other); err != nil {
		return Joined{}, nil, err
	}
	if folded.Name != "" && !slices.ContainsFunc(b.history, func(e journal.Event) bool { return e.Commit == folded.Head }) {
		return Joined{}, nil, &forge.Damaged{ID: id, Where: folded.Line, Err: errors.New("it was folded here at an event that the other side lacks, and went on there")}
	}
	head := b.history[len(b.history)-1].Commit
	if lost := slices.ContainsFunc(own, func(e journal.Event) bool {
		return e.Kind == evMerging && !slices.ContainsFunc(b.history, func(kept journal.Event) bool { return kept.Commit == e.Commit })
	}); lost && theirs.Unproves != nil {
		if err := theirs.Unproves(own[len(own)-1].Commit, head); err != nil {
			return Joined{}, nil, err
		}
	}
	if err := b.branch(theirs.Branch, busy); err != nil {
		return Joined{}, nil, err
	}
	var moves []gitstore.RefUpdate
	if b.out.Branch.Name != "" && !b.out.Branch.New.IsZero() {
		moves = append(moves, b.out.Branch) // as with any push, before the record of it
	}
	if b.out.Took+b.out.Again > 0 {
		moves = append(moves, gitstore.RefUpdate{Name: pullRef(id), Old: at, New: head, Reflog: "assent: pull"})
	}
	if b.out.Branch.Name != "" && b.out.Branch.New.IsZero() {
		moves = append(moves, b.out.Branch)
	}
	if len(b.out.Aside) > 0 {
		b.out.AsideRef = AsidePrefix + id + "/" + at.Short()
		moves = slices.Insert(moves, 0, gitstore.RefUpdate{Name: b.out.AsideRef, New: at, Any: true, Reflog: "assent: pull"})
	}
	return b.out, moves, nil
}

// bringing is one pull request being joined.
type bringing struct {
	record record
	id     string
	out    Joined
	// history and now are the result so far, mine our state when each own event was written.
	history   []journal.Event
	now, mine replayed
	theirHead tree.Hash
	ofRun     func() bool
}

// together determines history and now.
func (b *bringing) together(own, other []journal.Event) error {
	same := 0
	for same < min(len(own), len(other)) && own[same].Commit == other[same].Commit {
		same++
	}
	b.out.Took = len(other) - same
	var err error
	switch {
	case len(own) == 0 || same == len(own):
		b.history = other
		return nil
	case same == len(other):
		b.history = own
		b.now, err = replay(b.id, own, b.record.merged)
		return err
	case same == 0 && b.yields(own, other) != "":
		if b.mine, err = replay(b.id, own, b.record.merged); err != nil {
			return err
		}
		for _, ev := range own {
			b.out.Aside = append(b.out.Aside, Aside{ev, b.yields(own, other)})
		}
		b.history = other
		return nil
	case same == 0:
		return fmt.Errorf("%w there, and it is not this one: they begin differently", forge.ErrExists)
	}
	if b.mine, err = replay(b.id, own[:same], b.record.merged); err != nil {
		return err
	}
	b.history = slices.Clip(other)
	for _, ev := range own[same:] {
		if err := b.again(ev, other[same:]); err != nil {
			return err
		}
		if err := b.mine.apply(ev); err != nil {
			return err
		}
	}
	return nil
}

// yields says why a proposal gives way to another one with its id, "" if it does not. Two clones give one id to what the
// engine of both finds, and to what the first job of a run of both made. No word of a person is lost, and ours is kept.
func (b *bringing) yields(own, other []journal.Event) string {
	decided := func(e journal.Event) bool { return e.By != engine.Name && e.Kind != evOpened && e.Kind != evPushed }
	switch {
	case slices.ContainsFunc(own, decided):
	case other[0].By == engine.Name && !slices.ContainsFunc(own, func(e journal.Event) bool { return e.By != engine.Name }):
		return "the engine opened the same proposal there"
	case b.ofRun != nil && b.ofRun():
		return "its run was carried out there first"
	}
	return ""
}

// again appends one of our events, unless it is there or became impossible.
func (b *bringing) again(ev journal.Event, theirs []journal.Event) error {
	if slices.ContainsFunc(theirs, func(e journal.Event) bool { return alike(e, ev) }) {
		return nil
	}
	why, done := b.impossible(ev)
	switch {
	case done:
		return nil
	case why != "":
		b.out.Aside = append(b.out.Aside, Aside{ev, why})
		return nil
	}
	if err := b.record.keepsRoom(b.id, append(slices.Clip(b.history), ev)); err != nil {
		b.out.Aside = append(b.out.Aside, Aside{ev, err.Error()})
		return nil
	}
	after := b.now
	if err := after.apply(ev); err != nil {
		return err
	}
	ev.Fields = maps.Clone(ev.Fields)
	ev.Fields[stateField] = string(after.pull.State)
	stored, err := journal.Continue(b.record.repo, b.history, ev)
	if err != nil {
		return err
	}
	b.now, b.history = after, append(b.history, stored)
	b.out.Again++
	return nil
}

// alike reports that two events have the same content, at any place.
func alike(a, b journal.Event) bool {
	return a.Kind == b.Kind && a.At.Equal(b.At) && a.By == b.By && a.Note == b.Note &&
		maps.Equal(a.Fields, b.Fields) && reflect.DeepEqual(a.Files, b.Files) && slices.Equal(a.Anchors, b.Anchors)
}

// impossible says why an event cannot follow the present state, and whether the state has
// its effect already.
func (b *bringing) impossible(ev journal.Event) (why string, done bool) {
	p := b.now.pull
	ended := ""
	if p.State != forge.Open {
		ended = "it was " + string(p.State) + " meanwhile"
	}
	known := slices.ContainsFunc(b.now.activity.Pushes, func(push forge.Push) bool { return push.New.String() == ev.Fields["Head"] })
	switch ev.Kind {
	case evReview, evReport:
		if ended == "" && !known {
			return "it is about commits that did not become part of the proposal", false
		}
		return ended, false
	case evAdvice, evTests:
		return ended, false
	case evPushed:
		if ended == "" && p.Head != b.mine.pull.Head {
			return "the branch went elsewhere meanwhile", p.Head.String() == ev.Fields["Head"]
		}
		return ended, false
	case evMerging:
		if ended == "" && ev.Fields["Head"] != p.Head.String() {
			return "it is about another head than the proposal has now", false
		}
		return ended, false
	case evMerged:
		announced := slices.ContainsFunc(b.now.activity.Merges, func(a forge.Announcement) bool { return a.Commit.String() == ev.Fields["Commit"] })
		if ended == "" && !announced {
			return "its merge could not be announced", false
		}
		return ended, p.State == forge.Merged && p.Merge.String() == ev.Fields["Commit"]
	case evClosed:
		return ended, p.State == forge.Closed && p.Why == ev.Fields["Why"]
	case evReopened:
		if p.State == forge.Merged {
			return ended, false
		}
		return "", p.State == forge.Open
	}
	return "", false
}

// branch finds the move of the branch. Commits on it that no journal records stay, and are
// named.
func (b *bringing) branch(there tree.Hash, busy func(string) bool) error {
	p := b.now.pull
	at, err := b.record.tip(p.Branch)
	if err != nil {
		return err
	}
	want := p.Head
	if !there.IsZero() && p.Head == b.theirHead {
		want = there // plain git may have moved it there
	}
	if p.State != forge.Open {
		want = tree.Hash{}
	}
	if at == want {
		return nil
	}
	recorded := at.IsZero() || slices.ContainsFunc(slices.Concat(b.now.activity.Pushes, b.mine.activity.Pushes),
		func(push forge.Push) bool { return push.New == at })
	ahead := false
	if !recorded && !want.IsZero() {
		if ahead, err = b.record.repo.IsAncestor(want, at); err != nil {
			return err
		}
	}
	switch {
	case ahead: // own commits on top; the next command records them
	case !recorded:
		b.out.Stays = p.Branch + " has commits that no journal records"
	case want.IsZero() && busy(branchRef(p.Branch)):
		b.out.Stays = p.Branch + " is checked out"
	default:
		b.out.Branch = gitstore.RefUpdate{Name: branchRef(p.Branch), Old: at, New: want, Reflog: "assent: pull"}
	}
	return nil
}
