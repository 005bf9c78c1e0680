package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// pushing is one attempt at a push: the remote's state and the resulting moves.
type pushing struct {
	w *workspace.Workspace
	o Options
	// diverged is the reason why pulling does not help, nil if it may help.
	diverged error
	// untaken are the refs of the remote that a pull could not import.
	untaken []string
	there   map[string]tree.Hash
	// shelves are those of the remote that were opened, by the prefix of ours.
	shelves map[string]journal.Shelf
	// main is the future tip of the remote's main; zero if unknown here.
	main   tree.Hash
	moves  []remote.Move
	held   []Held
	behind []string // what must be pulled first
	ended  []remote.Move
}

// decide returns the moves for remote.Push, none if something must be pulled first.
func (p *pushing) decide(ctx context.Context, there map[string]tree.Hash) ([]remote.Move, error) {
	p.there, p.shelves = there, map[string]journal.Shelf{}
	ids, main, err := p.mainMove(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.lines(); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := p.proposal(ctx, id); err != nil {
			return nil, err
		}
	}
	for _, step := range []func(context.Context) error{p.artifacts, p.runs, p.stops, p.trials} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	p.moves = p.unobstructed(append(p.moves, main...)) // main is last: on a remote without atomic pushes, the evidence arrives first
	if len(p.behind) > 0 && p.diverged != nil {
		for _, what := range p.behind {
			p.held = append(p.held, Held{what, "the remote has more of it, and nothing can be pulled: " + p.diverged.Error()})
		}
		p.behind = nil
	}
	if p.o.DryRun || len(p.behind) > 0 {
		for _, what := range p.behind {
			p.held = append(p.held, Held{what, "the remote has more of it, which a push takes in first"})
		}
		return nil, nil
	}
	return p.moves, nil
}

// first records that the remote's ref must be pulled before the push. A ref that a pull
// could not import is held back instead: pulling again does not help.
func (p *pushing) first(ref, what string) {
	//defence:untaken-refs-hold-up-only-their-own
	if slices.Contains(p.untaken, ref) {
		p.held = append(p.held, Held{what, "what " + p.o.Remote + " has of it cannot be fetched, read or joined with ours; assent doctor --remote says what to do"})
		return
	}
	if !slices.Contains(p.behind, what) {
		p.behind = append(p.behind, what)
	}
}

// mainMove decides about main, and returns the proposals to examine: the requested ones,
// and with main those that it merges, or all.
func (p *pushing) mainMove(ctx context.Context) (ids []string, moves []remote.Move, err error) {
	here, err := refOrZero(p.w.Repo, attest.MainRef)
	if err != nil || here.IsZero() {
		return nil, nil, errors.Join(err, attest.ErrNoMain)
	}
	if ids, err = p.requested(); err != nil {
		return nil, nil, err
	}
	there := p.there[attest.MainRef]
	p.main = there
	if there == here {
		return ids, nil, nil
	}
	forward, known, err := p.forward(there, here)
	switch {
	case err != nil:
		return nil, nil, err
	case !known:
		p.main = tree.Hash{}
		p.first(attest.MainRef, "main")
		return ids, nil, nil
	case !forward:
		return ids, nil, p.notForward(here, there)
	}
	if held, err := p.pastGate(ctx, there); held || err != nil {
		return ids, nil, err
	}
	merged, err := p.mergedBetween(there, here)
	if err != nil {
		return nil, nil, err
	}
	if len(p.o.IDs) > 0 && !slices.ContainsFunc(p.o.IDs, func(id string) bool { return slices.Contains(merged, id) }) && !there.IsZero() {
		return ids, nil, nil
	}
	for _, id := range merged {
		if _, err := p.w.Repo.Ref(local.PullPrefix + id); err == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		if ref := local.PullPrefix + id; slices.Contains(p.untaken, ref) || obstacle(p.there, ref) != "" {
			p.held = append(p.held, Held{"main", "the journal of " + id + ", which proves its merge, cannot be published"})
			return ids, nil, nil
		}
	}
	p.main = here
	return ids, []remote.Move{{Ref: attest.MainRef, Old: there, New: here}}, nil
}

