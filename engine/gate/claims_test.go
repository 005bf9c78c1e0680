package gate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
)

const claimsHead = "1111111111111111111111111111111111111111"

// claimed returns a proposal by the agent trusted whose journal claims that key opened and
// pushed it. Anyone who can write refs can write that claim.
func claimed(t *testing.T, key string, kind proposal.Kind) gate.Case {
	cast := policy.Cast{
		People: map[string][]string{"ada": {"human"}, "bob": {"human"}},
		Agents: map[string][]string{"trusted": nil},
	}
	roles, bad := cast.Roles()
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	p, _ := policy.Load(tree.MapOf(map[string]string{policy.AutonomyFile: "default: assisted\nagents: {trusted: autonomous}\n"}))
	p.Roles = roles
	head, err := tree.ParseHash(claimsHead)
	if err != nil {
		t.Fatal(err)
	}
	by := forge.Actor{Name: "trusted", Key: string(policy.KeyOf(key))}
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	return gate.Case{
		Workspace: "w", Policies: p, Now: at, Effective: "sha256:aa",
		Proposal: proposal.Proposal{ID: "x-k3v9q2mt", Kind: kind, Agent: "trusted"},
		Pull:     forge.Pull{ID: "x-k3v9q2mt", Author: by, Head: head, State: forge.Open, Opened: at},
		Activity: forge.Activity{Pushes: []forge.Push{{By: by, New: head, At: at}}},
	}
}

// A journal's claim about a key is not a signature. It does not lower the number of humans
// who must approve, but the claimed owner may not approve the proposal either.
func TestClaimedKeyProvesNothing(t *testing.T) {
	c := claimed(t, "ada", proposal.Policy)
	facts := c.Facts()
	facts.Reviews = []policy.Review{{
		By: policy.Actor{Key: policy.KeyOf("bob")}, Decision: review.Approve, At: c.Now, Head: c.Pull.Head, Effective: c.Effective, Valid: true,
	}}
	text := strings.Join(policy.Judge(c.Policies, facts).Lines(), "\n")
	if !strings.Contains(text, "approval-human: waiting: needs 2 approvals") {
		t.Errorf("one human is enough for a critical change:\n%s", text)
	}
	ada, _ := c.Policies.Roles.ByName("ada")
	if may, note := policy.MayApprove(c.Policies, facts, ada); may {
		t.Error("whose key is said to have proposed it may approve it", note)
	}
	if id, proven := c.Policies.Roles.Proven(facts.Proposer); proven {
		t.Errorf("a journal's claim proves that %s proposed", id.Name)
	}
}

// The signature of a person who proposed a change is no approval, and lowers the number: both texts say that.
func TestSignedToo(t *testing.T) {
	c := claimed(t, "ada", proposal.Policy)
	facts := c.Facts()
	signed := func(name string) policy.Review {
		return policy.Review{By: policy.Actor{Key: policy.KeyOf(name)}, Decision: review.Approve, At: c.Now, Head: c.Pull.Head, Effective: c.Effective, Valid: true}
	}
	facts.Reviews = []policy.Review{signed("bob")}
	ada, _ := c.Policies.Roles.ByName("ada")
	bob, _ := c.Policies.Roles.ByName("bob")
	says := policy.SignedToo(c.Policies, facts, ada)
	if says == "" || policy.SignedToo(c.Policies, facts, bob) != "" {
		t.Errorf("ada: %q; bob: %q", says, policy.SignedToo(c.Policies, facts, bob))
	}
	facts.Reviews = append(facts.Reviews, signed("ada"))
	if text := strings.Join(policy.Judge(c.Policies, facts).Lines(), "\n"); !strings.Contains(text, says) {
		t.Errorf("the verdict does not say %q:\n%s", says, text)
	}
	for _, name := range []string{"bob", "trusted"} { // fewer are needed, but not by them
		if id, _ := c.Policies.Roles.ByName(name); policy.SignedToo(c.Policies, facts, id) != "" {
			t.Errorf("%s: %q", name, policy.SignedToo(c.Policies, facts, id))
		}
	}
	facts.Reviews, c.Policies.Approvals.Tiers[policy.Critical] = nil, []policy.Requirement{{Role: policy.Human, Count: 1}}
	if says := policy.SignedToo(c.Policies, facts, ada); says != "" {
		t.Errorf("one is needed in any case, yet %q", says)
	}
}

// A looser mode for one agent needs proof of its key: a claim is not enough.
func TestClaimedKeyLoosensNoMode(t *testing.T) {
	c := claimed(t, "trusted", proposal.Add)
	c.Policies.Security = policy.Security{Thresholds: policy.Thresholds{Content: 1000}}
	c.Policies.Approvals.Tiers[policy.Low] = nil
	c.Activity.Pushes = nil // so that nothing counts as unrecorded
	facts := c.Facts()
	facts.Changes = policy.Changes{
		Paths:        []policy.PathChange{{Path: "skills/note/SKILL.md", Op: policy.Added, Size: 10}},
		Capabilities: []policy.Capability{{Name: "note", Path: "skills/note", Op: policy.Added, Kind: "skill", Chars: 10}},
	}
	text := strings.Join(policy.Judge(c.Policies, facts).Lines(), "\n")
	if !strings.Contains(text, "the mode is assisted") {
		t.Errorf("a claimed key makes the mode of the agent whose it is apply:\n%s", text)
	}
}

// An attestation that omits the records of provenance does not remove them: the person who
// merges by hand writes the attestation and could omit anything.
func TestEarlyIsWithoutRecords(t *testing.T) {
	c := claimed(t, "trusted", proposal.Add)
	c.Early = true
	if f := c.Facts(); f.Provenance.Unrecorded > 0 {
		t.Error("what was merged before there were records lacks one")
	}
	rec, err := provenance.Record{
		V: provenance.Version, Engine: "assent/0", Origin: provenance.Origin{Way: provenance.Import}, Session: provenance.Session{Email: "ada@example.org"},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	c.Activity.Pushes[0].Provenance = rec
	if f := c.Facts(); len(f.Provenance.Outside()) == 0 || len(f.Sessions) == 0 {
		t.Errorf("the record of an import is passed over: %+v, sessions %v", f.Provenance, f.Sessions)
	}
}
