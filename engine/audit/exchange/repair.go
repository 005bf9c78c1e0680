package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Damage is a journal that one side cannot read.
type Damage struct {
	ID string
	// There and Here are the tips of its ref on the remote and in this clone, zero
	// without one.
	There, Here tree.Hash
	// Why is the fault, on the remote or, if OnThisSide, here.
	Why        error
	OnThisSide bool
	// Restorable reports that the other side has it intact. Otherwise Actors lists the
	// authors of its readable events, whose clones may have it.
	Restorable bool
	Actors     []string
	// Cut reports that neither side has it intact, and that no merge on main depends on
	// it: it can be reset to its readable part. A clone that has it intact publishes it
	// again.
	Cut bool
	// Silent reports that the remote's main has a merge of it that its journal there does
	// not record, because the record was removed or reset: new clones cannot prove the
	// merge.
	Silent bool
	// Worse reports that the remote's can be read and proves a merge no more that is in force
	// here by ours: it was rewritten.
	Worse bool
}

// Damages fetches from a remote and finds the journals that cannot be read there or here,
// and those that lack a merge of the remote's main. Diverged journals are not damaged: a
// pull unites them. If refs other than journals cannot be fetched, it also returns the
// error *remote.Partly.
func Damages(ctx context.Context, w *workspace.Workspace, from string) ([]Damage, error) {
	here, err := journalsBelow(w.Repo, local.PullPrefix)
	if err != nil {
		return nil, err
	}
	remote.Forget(w.Repo, from) // a repair follows from what fails now
	out, failed := unfetched(ctx, w, from, here, remote.Fetch(ctx, w.Repo, from))
	var others *remote.Partly
	if failed != nil && !errors.As(failed, &others) {
		return out, failed
	}
	there, err := journalsBelow(w.Repo, remote.Tracking(from, local.PullPrefix))
	if err != nil {
		return nil, err
	}
	ids := keysOf(here)
	for id := range there {
		ids[id] = true
	}
	for _, d := range out {
		delete(ids, d.ID)
	}
	merged := sync.OnceValues(func() (map[string]bool, error) {
		return mergedOn(w, "refs/heads/main", remote.Tracking(from, "refs/heads/main"))
	})
	for _, id := range sortedKeys(ids) {
		d := damageOf(w.Record, w.Repo, id, here[id], there[id])
		if d == nil {
			d, err = worse(ctx, w, id, lastHere(w.Repo, id, here[id]), there[id])
		}
		if err != nil {
			return out, err
		}
		if d == nil {
			continue
		}
		if !d.Restorable {
			on, err := merged()
			d.Cut = err == nil
			//defence:journals-of-merges-are-not-cut
			d.Cut = d.Cut && !on[id]
		}
		out = append(out, *d)
	}
	silent, wrong := silences(w, from, here, out)
	return append(out, silent...), cmp.Or(wrong, ctx.Err(), failed)
}

// silences finds the proposals merged on the remote's main whose journal there, folded or
// not, does not announce the merge.
func silences(w *workspace.Workspace, from string, here map[string]tree.Hash, known []Damage) ([]Damage, error) {
	merged, err := mergedOn(w, remote.Tracking(from, "refs/heads/main"))
	if err != nil {
		return nil, err
	}
	for _, d := range known {
		delete(merged, d.ID)
	}
	shelf, err := shelfThere(local.Shelf(), w.Repo, from)
	if err != nil {
		return nil, err
	}
	var out []Damage
	for _, id := range sortedKeys(merged) {
		if !forge.IsID(id) {
			continue
		}
		there, err := lastEvent(shelf, w.Repo, id)
		if err != nil || announces(w.Repo, there) {
			continue // unreadable journals are reported as such
		}
		mine := lastHere(w.Repo, id, here[id])
		live, err := refOrZero(w.Repo, remote.Tracking(from, local.PullPrefix+id))
		if err != nil {
			return out, err
		}
		d := Damage{ID: id, There: live, Here: here[id], Silent: true, Restorable: announces(w.Repo, mine), Why: errors.New("nothing in it announces the merge that main has")}
		if there.IsZero() {
			d.Why = errors.New("there is none")
		}
		if !there.IsZero() && d.Restorable {
			if d.Restorable, err = w.Repo.IsAncestor(there, mine); err != nil {
				return out, err
			}
		}
		if !d.Restorable {
			d.Actors = actorsOf(w.Repo, cmp.Or(mine, there))
			slices.Sort(d.Actors)
			d.Actors = slices.Compact(d.Actors)
		}
		out = append(out, d)
	}
	return out, nil
}

// lastHere returns the last event of a journal of this clone: at its ref, or folded.
func lastHere(repo *gitstore.Repo, id string, live tree.Hash) tree.Hash {
	if !live.IsZero() {
		return live
	}
	events, err := local.Shelf().Read(repo, id)
	if err != nil || len(events) == 0 {
		return tree.Hash{}
	}
	return events[len(events)-1].Commit
}

// announces reports whether a journal up to an event announces a merge.
func announces(repo *gitstore.Repo, at tree.Hash) bool {
	if at.IsZero() {
		return false
	}
	events, err := journal.ReadAt(repo, at)
	return err == nil && slices.ContainsFunc(events, func(e journal.Event) bool { return e.Kind == "merging" })
}

