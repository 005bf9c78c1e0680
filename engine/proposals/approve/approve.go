// Package approve records a person's decision on a proposal: it shows the exact content, has it
// signed, and files the signature with the forge.
//
// It signs only content that it examined itself a moment before, and files no unsigned review: no
// decision is filed in another person's name.
package approve

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// Decision is a reviewer's decision.
type Decision struct {
	Proposal string
	// Head is the head that the person looked at; zero accepts any head.
	Head     tree.Hash
	Decision review.Decision
	Reason   string
	Signer   ssh.Signer
	DryRun   bool
}

// Outcome is the state after the decision.
type Outcome struct {
	By       policy.Identity
	Examined workspace.Examined
	// Counts says whether the decision is one that the gate looks at; Note says why
	// not, or under which reservation.
	Counts bool
	Note   string
}

// NotListed means that roles.yaml lists the key for no one. Revoked says why, if the key was
// revoked.
type NotListed struct {
	Fingerprint review.Fingerprint
	Revoked     string
}

// Error says what to do.
func (n *NotListed) Error() string {
	if n.Revoked != "" {
		return n.Revoked + "; sign with another key"
	}
	return fmt.Sprintf("policies/roles.yaml in force lists the key %s for no one; "+
		"name another in ASSENT_KEY, or have a proposal add it to roles.yaml", n.Fingerprint)
}

// Failing means that a proposal cannot be approved because validation refuses it.
type Failing struct{ Proposal, Summary string }

// Error says what to do.
func (f *Failing) Error() string {
	return fmt.Sprintf("%s cannot be approved: %s; request changes, or let its author update it", f.Proposal, f.Summary)
}

// Nothing means that there is no decision to take back.
type Nothing struct{ Proposal, By string }

// Error names the person and the proposal.
func (n *Nothing) Error() string {
	return fmt.Sprintf("%s has no decision on %s to take back", n.By, n.Proposal)
}

// Run signs and files a decision. Content that validation refuses cannot be approved, so that no
// signature ever covers it: in workspace.Rejudge, people's signatures keep merges in force that an
// earlier version of the program allowed. A rejection by a person whose approval the proposal
// needs closes it as rejected; it can be reopened.
func Run(ctx context.Context, w *workspace.Workspace, d Decision) (Outcome, error) {
	cur, err := w.Session(ctx)
	if err != nil {
		return Outcome{}, err
	}
	key := review.FingerprintOf(d.Signer.PublicKey())
	who, ok := cur.Policies.Roles.ByKey(key)
	if !ok {
		missing := &NotListed{Fingerprint: key}
		if id, rev, revoked := cur.Policies.Roles.RevokedKey(key); revoked {
			missing.Revoked = rev.Refusal(id.Name)
		}
		return Outcome{}, missing
	}
	ex, err := cur.Examine(ctx, d.Proposal)
	if err != nil {
		return Outcome{}, err
	}
	if ex.Case.Pull.State != forge.Open {
		return Outcome{}, closed(ex.Case.Pull)
	}
	if got := ex.Case.Pull.Head; !d.Head.IsZero() && got != d.Head {
		return Outcome{}, &forge.ErrStale{Ref: ex.Case.Pull.Branch, Want: d.Head, Got: got}
	}
	out := Outcome{By: who, Examined: ex}
	out.Counts, out.Note = policy.MayApprove(cur.Policies, ex.Case.Facts(), who)
	if d.Decision == review.Approve && !out.Counts {
		out.Note = cmp.Or(policy.SignedToo(cur.Policies, ex.Case.Facts(), who), out.Note)
	}
	if d.Decision == review.Approve && !ex.Report.Passed {
		return out, &Failing{Proposal: ex.Case.Pull.ID, Summary: ex.Report.Summary()}
	}
	before := own(ex, who, cur)
	if d.Decision == review.Revoke && (len(before) == 0 || before[len(before)-1].Decision == review.Revoke) {
		return out, &Nothing{Proposal: ex.Case.Pull.ID, By: who.Name}
	}
	at := after(before, d.Decision, w.Now())
	if said := ahead(before, d.Decision, at); said != "" {
		out.Note = strings.TrimPrefix(out.Note+"; "+said, "; ")
	}
	if d.DryRun {
		return out, nil
	}
	if err := file(ctx, cur, ex, d, who, key, at); err != nil {
		return out, err
	}
	if d.Decision == review.Reject && out.Counts {
		err := w.Forge.Close(ctx, d.Proposal, forge.Closing{
			By: forge.Actor{Name: who.Name, Key: string(key)}, Why: string(proposal.Rejected), Note: d.Reason, At: w.Now(),
		})
		if err != nil {
			return out, err
		}
	}
	if out.Examined, err = cur.Examine(ctx, d.Proposal); err == nil {
		err = propose.Refresh(ctx, w, out.Examined)
	}
	return out, err
}

