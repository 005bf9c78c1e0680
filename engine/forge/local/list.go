package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// List implements forge.Forge. The last event of a journal tells whether the pull request
// ended, and the record of a folded one has all that a list shows. So a list of open pull
// requests reads one commit of each ended, unfolded one, and no list reads a folded journal.
func (f *Forge) List(ctx context.Context, filter forge.Filter) ([]forge.Pull, error) {
	main, unread := f.mainline()
	refs, err := f.repo.Refs(PullPrefix)
	l := listing{record: f.record, main: main, filter: filter, live: map[string]bool{}, folded: map[string]tree.Hash{}}
	broken, err := gitstore.BrokenRefs(err)
	if err = errors.Join(err, unread); err != nil {
		l.problems = append(l.problems, fmt.Errorf("list pull requests: %w", err))
	}
	for _, ref := range broken {
		id := idOf(ref.Name)
		if !forge.IsID(id) {
			continue
		}
		l.live[id] = true
		l.problems = append(l.problems, &forge.Damaged{ID: id, Where: ref.Name, Err: ref})
	}
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.own(ctx, ref)
	}
	if filter.State != forge.Open {
		l.records(ctx)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	order.Sort(l.pulls, func(a, b forge.Pull) int {
		return cmp.Or(b.Opened.Compare(a.Opened), cmp.Compare(a.ID, b.ID))
	})
	return l.pulls, errors.Join(l.problems...)
}

// listing is one list being made.
type listing struct {
	record   record
	main     *mainline
	filter   forge.Filter
	live     map[string]bool
	folded   map[string]tree.Hash // the last events by the records
	pulls    []forge.Pull
	problems []error
}

// maxListed bounds what a list keeps of one pull request, in bytes of JSON. What this program
// writes is far below it. Anyone who can push can write journals, whose titles and names a few
// bytes of a pack can make megabytes long.
const maxListed = 16 << 10

// add adds a pull request that the filter admits.
func (l *listing) add(p forge.Pull) {
	//defence:lists-leave-bodies-out
	p.Body = ""
	data, err := json.Marshal(p)
	//defence:lists-are-bounded
	if err == nil && len(data) > maxListed {
		err = fmt.Errorf("its title, names and labels have %d bytes; at most %d are read", len(data), maxListed)
	}
	if err != nil {
		l.problems = append(l.problems, &forge.Damaged{ID: p.ID, Where: pullRef(p.ID), Err: err})
		return
	}
	if (l.filter.State == "" || p.State == l.filter.State) && (l.filter.Author == "" || p.Author.String() == l.filter.Author) {
		l.pulls = append(l.pulls, p)
	}
}

// own lists a pull request with a ref of its own.
func (l *listing) own(ctx context.Context, ref gitstore.Ref) {
	id := idOf(ref.Name)
	l.live[id] = true
	switch {
	case !forge.IsID(id): // no journal: a plain fetch brings whatever others wrote there; doctor and audit name it
	case l.filter.Skip != nil && l.filter.Skip(ref.Hash):
	case l.endedOtherwise(ref):
	default:
		l.get(ctx, id, ref.Hash)
	}
}

// get lists a pull request by its journal; last is its last event, zero if unknown.
func (l *listing) get(ctx context.Context, id string, last tree.Hash) {
	p, err := l.record.Get(ctx, id)
	switch {
	case errors.Is(err, forge.ErrNotFound): // it vanished since the listing
	case err != nil:
		l.problems = append(l.problems, err)
	default:
		l.addEnding(p, last)
	}
}

// records lists the pull requests without a ref of their own.
func (l *listing) records(ctx context.Context) {
	torn := map[string]bool{} // folded in several lines, at different events
	err := Shelf().Records(l.record.repo, func(rec journal.Record, err error) error {
		if l.live[rec.Name] {
			return ctx.Err()
		}
		before, again := l.folded[rec.Name]
		l.folded[rec.Name] = rec.Head
		switch {
		case err == nil && !again && l.filter.Skip != nil && l.filter.Skip(rec.Head):
		case !again || err != nil:
			l.summary(rec, err)
		case before != rec.Head:
			torn[rec.Name] = true
		}
		return ctx.Err()
	})
	if err != nil {
		l.problems = append(l.problems, fmt.Errorf("list folded pull requests: %w", err))
	}
	l.pulls = slices.DeleteFunc(l.pulls, func(p forge.Pull) bool { return torn[p.ID] })
	for id := range torn {
		l.get(ctx, id, tree.Hash{})
	}
}

// summary lists a folded pull request by its record.
func (l *listing) summary(rec journal.Record, err error) {
	if err == nil && !forge.IsID(rec.Name) {
		err = fmt.Errorf("this is not the id of a proposal: %w", journal.ErrNotJournal)
	}
	if err != nil {
		l.problems = append(l.problems, damaged(rec.Name, cmp.Or(rec.Line, ClosedPrefix), err))
		return
	}
	p, err := summarized(rec)
	if err != nil {
		l.problems = append(l.problems, err)
		return
	}
	if p.State == forge.Merged && !l.has(p.ID) && !l.merged(p) {
		p.State, p.Claimed, p.Merge = forge.Open, p.Merge, tree.Hash{}
	}
	l.addEnding(p, rec.Head)
}

// addEnding adds a pull request with the last event of its journal, for lists that ask for it.
func (l *listing) addEnding(p forge.Pull, last tree.Hash) {
	if l.filter.Skip != nil {
		p.Last = last
	}
	l.add(p)
}

// endedOtherwise reports that the pull request ended in another state than the wanted one,
// by the last event of its journal. A full reading decides if the event is unreadable, has no
// state, or states an end that neither main nor the kind of the event shows.
func (l *listing) endedOtherwise(ref gitstore.Ref) bool {
	if l.filter.State == "" {
		return false
	}
	last, err := journal.Last(l.record.repo, ref.Hash)
	said := forge.State(last.Fields[stateField])
	if err != nil || !ended(said) || said == l.filter.State {
		return false
	}
	//defence:states-of-events-hide-nothing
	if said == forge.Closed {
		return last.Kind == evClosed
	}
	return l.has(idOf(ref.Name))
}

// merged reports whether a commit on main's line merged a proposal whose file main lacks now.
func (l *listing) merged(p forge.Pull) bool {
	is, err := l.main.merged(p.ID, p.Merge)
	return is || err != nil
}

// has reports whether main has a proposal. Readers stop at a main that cannot be read, so claims
// count there.
func (l *listing) has(id string) bool {
	if l.main == nil {
		return true
	}
	_, has, err := l.main.has(id)
	return has || err != nil
}
