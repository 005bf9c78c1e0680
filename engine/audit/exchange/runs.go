package exchange

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
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
			join:   func(at tree.Hash) (runlog.Joined, error) { return joinRun(ctx, p, id, at) },
			part:   func() (tree.Hash, error) { return p.readableRun(id, r.theirs) },
			beyond: runlog.Unreadable,
		}.of(p, runlog.Prefix+id, r.theirs, r.unread)
		switch {
		case runlog.Unreadable(err):
			p.leave(fmt.Errorf("%s: %w; assent doctor --fix --remote puts back what can be read", runName(id), err), runlog.Prefix+id)
		case err != nil:
			return err
		case joined.Took+joined.Again > 0:
			p.out.Runs = append(p.out.Runs, Run{id, joined})
		}
	}
	return nil
}

func joinRun(ctx context.Context, p *pulling, id string, at tree.Hash) (runlog.Joined, error) {
	return p.w.Runs.Join(id, at, p.flow, func(proposal, head string) bool { return p.delivered(ctx, proposal, head) })
}

// moved is a run that differs there, with its last event there and the bytes of its journal.
type moved struct {
	id     string
	theirs tree.Hash
	size   int64
	// unread says why not all of it can be read; its size is that of the part that can.
	unread error
}

// minUnread is what a run at least counts that cannot be read whole: it is examined event by event.
const minUnread = runlog.MaxListed / 32

// affordable returns the runs to join. Joining reads a whole journal, and anyone who can push can add
// journals, and refs at one journal. So a pull joins the smallest ones, up to the bytes that a list reads
// (runlog.MaxListed), and those last that cannot be read whole. It names the others; a later pull joins
// them if they fit. What is beyond these bytes is weighed, and events that several refs share once.
func (p *pulling) affordable(shelf journal.Shelf) []moved {
	weigh := weighing{p, shelf, journal.Sizes{}, runlog.NewOrigins(p.w.Repo)}
	var all, out []moved
	for _, id := range sortedKeys(p.unlike(runlog.Prefix)) {
		if r, err := weigh.of(id); err != nil {
			p.leave(fmt.Errorf("%s: %w; assent doctor --fix --remote restores it from a clone that has it", runName(id), err), runlog.Prefix+id)
		} else if r.id != "" {
			all = append(all, r)
		}
	}
	place := func(r moved) int64 {
		if r.unread != nil {
			return r.size + journal.MaxTotal + 1
		}
		return r.size
	}
	order.Stable(all, func(a, b moved) int { return cmp.Compare(place(a), place(b)) })
	left := int64(runlog.MaxListed)
	for _, r := range all {
		var err error
		if left >= 0 {
			if r, err = weigh.exactly(r); err != nil {
				p.leave(err, runlog.Prefix+r.id)
				continue
			}
		}
		if r.theirs.IsZero() || r.theirs == p.here[runlog.Prefix+r.id] {
			continue
		}
		left -= r.size
		//defence:pulls-of-runs-have-a-budget
		if left < 0 {
			p.leave(fmt.Errorf("%s: its journal has %d bytes; one pull takes at most %d MiB of runs, the smallest journals first", runName(r.id), r.size, runlog.MaxListed>>20), runlog.Prefix+r.id)
			continue
		}
		out = append(out, r)
	}
	order.Sort(out, func(a, b moved) int { return cmp.Compare(a.id, b.id) })
	return out
}

// weighing weighs the journals of runs on a remote.
type weighing struct {
	p       *pulling
	shelf   journal.Shelf
	sizes   journal.Sizes
	origins runlog.Origins
}

// of weighs a run without reading it. The id is empty if it is not there. An error says that its journal
// is that of another run.
func (w weighing) of(id string) (moved, error) {
	live, heads, err := w.shelf.Places(w.p.w.Repo, id)
	r := moved{id: id, theirs: live, unread: err}
	if !live.IsZero() {
		heads = append(heads, live)
	}
	if len(heads) == 0 {
		return moved{}, nil
	}
	for _, head := range heads {
		weight, err := w.sizes.Of(w.p.w.Repo, head)
		if err != nil {
			r.unread = cmp.Or(r.unread, err)
			weight, _ = w.sizes.Below(w.p.w.Repo, head)
		}
		if err := w.origins.Other(weight.First, id); err != nil && (head == live || live.IsZero() && len(heads) == 1) {
			return r, err
		}
		r.theirs, r.size = head, max(r.size, weight.Bytes)
	}
	return r, nil
}

// exactly finds the last event of a run, or what of it can be read.
func (w weighing) exactly(r moved) (moved, error) {
	repo := w.p.w.Repo
	theirs, unread := lastEvent(w.shelf, repo, r.id)
	var weight journal.Weight
	if unread != nil {
		theirs = w.p.there[runlog.Prefix+r.id]
	} else if !theirs.IsZero() {
		weight, unread = w.sizes.Of(repo, theirs)
	}
	r.theirs, r.unread, r.size = theirs, unread, weight.Bytes
	if theirs.IsZero() || unread == nil {
		return r, nil
	}
	part, err := w.p.readableRun(r.id, theirs)
	if err == nil && !part.IsZero() {
		weight, err = w.sizes.Of(repo, part)
	}
	r.size = max(weight.Bytes, minUnread)
	return r, err
}

// readableRun returns what of a damaged run on the remote can be read.
func (p *pulling) readableRun(id string, head tree.Hash) (tree.Hash, error) {
	ref := runlog.Prefix + id
	return p.parts.of(ref, head, p.here[ref], func() (tree.Hash, error) { return p.w.Runs.ReadablePart(id, head) })
}

// delivered reports whether a proposal's journal contains a head, or main has the proposal by it.
func (p *pulling) delivered(ctx context.Context, proposal, head string) bool {
	if pull, err := p.w.Forge.Get(ctx, proposal); err == nil && pull.State == forge.Merged && pull.Merge.String() == head {
		return true
	}
	activity, err := p.w.Record.Activity(ctx, proposal)
	return err == nil && slices.ContainsFunc(activity.Pushes, func(push forge.Push) bool { return push.New.String() == head })
}

// flow returns the workflow that a run recorded, zero if it is not here: then the run does not go on.
func (p *pulling) flow(s run.State) workflow.Workflow {
	commit, err := tree.ParseHash(s.Commit)
	if err != nil {
		return workflow.Workflow{}
	}
	view, err := p.w.Repo.Snapshot(commit)
	if err != nil {
		return workflow.Workflow{}
	}
	all, _, _ := workflow.Load(view, workspace.Schedule)
	for _, f := range all {
		if f.Name == s.Workflow && f.Digest == s.Definition {
			return f
		}
	}
	return workflow.Workflow{}
}