func closed(p forge.Pull) error {
	if p.State == forge.Merged {
		return fmt.Errorf("%s: %w", p.ID, forge.ErrMerged)
	}
	return fmt.Errorf("%s was %s: %w", p.ID, p.Why, forge.ErrClosed)
}

// own returns the decisions that the reviewer signed before, by date.
func own(ex workspace.Examined, who policy.Identity, cur workspace.Session) []policy.Review {
	mine := slices.DeleteFunc(ex.Case.Facts().Reviews, func(r policy.Review) bool {
		id, known := cur.Policies.Roles.Proven(r.By)
		return !r.Valid || !known || id.Name != who.Name
	})
	order.Stable(mine, func(a, b policy.Review) int { return a.At.Compare(b.At) })
	return mine
}

// after returns the date of a decision: now, in whole seconds, and later than the person's earlier
// ones, because the date orders two decisions. A revocation of a decision dated ahead bears that
// decision's date, however far ahead: both begin to count at the same instant, and within one
// second the revocation prevails.
func after(before []policy.Review, decision review.Decision, now time.Time) time.Time {
	at := now.UTC().Truncate(time.Second)
	if len(before) == 0 || at.After(before[len(before)-1].At) {
		return at
	}
	last := before[len(before)-1].At
	switch {
	case decision == review.Revoke:
		return last
	case last.Sub(at) < policy.ClockSkew: // by then both count, and this one must be the later
		return last.Add(time.Second)
	}
	return at
}

// ahead returns a warning if an earlier decision of the person, signed with a clock that was
// ahead, will outlast this one: dates order decisions, and no date may be ahead of the clock.
func ahead(before []policy.Review, decision review.Decision, at time.Time) string {
	if len(before) == 0 || decision == review.Revoke {
		return ""
	}
	last := before[len(before)-1]
	if !last.At.After(at) {
		return ""
	}
	return fmt.Sprintf("this counts only until %s: then the %s that was signed with a clock ahead counts; decide again after that",
		last.At.UTC().Format(time.RFC3339), last.Decision)
}

func file(ctx context.Context, cur workspace.Session, ex workspace.Examined, d Decision, who policy.Identity, key review.Fingerprint, at time.Time) error {
	var nonce [16]byte
	if _, err := io.ReadFull(cur.Random, nonce[:]); err != nil {
		return fmt.Errorf("make a nonce: %w", err)
	}
	pull := ex.Case.Pull
	rec := review.Record{
		V: review.Version, Workspace: cur.ID(), Proposal: pull.ID, Head: pull.Head, Tree: ex.Case.Effective,
		Decision: d.Decision, Reason: strings.TrimSpace(d.Reason), At: at, Nonce: hex.EncodeToString(nonce[:]),
	}
	signed, err := review.Sign(rec, d.Signer)
	if err != nil {
		return fmt.Errorf("sign the review: %w", err)
	}
	return cur.Forge.Review(ctx, pull.ID, forge.Review{
		By: forge.Actor{Name: who.Name, Key: string(key)}, Decision: string(d.Decision), Reason: rec.Reason,
		Head: pull.Head, Effective: ex.Case.Effective, At: rec.At, Record: signed.Record, Signature: signed.Signature,
	})
}
