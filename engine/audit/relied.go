package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Relied is a merge in force that relied on a key.
type Relied struct {
	Proposal string    `json:"proposal"`
	Commit   tree.Hash `json:"commit"`
	Subject  string    `json:"subject"`
	// At is the date of the merge by the merger's clock.
	At time.Time `json:"at"`
	// Key is the key that was used.
	Key review.Fingerprint `json:"key"`
	// Approved and Attested report what the key signed: an approval, the attestation, or
	// both.
	Approved bool `json:"approved"`
	Attested bool `json:"attested"`
	// Needed reports that the merge would not pass without the key; Without is what would
	// be missing.
	Needed  bool   `json:"needed"`
	Without string `json:"without,omitempty"`
	// Again lists the humans who approved the merge again without the key. Excepted lists
	// the statements of humans who keep it in force without such an approval.
	Again    []string    `json:"approved_again"`
	Excepted []Exception `json:"excepted"`
	// Files are the files of the merge that are in force unchanged.
	Files []string `json:"files"`
	// Changed are those in force with other content now, which may contain parts of the
	// merge.
	Changed []string `json:"changed"`
	// Removed are the files that it deleted and that are still absent.
	Removed []string `json:"removed"`

	// facts and policies are the input for judging without the key. witness is the reason
	// why no approval covers what the key attested.
	facts    policy.Facts
	policies policy.Policies
	witness  string
}

// Exception is a human's statement that a merge stays in force without the approval that
// the policies require.
type Exception struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// Open reports whether the merge needs the key and is not excepted.
func (r Relied) Open() bool { return r.Needed && len(r.Excepted) == 0 }

// ReliedOn walks all of history, judges every merge again, and lists those that used the
// key, oldest first. It computes the verdict again without the key's signatures, and once
// more with the signatures of humans who approved the merge again.
func ReliedOn(ctx context.Context, w *workspace.Workspace, key review.Fingerprint, progress Progress) ([]Relied, error) {
	out := []Relied{}
	done := 0
	cur, err := w.Rejudged(ctx, func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
		att, ex, err := w.Rejudge(ctx, before, c)
		if done++; progress != nil {
			progress(done, 0)
		}
		if err != nil {
			return err
		}
		if r, part := reliedOn(att, ex, c, key); part {
			out = append(out, r)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("walk the record: %w", err)
	}
	return out, settle(ctx, cur, out)
}

// settle determines which parts of the merges are in force, and applies later statements
// about them.
func settle(ctx context.Context, cur workspace.Session, all []Relied) error {
	for i := range all {
		if err := all[i].inForce(cur); err != nil {
			return err
		}
		activity, err := cur.Record.Activity(ctx, all[i].Proposal)
		if err != nil {
			return fmt.Errorf("read the statements about %s: %w", all[i].Proposal, err)
		}
		for _, c := range activity.Comments {
			if said, by, err := review.OpenAgain(c.Body); err == nil {
				all[i].Take(cur, cur.Now(), said, by)
			}
		}
	}
	return nil
}

// Take applies a signed statement about the merge, and reports whether it counts. It must
// name this merge and this key, and be signed with another key, by a human in force now.
// An approval counts as it would have on the proposal: by the policies before the merge
// and the people in the current roles.yaml.
func (r *Relied) Take(cur workspace.Session, now time.Time, said review.Again, by review.Fingerprint) bool {
	who, known := cur.Policies.Roles.ByKey(by)
	//defence:statements-are-by-other-humans
	if !known || by == r.Key || !cur.Policies.Roles.Satisfies(who, policy.Human) || who.Expired(now) {
		return false
	}
	//defence:statements-name-merge-and-key
	if said.Workspace != cur.ID() || said.Proposal != r.Proposal || said.Commit != r.Commit || said.Key != r.Key {
		return false
	}
	if said.Decision == review.Except {
		r.Excepted = append(r.Excepted, Exception{who.Name, said.Reason, said.At})
		return true
	}
	if !slices.Contains(r.Again, who.Name) {
		r.Again = append(r.Again, who.Name)
	}
	r.facts.Reviews = append(r.facts.Reviews, policy.Review{
		By: policy.Actor{Key: by}, Decision: review.Approve, At: r.facts.Now, Head: r.facts.Head, Effective: r.facts.Effective, Valid: true,
	})
	policies := r.policies
	policies.Roles = cur.Policies.Roles
	verdict, _ := policy.JudgeWithRisk(policies, r.facts)
	switch {
	//defence:approvals-again-are-judged
	case verdict.Outcome != policy.Allowed:
		r.Without = verdict.Reason
	case r.witness != "":
		r.Without = r.witness
	default:
		r.Needed, r.Without = false, ""
	}
	return true
}

// reliedOn judges one merge without the signatures of a key.
func reliedOn(att attest.Attestation, ex workspace.Examined, c gitstore.Commit, key review.Fingerprint) (Relied, bool) {
	r := Relied{
		Proposal: att.Proposal, Commit: c.Hash, Subject: c.Subject(), At: att.Instant(), Key: key, Attested: att.Signer == key,
		Again: []string{}, Excepted: []Exception{}, Files: []string{}, Changed: []string{}, Removed: []string{},
	}
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
	switch {
	case r.Attested && (att.Afterwards() || len(att.Observed) > 0):
		r.witness = "nobody else vouches for what " + att.Service + " showed"
	case r.Attested && len(att.Tests) > 0:
		r.witness = "nobody else vouches for what its tests came to"
	}
	r.facts, r.policies = without.Facts(), without.Policies
	verdict, _ := gate.Judge(without)
	switch {
	//defence:what-a-key-carried-is-judged-without-it
	case verdict.Outcome != policy.Allowed:
		r.Needed, r.Without = true, verdict.Reason
	case r.witness != "":
		r.Needed, r.Without = true, r.witness
	}
	return r, true
}

// Remains reports whether any effect of the merge may still be in force.
func (r Relied) Remains() bool { return len(r.Files)+len(r.Changed)+len(r.Removed) > 0 }

// inForce determines the files of the merge and their current state.
func (r *Relied) inForce(cur workspace.Session) error {
	c, err := cur.Repo.Commit(r.Commit)
	if err != nil {
		return fmt.Errorf("read a merge: %w", err)
	}
	changes, err := changesOf(cur.Repo, c, governedDirs()...)
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
