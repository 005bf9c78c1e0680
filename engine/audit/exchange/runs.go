package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// runName names a run in messages, where a proposal may have the same id.
func runName(id string) string { return "run " + id }

// runs decides about the journals of runs: all, or with ids those of the same name, whose
// files these proposals contain.
func (p *pushing) runs(context.Context) error {
	refs, err := p.w.Repo.Refs(runlog.Prefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return err
	}
	for _, ref := range broken {
		if len(p.o.IDs) == 0 {
			p.held = append(p.held, Held{runName(strings.TrimPrefix(ref.Name, runlog.Prefix)), ref.Error()})
		}
	}
	for _, ref := range refs {
		id := strings.TrimPrefix(ref.Name, runlog.Prefix)
		if !workspace.Shared(ref.Name) || len(p.o.IDs) > 0 && !slices.Contains(p.o.IDs, id) {
			continue
		}
		if err := p.run(id, ref); err != nil {
			return err
		}
	}
	return nil
}

func (p *pushing) run(id string, ref gitstore.Ref) error {
	there := p.there[ref.Name]
	if there == ref.Hash || !p.legible(runName(id), ref.Hash) {
		return nil
	}
	forward, known, err := p.forward(there, ref.Hash)
	if err != nil {
		return err
	}
	if !forward || !known {
		return p.notAhead(ref.Name, runName(id), ref.Hash, there, known)
	}
	if folded, err := p.folded(runlog.Shelf(), id, runName(id), ref.Hash, there); err != nil || folded {
		return err
	}
	p.moves = append(p.moves, remote.Move{Ref: ref.Name, Old: there, New: ref.Hash})
	return nil
}

// runs updates the journals of runs, after the proposals: an event in a run may depend on
// a commit of a proposal.
func (p *pulling) runs(ctx context.Context) error {
	shelf, err := shelfThere(runlog.Shelf(), p.w.Repo, p.out.Remote)
	if err != nil {
		return err
	}
	for _, r := range p.affordable(shelf) {
		if err := ctx.Err(); err != nil {
			return err
		}
		id := r.id
		if p.dryRun {
			p.out.Runs = append(p.out.Runs, Run{ID: id})
			continue
		}
		joined, err := readable[runlog.Joined]{
			join: func(at tree.Hash) (runlog.Joined, error) {
				return p.w.Runs.Join(id, at, func(proposal, head string) bool { return p.delivered(ctx, proposal, head) })
			},
			part:   func() (tree.Hash, error) { return p.w.Runs.ReadablePart(id, r.theirs) },
			beyond: odd,
		}.of(p, runlog.Prefix+id, r.theirs, r.unread)
		switch {
		case odd(err):
			p.leave(fmt.Errorf("%s: %w", runName(id), err), runlog.Prefix+id)
		case err != nil:
			return err
		case joined.Took+joined.Again > 0:
			p.out.Runs = append(p.out.Runs, Run{id, joined})
		}
	}
	return nil
}

// moved is a run that differs there, with its last event there and the bytes of its journal.
type moved struct {
	id     string
	theirs tree.Hash
	size   int64
	// unread says why not all of it can be read; its size is that of the part that can.
	unread error
}

// affordable returns the runs to join. Joining reads a whole journal, and anyone who can push can add
// journals. So a pull joins the smallest ones, up to the bytes that a list reads (runlog.MaxListed). It
// names the others; a later pull joins them if they fit.
func (p *pulling) affordable(shelf journal.Shelf) []moved {
	var all []moved
	sizes := journal.Sizes{}
	for _, id := range sortedKeys(p.unlike(runlog.Prefix)) {
		theirs, unread := lastEvent(shelf, p.w.Repo, id)
		if unread != nil {
			theirs = p.there[runlog.Prefix+id]
		}
		if theirs.IsZero() || theirs == p.here[runlog.Prefix+id] {
			continue
		}
		r := moved{id: id, theirs: theirs, unread: unread}
		size, err := sizes.Of(p.w.Repo, theirs)
		if err != nil {
			r.unread = cmp.Or(unread, err)
			var part tree.Hash
			if part, err = p.w.Runs.ReadablePart(id, theirs); err == nil {
				size, err = sizes.Of(p.w.Repo, part)
			}
		}
		if r.size = size; err != nil {
			p.leave(err, runlog.Prefix+id)
			continue
		}
		all = append(all, r)
	}
	order.Stable(all, func(a, b moved) int { return cmp.Compare(a.size, b.size) })
	left := int64(runlog.MaxListed)
	all = slices.DeleteFunc(all, func(r moved) bool {
		left -= r.size
		//defence:pulls-of-runs-have-a-budget
		if left < 0 {
			p.leave(fmt.Errorf("%s: its journal has %d bytes; one pull takes at most %d MiB of runs, the smallest journals first", runName(r.id), r.size, runlog.MaxListed>>20), runlog.Prefix+r.id)
			return true
		}
		return false
	})
	order.Sort(all, func(a, b moved) int { return cmp.Compare(a.id, b.id) })
	return all
}

// odd reports whether an error is about an unreadable run, as opposed to a failure of
// this machine.
func odd(err error) bool {
	if gitstore.IsContent(err) {
		return true
	}
	for _, is := range []error{run.ErrRecord, runlog.ErrNone, journal.ErrNotJournal, journal.ErrVersion} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// delivered reports whether a proposal's journal contains a head.
func (p *pulling) delivered(ctx context.Context, proposal, head string) bool {
	activity, err := p.w.Record.Activity(ctx, proposal)
	return err == nil && slices.ContainsFunc(activity.Pushes, func(push forge.Push) bool { return push.New.String() == head })
}
