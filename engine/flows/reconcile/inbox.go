package reconcile

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// IDOf returns the id of the proposal for an inbox branch. It depends only on branch and
// commit, so a pass that runs again after a crash, or beside another one, opens the same
// proposal.
func IDOf(b Branch) string {
	sum := sha256.Sum256([]byte(b.Name + "\x00" + b.Commit.String()))
	last := b.Name[strings.LastIndex(b.Name, "/")+1:]
	return names.NewProposalID(last, [5]byte(sum[:5]))
}

// materialise makes an inbox branch a proposal and then removes the branch; its
// commits stay reachable from the proposal's journal. listing is that of propose.Request.
func materialise(ctx context.Context, w *workspace.Workspace, a Action, listing *time.Duration, r *Result) error {
	b := Branch{Name: a.Subject, Commit: a.Content}
	r.Proposal = IDOf(b)
	_, err := w.Record.Get(ctx, r.Proposal)
	switch {
	case errors.Is(err, forge.ErrNotFound):
		opened, err := openBranch(ctx, w, b, listing, r)
		if err != nil || !opened {
			return err
		}
	case err != nil:
		return err
	default:
		r.Reason = "was opened by an earlier pass"
	}
	r.Outcome = Proposed
	return clear(w, b)
}

// clear removes the branch if it is unchanged since it was materialised. If it is gone,
// another pass cleared it; if it moved, it holds something new.
func clear(w *workspace.Workspace, b Branch) error {
	err := w.Repo.Update(gitstore.RefUpdate{Name: "refs/heads/" + b.Name, Old: b.Commit, Reflog: "assent: materialised"})
	var stale *gitstore.ErrStale
	if errors.As(err, &stale) {
		return nil
	}
	return err
}

func openBranch(ctx context.Context, w *workspace.Workspace, b Branch, listing *time.Duration, r *Result) (bool, error) {
	cur, err := w.Session(ctx)
	if err != nil {
		return false, err
	}
	src, err := propose.FromCommit(cur, b.Commit)
	if unreadable(err) {
		r.left(err.Error(), nil)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if src.Diagnostics.HasErrors() {
		r.left("its draft cannot be read", src.Diagnostics)
		return false, nil
	}
	from, err := pushersOf(ctx, cur, b)
	if err != nil {
		return false, err
	}
	agent, why := agentOf(cur, from, src.Proposal.Agent)
	if agent == "" {
		r.left(why, nil)
		return false, nil
	}
	req := propose.Request{
		Proposal: src.Proposal, Edits: src.Edits, Parent: src.Parent, Drop: src.Drop, Origin: provenance.Origin{Way: provenance.Inbox, Source: b.Name}, Claimed: true, Listing: listing,
	}
	req.Proposal.ID, req.Proposal.Agent, req.Behind = r.Proposal, agent, from.by
	if req.By, req.Author, err = propose.Who(cur, agent); err != nil {
		return false, err
	}
	out, err := propose.Open(ctx, w, req)
	switch {
	case errors.Is(err, forge.ErrExists): // another pass opened it between our look and now
		return true, nil
	case unreadable(err):
		r.left(err.Error(), nil)
		return false, nil
	case err != nil:
		return false, err
	case out.Diagnostics.HasErrors():
		r.left("it cannot become a proposal", out.Diagnostics)
		return false, nil
	}
	r.Reason, r.Diagnostics = "by "+agent, out.Diagnostics
	return true, nil
}

// unreadable reports whether err is about an unusable branch and not a failing environment:
// no common history with main, missing or damaged objects, entries that are no files.
// Anyone can push such a branch, and it must not stop the pass.
func unreadable(err error) bool {
	return errors.Is(err, propose.ErrUnrelated) || gitstore.IsContent(err)
}

func (r *Result) left(reason string, diags diag.List) {
	r.Outcome, r.Reason, r.Diagnostics, r.Proposal = Left, reason, diags, ""
}