// requested returns the proposals to push: those named, or all. Without names it holds back those
// whose refs are broken.
func (p *pushing) requested() ([]string, error) {
	refs, err := p.w.Repo.Refs(local.PullPrefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil || len(p.o.IDs) > 0 {
		return slices.Clone(p.o.IDs), err
	}
	for _, ref := range broken {
		p.held = append(p.held, Held{strings.TrimPrefix(ref.Name, local.PullPrefix), ref.Error()})
	}
	var ids []string
	for _, ref := range refs {
		if workspace.Shared(ref.Name) {
			ids = append(ids, strings.TrimPrefix(ref.Name, local.PullPrefix))
		}
	}
	return ids, nil
}

// pastGate holds main back if it has a commit that never passed the gate and that the remote lacks.
// On the remote, such a commit would block every merge until it is taken back. A main that cannot be
// judged here is held back too, and everything else is published.
func (p *pushing) pastGate(ctx context.Context, there tree.Hash) (bool, error) {
	cur, _, err := p.w.Look(ctx)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	//defence:mains-that-cannot-be-judged-stay-here
	if err != nil {
		p.held = append(p.held, Held{"main", "it cannot be judged here: " + err.Error()})
		return true, nil
	}
	for _, b := range cur.Blocked {
		known := false
		if !there.IsZero() {
			if known, err = p.w.Repo.IsAncestor(b.Commit, there); err != nil {
				return false, err
			}
		}
		if !known {
			p.held = append(p.held, Held{"main", fmt.Sprintf("it holds commit %s (%s) that never passed the gate: %s; %s", b.Commit.Short(), b.Subject, b.Why, b.Remedy())})
			return true, nil
		}
	}
	return false, nil
}

// notForward holds main back if both sides have new commits. A main that is behind is
// fine.
func (p *pushing) notForward(here, there tree.Hash) error {
	behind, err := p.w.Repo.IsAncestor(here, there)
	if err == nil && !behind {
		p.held = append(p.held, Held{"main", fmt.Sprintf("it is at %s here and at %s there, and neither descends from the other", here.Short(), there.Short())})
	}
	return err
}

// forward reports whether a ref may move from there to here; known is false if the remote
// has something that this clone lacks or cannot read.
func (p *pushing) forward(there, here tree.Hash) (forward, known bool, err error) {
	if there.IsZero() {
		return true, true, nil
	}
	//defence:junk-on-the-hub-holds-up-only-its-own
	if _, err := p.w.Repo.Commit(there); Unreadable(err) {
		return false, false, nil
	} else if err != nil {
		return false, false, err
	}
	forward, err = p.w.Repo.IsAncestor(there, here)
	return forward, true, err
}

// mergedBetween lists the proposals that main's first-parent line names after there.
func (p *pushing) mergedBetween(there, here tree.Hash) ([]string, error) {
	var ids []string
	err := p.w.Repo.Lineage(here, func(c gitstore.Commit) (bool, error) {
		if c.Hash == there {
			return false, nil
		}
		if id := attest.ProposalNamed(c); forge.IsID(id) {
			ids = append(ids, id)
		}
		return true, nil
	})
	return ids, err
}

// lines publishes folded journals that are ahead of the remote's.
func (p *pushing) lines() error {
	if len(p.o.IDs) > 0 {
		return nil
	}
	for _, shelf := range shelves() {
		if err := p.linesOf(shelf); err != nil {
			return err
		}
	}
	return nil
}

// legible reports whether a ref here names a commit. If not, it is held back, and nothing else is.
func (p *pushing) legible(what string, here tree.Hash) bool {
	_, err := p.w.Repo.Commit(here)
	if err != nil {
		p.held = append(p.held, Held{what, "it cannot be read here: " + err.Error()})
	}
	return err == nil
}

// shelves returns the exchanged kinds of journals.
func shelves() []journal.Shelf { return []journal.Shelf{local.Shelf(), runlog.Shelf()} }

func (p *pushing) linesOf(shelf journal.Shelf) error {
	refs, err := p.w.Repo.Refs(shelf.Folded)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return err
	}
	for _, ref := range broken {
		p.held = append(p.held, Held{strings.TrimPrefix(ref.Name, workspace.RecordPrefix), ref.Error()})
	}
	for _, ref := range refs {
		there := p.there[ref.Name]
		if there == ref.Hash || !workspace.Shared(ref.Name) || !p.legible(strings.TrimPrefix(ref.Name, workspace.RecordPrefix), ref.Hash) {
			continue
		}
		forward, known, err := p.forward(there, ref.Hash)
		switch name := strings.TrimPrefix(ref.Name, "refs/assent/"); {
		case err != nil:
			return err
		case !known:
			p.first(ref.Name, name)
		case forward:
			p.moves = append(p.moves, remote.Move{Ref: ref.Name, Old: there, New: ref.Hash})
		default:
			if behind, err := p.w.Repo.IsAncestor(ref.Hash, there); err != nil {
				return err
			} else if !behind {
				p.held = append(p.held, Held{name, "both folded journals; assent maintenance unites them after assent pull"})
			}
		}
	}
	return nil
}

// proposal decides about one proposal's journal and branch.
func (p *pushing) proposal(ctx context.Context, id string) error {
	ref := local.PullPrefix + id
	here, err := refOrZero(p.w.Repo, ref)
	if err != nil || here.IsZero() {
		return err
	}
	there := p.there[ref]
	branch := "refs/heads/" + forge.BranchPrefix + id
	at, err := refOrZero(p.w.Repo, branch)
	var broken *gitstore.BrokenRef
	if errors.As(err, &broken) {
		p.held = append(p.held, Held{id, broken.Error()})
		return nil
	}
	if err != nil || here == there && at == p.there[branch] || !p.legible(id, here) {
		return err
	}
	forward, known, err := p.forward(there, here)
	if err != nil {
		return err
	}
	if !known || !forward && there != here {
		return p.notAhead(ref, id, here, there, known)
	}
	if folded, err := p.folded(local.Shelf(), id, id, here, there); err != nil || folded {
		return err
	}
	pull, err := p.w.Record.Get(ctx, id)
	if err != nil {
		var damaged *forge.Damaged
		if errors.As(err, &damaged) {
			p.held = append(p.held, Held{id, "its record here is damaged"})
			return nil
		}
		return err
	}
	return p.publish(ctx, pull, remote.Move{Ref: ref, Old: there, New: here}, remote.Move{Ref: branch, Old: p.there[branch], New: at})
}
