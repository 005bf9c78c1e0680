package audit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func (d *world) verify() audit.Result {
	d.Helper()
	res, err := audit.Verify(d.Context(), d.Workspace, nil)
	d.OK(err)
	return res
}

func TestVerifyHolds(t *testing.T) {
	d := newWorld(t)
	first := d.merged(d.approved(skill("bowline", "Pull.")), nil)
	d.Straight("by hand", tree.Edit{Path: "README.md", Content: []byte("x")})
	d.merged(d.approved(skill("reef-knot", "Pull.")), nil)
	res := d.verify()
	if res.Broken != nil {
		t.Fatalf("broken: %+v", res.Broken)
	}
	got := []int{res.Commits, res.Merges, res.Journals, res.Reviews, res.ByTier["low"]}
	if diff := cmp.Diff([]int{4, 2, 2, 2, 2}, got); diff != "" {
		t.Errorf("commits, merges, journals, reviews, low (-want +got):\n%s", diff)
	}
	cur, err := d.Session(t.Context())
	d.OK(err)
	log, err := audit.Log(t.Context(), cur, 0, nil)
	d.OK(err)
	var kinds []audit.Kind
	for _, e := range log {
		kinds = append(kinds, e.Kind)
	}
	if diff := cmp.Diff([]audit.Kind{audit.Merge, audit.Other, audit.Merge, audit.Genesis}, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if e := log[2]; e.Commit != first || !e.InForce || !cmp.Equal(e.Approvers, []string{"ada"}) {
		t.Errorf("the first merge: %+v", e)
	}
}

// TestVerifyAttestation: an attestation may only state what judging the merge again
// confirms.
func TestVerifyAttestation(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*attest.Attestation)
		rule   string
		reason string
	}{
		"risk":     {func(a *attest.Attestation) { a.Risk = policy.High }, audit.RuleVerdict, "says the risk is high"},
		"change":   {func(a *attest.Attestation) { a.Effective = "sha256:0" }, audit.RuleVerdict, "says the change is"},
		"verdict":  {func(a *attest.Attestation) { a.Verdict.Outcome = policy.Waiting }, audit.RuleVerdict, "says the verdict is waiting"},
		"report":   {func(a *attest.Attestation) { a.Report = "sha256:0" }, audit.RuleMerge, "report is missing"},
		"proposal": {func(a *attest.Attestation) { a.From = a.Head }, audit.RuleMerge, "judged against"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorld(t)
			commit := d.merged(d.approved(skill("bowline", "Pull.")), c.change)
			b := d.verify().Broken
			if b == nil || b.Rule != c.rule || b.Commit != commit || !strings.Contains(b.Reason, c.reason) {
				t.Errorf("broken: %+v", b)
			}
		})
	}
}

// TestVerifyReview: a review with a replaced signature, or that differs from the signed
// record, is reported before it is used.
func TestVerifyReview(t *testing.T) {
	for name, spoil := range map[string]func(*journal.Event){
		"signature": func(e *journal.Event) { e.Files["review.sig"] = []byte("-----BEGIN SSH SIGNATURE-----") },
		"decision":  func(e *journal.Event) { e.Fields["Decision"] = "reject" },
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorld(t)
			id := d.approved(skill("bowline", "Pull.")).Case.Pull.ID
			ref := "refs/assent/pulls/" + id
			_, err := journal.Append(d.Repo, ref, func(history []journal.Event) (*journal.Event, error) {
				e := history[len(history)-1]
				if e.Kind != "review" {
					t.Fatalf("the last event is %s", e.Kind)
				}
				spoil(&e)
				return &e, nil
			})
			d.OK(err)
			b := d.verify().Broken
			if b == nil || b.Rule != audit.RuleReview || b.Proposal != id || !cmp.Equal(b.Refs, []string{ref}) {
				t.Errorf("broken: %+v", b)
			}
		})
	}
}

func TestVerifyPastTheGate(t *testing.T) {
	d := newWorld(t)
	before := d.merged(d.approved(skill("bowline", "Pull.")), nil)
	evil := d.Straight("by hand", skill("bowline", "Push."))
	b := d.verify().Broken
	if b == nil || b.Rule != audit.RuleUnattested || b.Commit != evil {
		t.Fatalf("broken: %+v", b)
	}
	d.Straight("by hand", skill("bowline", "Pull."))
	res := d.verify()
	if res.Broken != nil || len(res.Resolved) != 1 || res.Resolved[0].Commit != evil {
		t.Errorf("after the revert: %+v, broken %+v", res.Resolved, res.Broken)
	}
	changed, err := audit.Changing(d.Repo, res.Main, "skills/knots/bowline")
	d.OK(err)
	if len(changed) != 3 || changed[1] != evil || changed[2] != before {
		t.Errorf("changed by %v", changed)
	}
}

// TestVerifyReservations: an approval by one person where two are required is reported.
func TestVerifyReservations(t *testing.T) {
	d := newWorld(t)
	commit := d.merged(d.approved(tree.Edit{Path: "policies/limits.yaml", Content: []byte("learned_per_agent: 40\n")}), nil)
	res := d.verify()
	want := []audit.Reservation{{Commit: commit, Note: "critical risk wants 2 humans, and there were not more than 1 to ask"}}
	for i := range res.Reservations {
		res.Reservations[i].Proposal = ""
	}
	if diff := cmp.Diff(want, res.Reservations); res.Broken != nil || diff != "" {
		t.Errorf("broken %+v, reservations (-want +got):\n%s", res.Broken, diff)
	}
}
