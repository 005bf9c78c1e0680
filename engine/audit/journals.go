package audit

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

func pulls() journal.Shelf { return local.Shelf() }

// journalReader reads every journal of the repository.
type journalReader struct {
	*findings
	*mainLine
	// ended are the ends of the journals with refs of their own, folds those of the
	// lines.
	ended []checkpoint.Journal
	folds []checkpoint.Fold
	// ignored are the lines with false records.
	ignored map[string]bool
}

// FetchJournals is the command that fetches journals, which a plain clone lacks.
const FetchJournals = "git fetch origin 'refs/assent/*:refs/assent/*'"

// findMissing finds merges on main whose journals are missing here.
//
//defence:audit-refs
func (v *journalReader) findMissing(context.Context) (*Break, error) {
	var b *Break
	for _, o := range v.line {
		c, err := v.w.Repo.Passable(o.Hash)
		if err != nil {
			return nil, err
		}
		id := attest.ProposalNamed(c)
		if !forge.IsID(id) {
			continue
		}
		here, err := pulls().Has(v.w.Repo, id)
		if err != nil {
			return v.broken(RuleJournal, backup, "%v", err).at(c.Hash, id), nil
		}
		if here {
			continue
		}
		changes, err := changesOf(v.w.Repo, c, governedDirs()...)
		if gitstore.IsUnfit(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 {
			continue
		}
		if brought := workspace.BroughtBy(changes); brought != "" && brought != id {
			if here, err := pulls().Has(v.w.Repo, brought); err != nil || here { // the text of a service's commit proves nothing
				continue
			}
		}
		if b == nil {
			b = v.broken(RuleRefs, FetchJournals, "main shows merges whose journals are not in this repository").at(c.Hash, id)
		}
		if b == nil {
			return nil, nil
		}
		b.Refs = append(b.Refs, local.PullPrefix+id)
	}
	return b, nil
}

// readAll reads every journal from its first event to its last. Journals of trials are claims of
// their writers, on which no merge rests: their readers verify them.
//
//defence:audit-journals
func (v *journalReader) readAll(ctx context.Context) (*Break, error) {
	refs, err := v.w.Repo.Refs(workspace.RecordPrefix)
	if err != nil {
		return v.broken(RuleJournal, backup, "%v", err), nil
	}
	read := map[string]bool{}
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch workspace.KindOf(ref.Name) {
		case workspace.FoldRef:
			v.folds = append(v.folds, checkpoint.Fold{Ref: ref.Name, Head: ref.Hash})
		case workspace.EndRef, workspace.TrialRef, workspace.ArtifactsRef:
		case workspace.ForeignRef: // no reader looks there
			v.res.Unrecorded = append(v.res.Unrecorded, Reservation{Commit: ref.Hash, Note: ref.Name + " is no name that assent uses; assent doctor --fix removes it"})
		case workspace.PullRef:
			read[ref.Name] = true
			b, err := v.checkPull(ctx, ref, strings.TrimPrefix(ref.Name, local.PullPrefix))
			if b != nil || err != nil {
				return b, err
			}
			v.end(ref)
		default:
			read[ref.Name] = true
			if b := v.checkOther(ref); b != nil {
				return b, nil
			}
			v.end(ref)
		}
	}
	loose, b, err := v.readFolded(ctx, pulls(), read, func(ref gitstore.Ref, id string) (*Break, error) { return v.checkPull(ctx, ref, id) })
	if b == nil && err == nil {
		b = v.findUnrecorded(loose)
	}
	if b != nil || err != nil {
		return b, err
	}
	_, b, err = v.readFolded(ctx, runlog.Shelf(), read, func(ref gitstore.Ref, _ string) (*Break, error) { return v.checkOther(ref), nil })
	return b, err
}

// end notes where a journal with a ref of its own ends.
func (v *journalReader) end(ref gitstore.Ref) {
	v.res.Journals++
	if last, err := journal.Last(v.w.Repo, ref.Hash); err == nil {
		v.ended = append(v.ended, checkpoint.Journal{Ref: ref.Name, Head: ref.Hash, Events: last.Sequence})
	}
}

// checkOther checks a journal that does not belong to a pull request.
func (v *journalReader) checkOther(ref gitstore.Ref) *Break {
	events, err := journal.ReadAt(v.w.Repo, ref.Hash)
	if err == nil {
		err = journal.Check(v.w.Repo, events)
	}
	if err == nil && events[0].Fields["Branch"] != "" {
		err = errors.New("it is the journal of a pull request in the wrong place")
	}
	if err != nil {
		return v.broken(RuleJournal, backup, "%s: %v", ref.Name, err).at(ref.Hash, "", ref.Name)
	}
	return nil
}

