package local

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Review implements forge.Forge. The record must be signed and agree with the request, so
// that a review cannot be filed in another person's name.
func (f *Forge) Review(_ context.Context, id string, r forge.Review) error {
	return f.request("review", id, r.At, r.Check(), func(now observed) (decision, error) {
		if err := mustBeOpen(now.pull); err != nil {
			return decision{}, err
		}
		for _, old := range now.activity.Reviews {
			if len(r.Record) > 0 && bytes.Equal(old.Record, r.Record) && bytes.Equal(old.Signature, r.Signature) {
				return decision{}, nil
			}
		}
		if r.Head != now.pull.Head {
			return decision{}, &forge.ErrStale{Ref: branchRef(now.pull.Branch), Want: r.Head, Got: now.pull.Head}
		}
		if err := checkSigned(id, r); err != nil {
			return decision{}, err
		}
		ev, err := withActor(journal.Event{
			Kind: evReview, At: r.At, Note: r.Reason,
			Fields: fields("Decision", r.Decision, "Head", r.Head.String(), "Effective", r.Effective),
			Files:  map[string][]byte{recordFile: r.Record, signatureFile: r.Signature},
		}, r.By, forge.Open)
		return decision{event: ev}, err
	})
}

// checkSigned compares the request with the signed record.
func checkSigned(id string, r forge.Review) error {
	if len(r.Record) == 0 || len(r.Signature) == 0 {
		return forge.ErrUnsigned
	}
	rec, fingerprint, err := review.Verify(review.Signed{Record: r.Record, Signature: r.Signature})
	if err != nil {
		return fmt.Errorf("%w: %w", forge.ErrUnsigned, err)
	}
	for _, c := range []struct {
		what string
		same bool
	}{
		{"proposal", rec.Proposal == id},
		{"head", rec.Head == r.Head},
		{"decision", string(rec.Decision) == r.Decision},
		{"content", rec.Tree == r.Effective},
		{"reason", rec.Reason == r.Reason},
		{"key", string(fingerprint) == r.By.Key},
	} {
		if !c.same {
			return fmt.Errorf("%w: the signed record has another %s", forge.ErrUnsigned, c.what)
		}
	}
	return nil
}
