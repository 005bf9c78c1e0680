package audit_test

import (
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// old merges a change that today's rules refuse, as an earlier version with other rules
// did: approved by Ada, its attestation signed by attester.
func (d *world) old(attester ssh.Signer) tree.Hash {
	d.Helper()
	edit := skill("clove-hitch", "Pull.")
	edit.Content = []byte(strings.Replace(string(edit.Content), "description:", "colour: red\ndescription:", 1))
	id := d.proposed(proposal.Proposal{Goal: "learn to tie a knot"}, edit)
	cur, err := d.Session(d.Context())
	d.OK(err)
	ex, err := cur.Examine(d.Context(), id)
	d.OK(err)
	if ex.Report.Passed {
		d.Fatal("today's rules find nothing")
	}
	d.signs(ex)
	ex, err = cur.Examine(d.Context(), id) // with the approval, which the merge counts
	d.OK(err)
	ex.Report.Engine, ex.Report.Diagnostics, ex.Report.Passed, ex.Report.Scan = "0.0.9", nil, true, policy.Scan{Ran: true}
	ex.Case.Report = &ex.Report
	ex.Verdict.Outcome = policy.Allowed
	return d.merged(ex, func(a *attest.Attestation) {
		a.Engine = "0.0.9"
		if attester == nil {
			return
		}
		a.Signer = review.FingerprintOf(attester.PublicKey())
		d.resign = func(data, _ []byte) []byte {
			sig, err := review.SignAttestation(data, attester)
			d.OK(err)
			return sig
		}
	})
}

// saw returns a checkpoint of the state right after a merge.
func (d *world) saw(merge tree.Hash, signer ssh.Signer) audit.Witness {
	d.Helper()
	c := checkpoint.Checkpoint{V: checkpoint.Version, At: d.Tick().UTC(), Engine: "0.0.9", Main: merge, InForce: merge, Journals: []checkpoint.Journal{}, Folds: []checkpoint.Fold{}}
	cur, err := d.Session(d.Context())
	d.OK(err)
	c.Workspace = cur.Genesis
	for h := merge; !h.IsZero(); c.Commits++ {
		commit, err := d.Repo.Commit(h)
		d.OK(err)
		h = tree.Hash{}
		if len(commit.Parents) > 0 {
			h = commit.Parents[0]
		}
	}
	text, err := checkpoint.Sign(c, signer)
	d.OK(err)
	return audit.Witness{Name: "kept", Text: text}
}

// TestUpgradeThatFindsMore: a merge by an earlier version counts after an upgrade whose
// rules find more, if more than one person signed it, and it is named. One person alone
// cannot achieve that. Without such a signature it would need a workspace in which no later
// version merged before.
func TestUpgradeThatFindsMore(t *testing.T) {
	const lacks, named = "needs 2 approvals by humans, has 1 (version 0.0.9 let it pass, and by today's rules validation finds 1 error", "allowed by version 0.0.9; today's rules would not: refused, validation found 1 error"
	for name, c := range map[string]struct {
		attester  func(ada, bob ssh.Signer) ssh.Signer
		witness   func(ada, bob ssh.Signer) ssh.Signer
		brokenFor string
	}{
		"nobody but Ada": {nil, nil, "no listed human or witness signed for that"},
		"Ada attests":    {ada, nil, lacks},
		"Ada witnesses":  {nil, ada, lacks},
		"Bob attests":    {bob, nil, ""},
		"Bob witnesses":  {nil, bob, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorld(t)
			b := d.bob()
			merge := d.old(who(c.attester, d.Ada, b))
			var witnesses []audit.Witness
			if c.witness != nil {
				witnesses = append(witnesses, d.saw(merge, who(c.witness, d.Ada, b)))
			}
			res, err := audit.Verify(t.Context(), d.Workspace, nil, witnesses...)
			d.OK(err)
			if c.brokenFor != "" {
				rule := audit.RuleMerge
				if c.attester != nil { // a listed key announced it
					rule = audit.RuleBreak
				}
				if res.Broken == nil || res.Broken.Rule != rule || !strings.Contains(res.Broken.Reason, c.brokenFor) {
					t.Errorf("broken: %+v, want %q", res.Broken, c.brokenFor)
				}
				return
			}
			if res.Broken != nil || res.InForce != merge || len(res.Excepted) != 1 || !strings.Contains(res.Excepted[0].Note, named) {
				t.Errorf("broken %+v, excepted %+v", res.Broken, res.Excepted)
			}
			// Readers without a checkpoint continue from the verified state.
			if cur, err := d.Session(t.Context()); err != nil || cur.InForce != merge {
				t.Errorf("in force is %s, want %s (%v)", cur.InForce, merge, err)
			}
		})
	}
}

func ada(ada, _ ssh.Signer) ssh.Signer { return ada }
func bob(_, bob ssh.Signer) ssh.Signer { return bob }

func who(choose func(ada, bob ssh.Signer) ssh.Signer, a, b ssh.Signer) ssh.Signer {
	if choose == nil {
		return nil
	}
	return choose(a, b)
}

// signs records an approval that today's command would refuse because validation fails.
func (d *world) signs(ex workspace.Examined) {
	d.Helper()
	rec := review.Record{
		V: review.Version, Workspace: ex.Case.Workspace, Proposal: ex.Case.Pull.ID, Head: ex.Case.Pull.Head, Tree: ex.Case.Effective,
		Decision: review.Approve, At: d.Tick().UTC(), Nonce: "0123456789abcdef",
	}
	signed, err := review.Sign(rec, d.Ada)
	d.OK(err)
	d.OK(d.Forge.Review(d.Context(), rec.Proposal, forge.Review{
		By: forge.Actor{Name: "ada", Key: string(d.Ada.Fingerprint())}, Decision: string(rec.Decision), Head: rec.Head, Effective: rec.Tree,
		At: rec.At, Record: signed.Record, Signature: signed.Signature,
	}))
}
