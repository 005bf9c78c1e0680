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
	closedPrefix  = journalPrefix + "closed/"
)

func pulls() journal.Shelf { return journal.Shelf{Live: pullPrefix, Folded: closedPrefix} }

// FetchJournals is the command that brings journals which a plain clone lacks.
const FetchJournals = "git fetch origin 'refs/assent/*:refs/assent/*'"

// refs finds merges on main whose journals are not here.
func (v *verifier) refs(context.Context) (*Break, error) {
	var b *Break
	for _, c := range v.line {
		id := c.Trailer(attest.ProposalTrailer)
		if !forge.IsID(id) {
			continue
		}
		here, err := pulls().Has(v.w.Repo, id)
		if err != nil {
			return broken(RuleJournal, backup, "%v", err).at(c.Hash, id), nil
		}
		if here {
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
	own := map[string]bool{}
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if strings.HasPrefix(ref.Name, closedPrefix) {
			continue
		}
		v.res.Journals++
		id, isPull := strings.CutPrefix(ref.Name, pullPrefix)
		if isPull {
			own[id] = true
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
	return v.folded(ctx, own)
}

// folded reads the journals that are folded, but for those that were read by their
// own refs, and checks that their events are kept.
func (v *verifier) folded(ctx context.Context, read map[string]bool) (*Break, error) {
	kept, err := pulls().Kept(v.w.Repo)
	if err != nil {
		return broken(RuleJournal, backup, "%v", err), nil
	}
	var b *Break
	found := errors.New("found")
	err = pulls().Records(v.w.Repo, func(rec journal.Record, err error) error {
		ref := gitstore.Ref{Name: rec.Line, Hash: rec.Head}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			b = broken(RuleJournal, backup, "%v", err).at(ref.Hash, rec.Name, closedPrefix)
		case !kept[rec.Head]:
			b = broken(RuleJournal, backup, "nothing keeps the journal of %s from being deleted by git", rec.Name).at(rec.Head, rec.Name, rec.Line)
		case read[rec.Name]:
			return nil
		default:
			read[rec.Name] = true
			v.res.Journals++
			b, err = v.pull(ctx, ref, rec.Name)
		}
		if err == nil && b != nil {
			err = found
		}
		return err
	})
	if b != nil {
		return b, nil
	}
	return nil, err
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