// readFolded reads the folded journals of a shelf, except those read by their own refs, and checks
// that their events are kept. loose are the kept events that no record names.
func (v *journalReader) readFolded(ctx context.Context, shelf journal.Shelf, read map[string]bool, check func(gitstore.Ref, string) (*Break, error)) (loose map[tree.Hash]bool, b *Break, err error) {
	kept, err := shelf.Kept(v.w.Repo)
	if err != nil {
		return nil, v.broken(RuleJournal, backup, "%v", err), nil
	}
	found := errors.New("found")
	loose = maps.Clone(kept)
	err = shelf.Records(v.w.Repo, func(rec journal.Record, err error) error {
		ref := gitstore.Ref{Name: rec.Line, Hash: rec.Head}
		delete(loose, rec.Head)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case read[shelf.Ref(rec.Name)]:
			v.noteIgnored(shelf, rec, err)
			return nil
		case err != nil:
			b, err = v.broken(RuleJournal, backup, "%v", err).at(ref.Hash, rec.Name, shelf.Folded), nil
		case !kept[rec.Head]:
			b = v.broken(RuleJournal, backup, "nothing keeps the journal of %s from being deleted by git", rec.Name).at(rec.Head, rec.Name, rec.Line)
		default:
			read[shelf.Ref(rec.Name)] = true
			v.res.Journals++
			b, err = check(ref, rec.Name)
		}
		if err == nil && b != nil {
			err = found
		}
		return err
	})
	if b != nil {
		return nil, b, nil
	}
	return loose, nil, err
}

// noteIgnored notes that a line has a record which readers leave out beside the journal's own ref, once
// for each line.
func (v *journalReader) noteIgnored(shelf journal.Shelf, rec journal.Record, unreadable error) {
	live, err := v.w.Repo.Ref(shelf.Ref(rec.Name))
	if err != nil || v.ignored[rec.Line] || unreadable == nil && shelf.Beside(v.w.Repo, rec, live) == nil {
		return
	}
	if v.ignored == nil {
		v.ignored = map[string]bool{}
	}
	v.ignored[rec.Line] = true
	v.res.Unrecorded = append(v.res.Unrecorded, Reservation{rec.Name, rec.Head, rec.Line + " has a record that is not true of its journal; readers ignore it"})
}

// findUnrecorded finds a journal that a line keeps without a record: it exists, but no
// reader finds it.
func (v *journalReader) findUnrecorded(loose map[tree.Hash]bool) *Break {
	for head := range loose {
		events, err := journal.ReadAt(v.w.Repo, head)
		id := ""
		if err == nil { // it may have been folded again since
			id = strings.TrimPrefix(events[0].Fields["Branch"], forge.BranchPrefix)
			events, err = pulls().Read(v.w.Repo, id)
		}
		if err != nil || !slices.ContainsFunc(events, func(e journal.Event) bool { return e.Commit == head }) {
			return v.broken(RuleJournal, backup, "a line keeps the event %s, and no record of a journal names it", head.Short()).at(head, id, local.ClosedPrefix)
		}
	}
	return nil
}

// checkPull checks one pull request's journal: it is readable, its reviews are signed for
// this workspace and proposal, and its merge is on main.
func (v *journalReader) checkPull(ctx context.Context, ref gitstore.Ref, id string) (*Break, error) {
	pull, activity, err := v.w.Record.Read(ctx, id)
	var damaged *forge.Damaged
	if errors.As(err, &damaged) || errors.Is(err, forge.ErrNotFound) {
		return v.broken(RuleJournal, backup, "%v", err).at(ref.Hash, id, ref.Name), nil
	}
	if err != nil {
		return nil, err
	}
	for _, r := range activity.Reviews {
		v.res.Reviews++
		//defence:audit-reviews
		if why := v.badReview(id, r); why != "" {
			return v.broken(RuleReview, backup, "a review in the journal of %s: %s", id, why).at(r.Head, id, ref.Name), nil
		}
	}
	if b := v.checkTelling(pull, activity, ref); b != nil {
		return b, nil
	}
	if _, here := v.place[pull.Merge]; pull.State == forge.Merged && !here {
		v.res.Unrecorded = append(v.res.Unrecorded, Reservation{id, pull.Merge, "main of the remote has its merge, which this clone lacks: assent pull"})
	}
	if !pull.Claimed.IsZero() {
		return v.broken(RuleMergedElsewhere, backup, "the journal of %s says merged as %s, which is not on main", id, pull.Claimed.Short()).
			at(pull.Claimed, id, ref.Name), nil
	}
	return nil, v.noteBranch(pull, activity)
}

func (v *journalReader) badReview(id string, r forge.Review) string {
	rec, key, err := review.Verify(review.Signed{Record: r.Record, Signature: r.Signature})
	switch {
	case err != nil:
		return err.Error()
	case rec.Workspace != v.res.Workspace.String():
		return "it was signed for another workspace"
	case rec.Proposal != id:
		return "it was signed for proposal " + rec.Proposal
	case rec.Head != r.Head || string(rec.Decision) != r.Decision || rec.Tree != r.Effective,
		rec.Reason != r.Reason || !rec.At.Equal(r.At) || string(key) != r.By.Key:
		return "the journal differs from the signed record"
	}
	return ""
}
