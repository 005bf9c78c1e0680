package audit

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/journal"
	"github.com/assent-dev/assent/engine/review"
)

// Where journals are.
const (
	journalPrefix = "refs/assent/"
	pullPrefix    = journalPrefix + "pulls/"
)

// FetchJournals is the command that brings journals which a plain clone lacks.
const FetchJournals = "git fetch origin 'refs/assent/*:refs/assent/*'"

// refs finds merges on main whose journals are not here.
func (v *verifier) refs(context.Context) (*Break, error) {
	there, err := v.w.Repo.Refs(pullPrefix)
	if err != nil {
		return broken(RuleJournal, backup, "%v", err), nil
	}
	known := map[string]bool{}
	for _, r := range there {
		known[r.Name] = true
	}
	var b *Break
	for _, c := range v.line {
		id := c.Trailer(attest.ProposalTrailer)
		if !forge.IsID(id) || known[pullPrefix+id] {
			continue
		}
		changes, err := changesOf(v.w.Repo, c, governedDirs()...)
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 {
			continue
		}
		if b == nil {
			b = broken(RuleRefs, FetchJournals, "main shows merges whose journals are not in this repository").at(c.Hash, id)
		}
		b.Refs = append(b.Refs, pullPrefix+id)
	}
	return b, nil
}

// journals reads every journal from its first event to its last.
func (v *verifier) journals(ctx context.Context) (*Break, error) {
	refs, err := v.w.Repo.Refs(journalPrefix)
	if err != nil {
		return broken(RuleJournal, backup, "%v", err), nil
	}
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v.res.Journals++
		id, isPull := strings.CutPrefix(ref.Name, pullPrefix)
		if isPull {
			b, err := v.pull(ctx, ref, id)
			if b != nil || err != nil {
				return b, err
			}
			continue
		}
		if _, err := journal.Read(v.w.Repo, ref.Name); err != nil {
			return broken(RuleJournal, backup, "%v", err).at(ref.Hash, "", ref.Name), nil
		}
	}
	return nil, nil
}

// pull checks one pull request's journal: it reads, its reviews are signed for
// this workspace and proposal, and what it says is merged is on main.
func (v *verifier) pull(ctx context.Context, ref gitstore.Ref, id string) (*Break, error) {
	pull, err := v.w.Forge.Get(ctx, id)
	var damaged *forge.Damaged
	if errors.As(err, &damaged) || errors.Is(err, forge.ErrNotFound) {
		return broken(RuleJournal, backup, "%v", err).at(ref.Hash, id, ref.Name), nil
	}
	if err != nil {
		return nil, err
	}
	activity, err := v.w.Forge.Activity(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, r := range activity.Reviews {
		v.res.Reviews++
		if why := v.badReview(id, r); why != "" {
			return broken(RuleReview, backup, "a review in the journal of %s: %s", id, why).at(r.Head, id, ref.Name), nil
		}
	}
	if _, here := v.place[pull.Merge]; pull.State == forge.Merged && !here {
		return broken(RuleMergedElsewhere, backup, "the journal of %s says merged as %s, which is not on main", id, pull.Merge.Short()).
			at(pull.Merge, id, ref.Name), nil
	}
	return nil, nil
}

func (v *verifier) badReview(id string, r forge.Review) string {
	rec, _, err := review.Verify(review.Signed{Record: r.Record, Signature: r.Signature})
	switch {
	case err != nil:
		return err.Error()
	case rec.Workspace != v.res.Workspace.String():
		return "it was signed for another workspace"
	case rec.Proposal != id:
		return "it was signed for proposal " + rec.Proposal
	case rec.Head != r.Head || string(rec.Decision) != r.Decision || rec.Tree != r.Effective:
		return "the journal tells it otherwise than it was signed"
	}
	return ""
}
