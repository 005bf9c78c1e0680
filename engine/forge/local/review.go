package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/journal"
	"github.com/assent-dev/assent/engine/review"
	"github.com/assent-dev/assent/engine/tree"
)

// Push implements forge.Forge.
func (f *Forge) Push(ctx context.Context, id string, push forge.Push) (forge.Pull, error) {
	err := f.change(id, func(state folded) (*journal.Event, []gitstore.RefUpdate, error) {
		if err := mustBeOpen(state.pull); err != nil {
			return nil, nil, err
		}
		if state.pull.Head == push.New {
			return nil, nil, nil
		}
		ref := branchRef(state.pull.Branch)
		if state.pull.Head != push.Old {
			return nil, nil, &forge.ErrStale{Ref: ref, Want: push.Old, Got: state.pull.Head}
		}
		branch, err := f.repo.Ref(ref)
		if err != nil && !errors.Is(err, gitstore.ErrNoRef) {
			return nil, nil, err
		}
		engine := ""
		if push.Engine {
			engine = "true"
		}
		event := journal.Event{Kind: evPushed, At: push.At, Note: push.Note, Anchors: []tree.Hash{push.New}, Fields: fields("Engine", engine)}
		if event.Fields == nil {
			event.Fields = map[string]string{}
		}
		event.Fields["Head"] = push.New.String()
		ev, err := withActor(event, push.By)
		if branch == push.New { // pushed with plain git: the branch is there already
			return ev, nil, err
		}
		return ev, []gitstore.RefUpdate{{Name: ref, Old: push.Old, New: push.New, Reflog: "assent: push " + id}}, err
	})
	if err != nil {
		return forge.Pull{}, wrap("push to", id, stale(err))
	}
	return f.Get(ctx, id)
}

// Review implements forge.Forge. The record must be signed, and must say what the
// caller says: nobody can file a review in somebody else's name.
func (f *Forge) Review(_ context.Context, id string, r forge.Review) error {
	err := f.change(id, func(state folded) (*journal.Event, []gitstore.RefUpdate, error) {
		if err := mustBeOpen(state.pull); err != nil {
			return nil, nil, err
		}
		if r.Head != state.pull.Head {
			return nil, nil, &forge.ErrStale{Ref: branchRef(state.pull.Branch), Want: r.Head, Got: state.pull.Head}
		}
		if err := checkSigned(id, r); err != nil {
			return nil, nil, err
		}
		for _, old := range state.activity.Reviews {
			if bytes.Equal(old.Record, r.Record) {
				return nil, nil, nil
			}
		}
		ev, err := withActor(journal.Event{
			Kind: evReview, At: r.At, Note: r.Reason,
			Fields: map[string]string{"Decision": r.Decision, "Head": r.Head.String(), "Effective": r.Effective},
			Files:  map[string][]byte{"review.json": r.Record, "review.sig": r.Signature},
		}, r.By)
		return ev, nil, err
	})
	return wrap("review", id, stale(err))
}

func checkSigned(id string, r forge.Review) error {
	if len(r.Record) == 0 || len(r.Signature) == 0 {
		return forge.ErrUnsigned
	}
	rec, fingerprint, err := review.Verify(review.Signed{Record: r.Record, Signature: r.Signature})
	if err != nil {
		return fmt.Errorf("%w: %w", forge.ErrUnsigned, err)
	}
	if rec.Proposal != id || rec.Head != r.Head || string(rec.Decision) != r.Decision || string(fingerprint) != r.By.Key {
		return fmt.Errorf("%w: the signed record is about another proposal, head, decision or key", forge.ErrUnsigned)
	}
	return nil
}

// stale turns the store's word for a lost race into the forge's.
func stale(err error) error {
	var s *gitstore.ErrStale
	if errors.As(err, &s) {
		return &forge.ErrStale{Ref: s.Ref, Want: s.Want, Got: s.Got}
	}
	return err
}
