package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/review"
	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/workspace"
)

// Relied is a merge in force in which a key took part.
type Relied struct {
	Proposal string    `json:"proposal"`
	Commit   tree.Hash `json:"commit"`
	Subject  string    `json:"subject"`
	// At is the date of the merge, as who merged wrote it.
	At time.Time `json:"at"`
	// Approved and Attested say what the key signed: an approval, the attestation, or both.
	Approved bool `json:"approved"`
	Attested bool `json:"attested"`
	// Needed is set where the merge would not pass without the key; Without says what would
	// be missing.
	Needed  bool   `json:"needed"`
	Without string `json:"without,omitempty"`
	// Files are those that the merge brought and that are in force with the same content.
	Files []string `json:"files"`
	// Changed are those that are in force with other content by now, which may hold parts.
	Changed []string `json:"changed"`
	// Removed are those that it deleted and that are not in force now.
	Removed []string `json:"removed"`
}

// ReliedOn walks all of history, judges every merge again, and lists those in which the key
// took part, oldest first. The verdict is computed a second time without its signatures.
func ReliedOn(ctx context.Context, w *workspace.Workspace, key review.Fingerprint, progress Progress) ([]Relied, error) {
	out := []Relied{}
	done := 0
	cur, err := w.Anew(ctx, func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
		att, ex, err := w.Rejudge(ctx, before, c)
		if done++; progress != nil {
			progress(done, 0)
		}
		if err != nil {
			return err
		}
		if r, part := reliedOn(att, ex, key); part {
			r.Commit, r.Subject = c.Hash, c.Subject()
			out = append(out, r)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("walk the record: %w", err)
	}
	for i := range out {
		if err := out[i].inForce(w, cur); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reliedOn judges one merge without the signatures of a key.
func reliedOn(att attest.Attestation, ex workspace.Examined, key review.Fingerprint) (Relied, bool) {
	r := Relied{Proposal: att.Proposal, At: att.Instant(), Attested: att.Signer == key, Files: []string{}, Changed: []string{}, Removed: []string{}}
	without := ex.Case
	without.Activity.Reviews = slices.DeleteFunc(slices.Clone(ex.Case.Activity.Reviews), func(f forge.Review) bool {
		rec, by, err := review.Verify(review.Signed{Record: f.Record, Signature: f.Signature})
		mine := err == nil && by == key
		r.Approved = r.Approved || mine && rec.Decision == review.Approve
		return mine
	})
	if !r.Approved && !r.Attested {
		return r, false
	}
	verdict, _ := gate.Judge(without)
	switch {
	//defence:what-a-key-carried-is-judged-without-it
	case verdict.Outcome != policy.Allowed:
		r.Needed, r.Without = true, verdict.Reason
	case r.Attested && (att.Afterwards() || len(att.Observed) > 0):
		r.Needed, r.Without = true, "nobody else vouches for what "+att.Service+" showed"
	case r.Attested && len(att.Tests) > 0:
		r.Needed, r.Without = true, "nobody else vouches for what its tests came to"
	}
	return r, true
}

// Remains reports whether anything that the merge did may still be in force.
func (r Relied) Remains() bool { return len(r.Files)+len(r.Changed)+len(r.Removed) > 0 }

// inForce finds what the merge brought, and what became of it.
func (r *Relied) inForce(w *workspace.Workspace, cur workspace.Current) error {
	c, err := w.Repo.Commit(r.Commit)
	if err != nil {
		return fmt.Errorf("read a merge: %w", err)
	}
	changes, err := changesOf(w.Repo, c, governedDirs()...)
	if err != nil {
		return err
	}
	for _, ch := range changes {
		now, err := cur.View.Lookup(ch.Path)
		switch there := err == nil; {
		case there && !ch.Removed() && now.Hash == ch.New.Hash:
			r.Files = append(r.Files, ch.Path)
		case there && !ch.Removed():
			r.Changed = append(r.Changed, ch.Path)
		case !there && ch.Removed():
			r.Removed = append(r.Removed, ch.Path)
		}
	}
	return nil
}
