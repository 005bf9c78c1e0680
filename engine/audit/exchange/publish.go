package exchange

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/git/remote"
)

// notAhead handles a journal, named what in messages, for which the remote has other
// events. It must be pulled only if local events have to follow it.
func (p *pushing) notAhead(ref, what string, here, there tree.Hash, known bool) error {
	seen, err := refOrZero(p.w.Repo, remote.Tracking(p.o.Remote, ref))
	if err != nil || seen == here {
		return err
	}
	if known {
		if behind, err := p.w.Repo.IsAncestor(here, there); err != nil || behind {
			return err
		}
	}
	p.first(ref, what)
	return nil
}

// linesThere returns the remote's folded journals alone, opened once for a decision.
func (p *pushing) linesThere(shelf journal.Shelf) (journal.Shelf, error) {
	if opened, known := p.shelves[shelf.Live]; known {
		return opened, nil
	}
	opened, err := shelfThere(shelf, p.w.Repo, p.o.Remote)
	opened.Live = "refs/none/"
	if err == nil {
		p.shelves[shelf.Live] = opened
	}
	return opened, err
}

// folded reports whether the remote has folded a journal completely, in a true record. If the remote's
// folded journal differs, it must be pulled first: publishing regardless would undo the
// folding, or leave two histories of one journal there.
func (p *pushing) folded(shelf journal.Shelf, id, what string, here, there tree.Hash) (bool, error) {
	if !there.IsZero() {
		return false, nil
	}
	for name, tip := range p.there {
		if !strings.HasPrefix(name, shelf.Folded) {
			continue
		}
		if seen, err := refOrZero(p.w.Repo, remote.Tracking(p.o.Remote, name)); err != nil || seen != tip {
			p.first(name, strings.TrimPrefix(name, "refs/assent/"))
			return true, err
		}
	}
	// The live ref is gone from the remote, even if it was fetched before: it may have
	// been deleted.
	lines, err := p.linesThere(shelf)
	if err != nil {
		return false, err
	}
	events, rec, err := lines.Find(p.w.Repo, id)
	if err != nil || len(events) == 0 {
		return false, err
	}
	//defence:false-records-fold-nothing
	if lines.True(rec, events) != nil {
		return false, nil
	}
	last := rec.Head
	if has, err := p.w.Repo.IsAncestor(here, last); err != nil || has {
		return true, err
	}
	follows, err := p.w.Repo.IsAncestor(last, here)
	if err == nil && !follows {
		p.first(shelf.Live+id, what)
	}
	return !follows, err
}

// publish adds the moves of one proposal. A journal that records a merge is published
// only if the remote's main has the merge: its readers would otherwise take the proposal
// for merged.
func (p *pushing) publish(ctx context.Context, pull forge.Pull, journal, branch remote.Move) error {
	if pull.State == forge.Merged {
		shown := false
		if !p.main.IsZero() {
			var err error
			if shown, err = p.w.Repo.IsAncestor(pull.Merge, p.main); err != nil {
				return err
			}
		}
		if !shown {
			if len(p.behind) == 0 {
				p.held = append(p.held, Held{pull.ID, "it is merged here, on a main that is not published"})
			}
			return nil
		}
	}
	if journal.Old != journal.New {
		p.moves = append(p.moves, journal)
	}
	return p.publishBranch(ctx, pull, branch)
}

// publishBranch moves the remote's branch from a head that the journal knows.
func (p *pushing) publishBranch(ctx context.Context, pull forge.Pull, m remote.Move) error {
	if m.Old == m.New {
		return nil
	}
	activity, err := p.w.Record.Activity(ctx, pull.ID)
	if err != nil {
		return err
	}
	recorded := func(h tree.Hash) bool {
		return h.IsZero() || slices.ContainsFunc(activity.Pushes, func(push forge.Push) bool { return push.New == h && !push.At.IsZero() })
	}
	follows := recorded(m.Old)
	if !follows {
		if follows, _, err = p.forward(m.Old, m.New); err != nil {
			return err
		}
	}
	switch {
	case pull.State != forge.Open:
		// A forge that shares merges with a remote deletes branches itself: a service
		// would close a pull request whose branch vanishes before the merge is known.
		if shared := p.w.Forge.Traits().Remote != ""; recorded(m.Old) && m.New.IsZero() && !shared {
			p.ended = append(p.ended, m)
		}
	case m.New.IsZero():
	case follows:
		p.moves = append(p.moves, m)
	case !recorded(m.New):
		p.held = append(p.held, Held{pull.ID, "its branch has commits there that are not here; assent pull brings them"})
	}
	return nil
}
