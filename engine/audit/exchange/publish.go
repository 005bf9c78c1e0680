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

// notAhead is for a journal of which the remote has other events, called what. It has
// to be taken in only if there is something of ours to follow it.
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

// folded reports whether the remote has folded a journal, so that nothing of ours is
// lacking there, or that it has to be taken in first. Publishing it regardless would
// undo the folding, or leave two histories of one journal there.
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
	// The live ref is gone there, whatever was seen of it: somebody may have deleted it.
	lines := shelf
	lines.Live = "refs/none/"
	last, err := journalThere(lines, p.w.Repo, p.o.Remote, id)
	if err != nil || last.IsZero() {
		return false, err
	}
	if has, err := p.w.Repo.IsAncestor(here, last); err != nil || has {
		return true, err
	}
	follows, err := p.w.Repo.IsAncestor(last, here)
	if err == nil && !follows {
		p.first(shelf.Live+id, what)
	}
	return !follows, err
}

// publish adds the moves of one proposal. A journal that tells of a merge goes only
// where main shows it: anybody who reads it there would take the proposal for
// merged.
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

// publishBranch moves the branch there from a head that the journal knows.
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
		// A forge that shares merges with a remote deletes branches itself: a service would
		// close a pull request whose branch vanishes before it knows of the merge.
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
