package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// compareJournals checks that every journal continues the state in a checkpoint, folded
// or not.
func (v *checkpointReader) compareJournals(ctx context.Context, w *witness) (*Break, error) {
	for _, j := range w.Journals {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b := v.compareJournal(w, j); b != nil {
			return b, nil
		}
	}
	folds, err := pulls().Folds(v.w.Repo)
	if err != nil {
		return v.broken(RuleJournal, backup, "%v", err), nil
	}
	for _, f := range w.Folds {
		if !folds[f.Head] {
			if b := v.broken(RuleCheckpointJournal, elsewhere,
				"no line of folded journals continues %s as %s saw it, at %s: dropped, rolled back or forged", f.Ref, w, f.Head.Short()).
				at(f.Head, "", f.Ref); b != nil {
				return b, nil
			}
			continue
		}
		if b, err := v.compareFold(w, f); b != nil || err != nil {
			return b, err
		}
	}
	return nil, nil
}

// compareJournal checks one journal that had a ref of its own.
func (v *checkpointReader) compareJournal(w *witness, j checkpoint.Journal) *Break {
	now, err := v.readChain(j.Ref)
	if err != nil {
		return v.broken(RuleJournal, backup, "%v", err).at(j.Head, proposalOf(j.Ref), j.Ref)
	}
	if len(now) >= j.Events && now[j.Events-1].Commit == j.Head {
		return nil
	}
	if len(now) == 0 {
		return v.broken(RuleCheckpointJournal, elsewhere, "%s saw the journal %s with %d events, and it is gone: dropped", w, j.Ref, j.Events).
			at(j.Head, proposalOf(j.Ref), j.Ref)
	}
	var then []link
	if events, err := journal.ReadAt(v.w.Repo, j.Head); err == nil {
		then = eventLinks(events)
	}
	first, how := describeDivergence(then, eventLinks(now), j.Events)
	return v.broken(RuleCheckpointJournal, elsewhere, "the journal %s does not continue what %s saw of it: %s", j.Ref, w, how).
		at(first, proposalOf(j.Ref), j.Ref)
}

// readChain reads a journal in its current place.
func (v *checkpointReader) readChain(ref string) ([]journal.Event, error) {
	switch workspace.KindOf(ref) {
	case workspace.PullRef:
		return pulls().Read(v.w.Repo, proposalOf(ref))
	case workspace.RunRef:
		return runlog.Shelf().Read(v.w.Repo, strings.TrimPrefix(ref, runlog.Prefix))
	}
	return journal.Read(v.w.Repo, ref)
}

func eventLinks(events []journal.Event) []link {
	var out []link
	for _, e := range events {
		name := fmt.Sprintf("event %d (%s, %s)", e.Sequence, e.Kind, e.Commit.Short())
		at := e.Commit
		e.Commit, e.Sequence = tree.Hash{}, 0
		out = append(out, link{at, sha256.Sum256(fmt.Appendf(nil, "%q", []any{e.Kind, e.At.UnixNano(), e.By, e.Fields, e.Files, e.Note})), name})
	}
	return out
}

// compareFold checks the journals that were folded when a checkpoint recorded a line. A
// line that has not moved has the same records, which are all read anyway.
func (v *checkpointReader) compareFold(w *witness, f checkpoint.Fold) (*Break, error) {
	if at, err := v.w.Repo.Ref(f.Ref); err == nil && at == f.Head {
		return nil, nil
	} else if err != nil && !errors.Is(err, gitstore.ErrNoRef) {
		return nil, err
	}
	var b *Break
	found := errors.New("found")
	err := pulls().RecordsAt(v.w.Repo, f.Head, func(rec journal.Record, err error) error {
		if err != nil {
			b = v.broken(RuleJournal, backup, "%v", err).at(f.Head, rec.Name, f.Ref)
		} else if now, err := v.readChain(local.PullPrefix + rec.Name); err != nil {
			b = v.broken(RuleJournal, backup, "%v", err).at(rec.Head, rec.Name, f.Ref)
		} else if !slices.ContainsFunc(now, func(e journal.Event) bool { return e.Commit == rec.Head }) {
			b = v.broken(RuleCheckpointJournal, elsewhere, "the journal of %s does not hold what %s saw of it, up to %s: dropped, rolled back or forged",
				rec.Name, w, rec.Head.Short()).at(rec.Head, rec.Name, f.Ref)
		}
		if b != nil {
			return found
		}
		return nil
	})
	if b != nil {
		return b, nil
	}
	return nil, err
}
