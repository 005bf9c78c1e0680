package workspace

import (
	"context"
	"errors"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Unproves returns a Refusal if a merge is in force here, the journal of its proposal up to the
// event own proves it, and the one up to next does not; nil if no merge would be lost. The
// invariant of a pull: it never replaces the evidence of such a merge by worse.
func (w *Workspace) Unproves(ctx context.Context, id string, own, next tree.Hash) error {
	cur, err := w.Session(ctx)
	var stopped *attest.Broken
	if errors.As(err, &stopped) { // nothing after a break is in force here
		return nil
	}
	if err != nil {
		return err
	}
	mine, err := w.Record.AnnouncedUpTo(id, own)
	if err != nil {
		return err
	}
	for _, one := range mine {
		on, err := w.Repo.IsAncestor(one.Commit, cur.InForce)
		if unreadable(err) || err == nil && !on {
			continue
		}
		if err != nil {
			return err
		}
		if err := unproves(ctx, cur, id, one, next); err != nil {
			return err
		}
	}
	return nil
}

// unproves is Unproves for one announcement of our journal.
func unproves(ctx context.Context, cur Session, id string, mine local.Announced, next tree.Hash) error {
	c, err := cur.Repo.Commit(mine.Commit)
	if err != nil {
		return err
	}
	ours, err := claim{Announced: mine, proposal: id}.loaded()
	if err != nil || ours.why != nil { // ours proves nothing
		return err
	}
	before, err := cur.At(startAt(cur, ours.att.From))
	if err != nil {
		return err
	}
	if why := provenBy(ctx, before, id, []local.Announced{mine}, c); why != nil {
		if attest.IsRefusal(why) {
			return nil
		}
		return why
	}
	theirs, err := cur.Record.AnnouncedUpTo(id, next)
	if err != nil {
		return err
	}
	why := provenBy(ctx, before, id, theirs, c)
	if !attest.IsRefusal(why) {
		return why
	}
	//defence:pulls-keep-what-proves-a-merge
	if why != nil {
		return attest.Refuse("it does not prove the merge %s, which is in force here: %v", c.Hash.Short(), why)
	}
	return nil
}

// provenBy returns nil if one of the announcements proves a commit as a merge.
func provenBy(ctx context.Context, before Session, id string, announced []local.Announced, c gitstore.Commit) error {
	why := attest.Refuse("nothing in it announces it")
	claims, err := judgeable(announced, id, before.Policies.Roles, c)
	if err != nil {
		return err
	}
	for _, one := range claims {
		if one.Commit != c.Hash {
			continue
		}
		if one, err = one.loaded(); err != nil {
			return err
		}
		if _, why = rejudgeClaim(ctx, before, one, c, nil); why == nil || !attest.IsRefusal(why) {
			return why
		}
	}
	return why
}
