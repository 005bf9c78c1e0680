package exchange

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// lines updates folded journals, after the proposals. A record must be on the same chain
// as the local journal, and local events that were in the way have been replayed by then.
// A diverged line is stored beside ours, where readers find it and maintenance unites it.
func (p *pulling) lines(context.Context) error {
	for _, shelf := range shelves() {
		if err := p.linesOf(shelf); err != nil {
			return err
		}
	}
	return nil
}

func (p *pulling) linesOf(shelf journal.Shelf) error {
	for _, name := range p.differing(shelf.Folded) {
		here, there := p.here[name], p.there[name]
		//defence:lines-are-read-before-they-move
		if err := shelf.Readable(p.w.Repo, here, there); err != nil {
			p.leave(fmt.Errorf("%s of %s stays behind: %w", name, p.out.Remote, err), name)
			if there = p.newest(here, there, func(at tree.Hash) error { return shelf.Readable(p.w.Repo, here, at) }); there.IsZero() {
				continue
			}
		}
		move, beside := gitstore.RefUpdate{Name: name, Old: here, New: there, Reflog: "assent: pull"}, false
		if !here.IsZero() {
			forward, err := p.w.Repo.IsAncestor(here, there)
			if err != nil {
				return err
			}
			behind, err := p.w.Repo.IsAncestor(there, here)
			if err != nil {
				return err
			}
			if beside = !forward; behind {
				continue
			}
		}
		if beside {
			move.Name = name + "-" + p.out.Remote
			if move.Old = p.here[move.Name]; move.Old == there {
				continue
			}
		}
		if !p.dryRun {
			if err := p.w.Repo.Update(move); err != nil {
				return err
			}
		}
		if beside {
			p.out.Beside = append(p.out.Beside, lineName(shelf, move.Name))
			continue
		}
		p.out.Lines = append(p.out.Lines, lineName(shelf, name))
	}
	return nil
}

// lineName returns the year of folded proposals, and for other shelves the rest of the
// ref's name.
func lineName(shelf journal.Shelf, ref string) string {
	if shelf.Folded == local.ClosedPrefix {
		return path.Base(ref)
	}
	return strings.TrimPrefix(ref, "refs/assent/")
}

// proposals updates journals and branches, one proposal after the other.
func (p *pulling) proposals(ctx context.Context) error {
	ids := p.unlike(local.PullPrefix)
	branches := "refs/heads/" + forge.BranchPrefix
	for _, name := range p.differing(branches) {
		ids[strings.TrimPrefix(name, branches)] = true
	}
	shelf, err := shelfThere(local.Shelf(), p.w.Repo, p.out.Remote)
	if err != nil {
		return err
	}
	for _, id := range sortedKeys(ids) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.dangling[local.PullPrefix+id] || p.dangling[branches+id] {
			continue
		}
		head, unread := lastEvent(shelf, p.w.Repo, id)
		if unread != nil {
			head = p.there[local.PullPrefix+id]
		}
		if head.IsZero() {
			continue // known here only, or a branch without a proposal
		}
		if p.dryRun {
			if unread == nil && (head != p.here[local.PullPrefix+id] || p.there[branches+id] != p.here[branches+id]) {
				p.out.Proposals = append(p.out.Proposals, Proposal{ID: id})
			}
			continue
		}
		u, err := p.join(ctx, id, head, unread)
		switch {
		case attest.IsRefusal(err):
			p.leave(fmt.Errorf("%w; ours stays, and assent doctor --fix --remote puts it there", err), local.PullPrefix+id)
			continue
		case beyond(err), errors.Is(err, forge.ErrNotFound):
			p.leave(err, local.PullPrefix+id)
			continue
		case err != nil:
			return err
		}
		if u.Took+u.Again > 0 || u.Branch.Name != "" || u.Stays != "" {
			p.out.Proposals = append(p.out.Proposals, Proposal{id, u})
		}
		if u.Branch.Name != "" && p.checkedOut[u.Branch.Name] {
			p.follow(u.Branch)
		}
	}
	return nil
}

// join joins the journal of a proposal that ends at head there with ours.
func (p *pulling) join(ctx context.Context, id string, head tree.Hash, unread error) (local.Joined, error) {
	ref := local.PullPrefix + id
	theirs := local.Theirs{Branch: p.there["refs/heads/"+forge.BranchPrefix+id], Unproves: func(own, next tree.Hash) error { return p.w.Unproves(ctx, id, own, next) }}
	theirs.OfRun = func() bool { _, err := p.w.Runs.Read(id); return err == nil }
	return readable[local.Joined]{
		join: func(at tree.Hash) (local.Joined, error) {
			theirs.Journal = at
			return p.forge.Join(id, theirs, func(b string) bool { return p.checkedOut[b] })
		},
		part: func() (tree.Hash, error) {
			return p.parts.of(ref, head, p.here[ref], func() (tree.Hash, error) { return p.forge.ReadablePart(id, head) })
		},
		beyond: beyond,
	}.of(p, ref, head, unread)
}

// shelfThere returns a remote's shelf as of the last fetch.
func shelfThere(shelf journal.Shelf, repo *gitstore.Repo, from string) (_ journal.Shelf, err error) {
	shelf.Live, shelf.Folded = remote.Tracking(from, shelf.Live), remote.Tracking(from, shelf.Folded)
	shelf.Lines, err = shelf.Opened(repo)
	return shelf, err //nolint:wrapcheck // names the ref
}

// lastEvent returns the last event of a journal, folded or not; zero if there is none.
func lastEvent(shelf journal.Shelf, repo *gitstore.Repo, id string) (tree.Hash, error) {
	shelf.Only = func(string, int64) bool { return false } // a join reads files, once
	events, err := shelf.Read(repo, id)
	if err != nil || len(events) == 0 {
		return tree.Hash{}, err
	}
	return events[len(events)-1].Commit, nil
}