// unfetched finds the journals that made a fetch fail. If all other refs arrived, the
// error is nil, or *remote.Partly for refs that are not journals.
func unfetched(ctx context.Context, w *workspace.Workspace, from string, here map[string]tree.Hash, failed error) ([]Damage, error) {
	var partly *remote.Partly
	if failed == nil {
		return nil, nil
	}
	if !errors.As(failed, &partly) {
		out, seen := dangling(ctx, w, from, here, failed)
		if len(out) > 0 && seen == nil {
			return out, nil // no fetch works before these are repaired
		}
		return nil, fmt.Errorf("fetch from %s: %w", from, errors.Join(failed, seen))
	}
	there, err := refsThere(ctx, w, from)
	if err != nil {
		return nil, err
	}
	var out []Damage
	others, damaged := *partly, partly.Damaged()
	others.Refs = nil
	for _, ref := range partly.Refs {
		id, below := strings.CutPrefix(ref, local.PullPrefix)
		if !below || !forge.IsID(id) || !slices.Contains(damaged, ref) {
			others.Refs = append(others.Refs, ref)
			continue
		}
		whole := !here[id].IsZero() && w.Record.Readable(id, here[id]) == nil
		out = append(out, Damage{ID: id, There: there[ref], Here: here[id], Restorable: whole, Why: partly.Err})
	}
	if len(others.Refs) > 0 {
		return out, &others
	}
	return out, nil
}

// refsThere lists the refs of a remote.
func refsThere(ctx context.Context, w *workspace.Workspace, from string) (there map[string]tree.Hash, err error) {
	_, err = remote.Push(ctx, w.Repo, from, remote.PushOptions{}, func(refs map[string]tree.Hash) ([]remote.Move, error) {
		there = refs
		return nil, nil
	})
	return there, err
}

// mergedOn returns the proposals that commits on lines of main name or introduce.
func mergedOn(w *workspace.Workspace, refs ...string) (map[string]bool, error) {
	out := map[string]bool{}
	for _, ref := range refs {
		tip, err := refOrZero(w.Repo, ref)
		if err != nil || tip.IsZero() {
			return out, err
		}
		err = w.Repo.Lineage(tip, func(c gitstore.Commit) (bool, error) {
			id, err := w.History().ProposalOf(c)
			out[id] = true
			return err == nil, err
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", ref, err)
		}
	}
	return out, nil
}

// dangling finds journal refs that point to missing objects on the remote. They make the
// whole fetch fail; its error names the missing object, and so do the remote's refs.
func dangling(ctx context.Context, w *workspace.Workspace, from string, here map[string]tree.Hash, failed error) ([]Damage, error) {
	there, err := refsThere(ctx, w, from)
	var out []Damage
	for _, id := range sortedKeys(keysOf(here)) {
		at, known := there[local.PullPrefix+id]
		if !known || !strings.Contains(failed.Error(), at.String()) || w.Record.Readable(id, here[id]) != nil {
			continue
		}
		out = append(out, Damage{ID: id, There: at, Here: here[id], Restorable: true, Why: fmt.Errorf("its ref names %s, which is missing there", at.Short())})
	}
	return out, err
}

func keysOf(m map[string]tree.Hash) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

// journalsBelow returns the heads of journals by id. It leaves out broken refs, which
// doctor reports.
func journalsBelow(repo *gitstore.Repo, prefix string) (map[string]tree.Hash, error) {
	out, err := heads(repo, prefix)
	maps.DeleteFunc(out, func(id string, _ tree.Hash) bool { return !forge.IsID(id) })
	return out, err
}

func damageOf(f *local.Forge, repo *gitstore.Repo, id string, here, there tree.Hash) *Damage {
	whole := func(at tree.Hash) error {
		if at.IsZero() {
			return forge.ErrNotFound
		}
		return f.Readable(id, at)
	}
	mine, theirs := whole(here), whole(there)
	d := Damage{ID: id, There: there, Here: here}
	switch {
	case !there.IsZero() && theirs != nil:
		d.Why, d.Restorable = theirs, mine == nil
	case !here.IsZero() && mine != nil:
		d.Why, d.Restorable, d.OnThisSide = mine, theirs == nil, true
	default:
		return nil
	}
	if !d.Restorable {
		for _, tip := range []tree.Hash{there, here} {
			at, _ := f.ReadablePart(id, tip) // Restore reports the error
			d.Actors = append(d.Actors, actorsOf(repo, at)...)
		}
		slices.Sort(d.Actors)
		d.Actors = slices.Compact(d.Actors)
	}
	return &d
}

// worse returns the damage of a journal that was rewritten on the remote so that it announces a
// merge in force here and does not prove it; nil for any other.
func worse(ctx context.Context, w *workspace.Workspace, id string, here, there tree.Hash) (*Damage, error) {
	if here.IsZero() || here == there || !announces(w.Repo, there) {
		return nil, nil
	}
	for _, way := range [][2]tree.Hash{{here, there}, {there, here}} {
		if continues, err := w.Repo.IsAncestor(way[0], way[1]); err != nil || continues {
			return nil, err
		}
	}
	why := w.Unproves(ctx, id, here, there)
	if !attest.IsRefusal(why) {
		return nil, why
	}
	return &Damage{ID: id, There: there, Here: here, Why: why, Restorable: true, Worse: true}, nil
}

// actorsOf returns the authors of a journal's events.
func actorsOf(repo *gitstore.Repo, at tree.Hash) []string {
	if at.IsZero() {
		return nil
	}
	events, err := journal.ReadAt(repo, at)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range events {
		out = append(out, e.By)
	}
	return out
}
