package audit_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// world is a workspace with one human, Ada, and one agent.
type world struct {
	*worldtest.World
	// claims changes the trailers of merge commits; nil changes nothing.
	claims *strings.Replacer
	// resign changes the signature of attestations; nil changes nothing.
	resign func(attestation, signature []byte) []byte
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{World: worldtest.New(t, "kublai")}
}

func skill(name, text string) tree.Edit {
	return tree.Edit{Path: "skills/knots/" + name + "/SKILL.md", Content: []byte("---\nname: " + name + "\ndescription: Says how to tie a " +
		name + ". Use when a " + name + " is to be tied.\n---\n\n" + text + "\n")}
}

// approved opens a proposal that Ada approves.
func (d *world) approved(edits ...tree.Edit) workspace.Examined {
	d.Helper()
	out, err := propose.Open(d.Context(), d.Workspace, propose.Request{
		Proposal: proposal.Proposal{Goal: "learn to tie a knot"}, Edits: edits, By: forge.Actor{Name: "kublai"},
		Author: gitstore.Person{Name: "kublai", Email: "kublai@agents.invalid", When: d.Tick()},
	})
	d.OK(err)
	if !out.Opened {
		d.Fatal(out.Diagnostics)
	}
	_, err = approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: out.Pull.ID, Decision: review.Approve, Signer: d.Ada})
	d.OK(err)
	cur, err := d.Session(d.Context())
	d.OK(err)
	ex, err := cur.Examine(d.Context(), out.Pull.ID)
	d.OK(err)
	return ex
}

// merged merges as assent does, except for the change to the attestation.
func (d *world) merged(ex workspace.Examined, change func(*attest.Attestation)) tree.Hash {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.OK(err)
	status, err := propose.StatusOf(cur, ex)
	d.OK(err)
	d.OK(d.Forge.Status(d.Context(), ex.Case.Pull.ID, status))
	att := attest.Attestation{
		V: attest.Version, Proposal: ex.Case.Pull.ID, From: cur.InForce, Base: cur.Main, Head: ex.Case.Pull.Head,
		Tree: ex.Result.Tree, Effective: ex.Case.Effective, Report: status.Digest, Risk: ex.Risk.Tier,
		Verdict: ex.Verdict, Engine: version.Engine, At: ex.Case.Now,
	}
	att.Provenance = ex.Case.ProvenanceDigest()
	if change != nil {
		change(&att)
	}
	data, err := att.Encode()
	d.OK(err)
	var signature []byte
	if att.Signer != "" {
		signature, err = review.SignAttestation(data, d.Ada)
		d.OK(err)
	}
	if d.resign != nil {
		signature = d.resign(data, signature)
	}
	message := attest.ProposalTrailer + ": " + ex.Case.Pull.ID + "\nAssent-Agent: kublai\nAssent-Risk: " + ex.Risk.Tier.String() +
		"\nAssent-Report: " + status.Digest + "\nAssent-Approved-By: ada\n"
	if att.Signer != "" {
		message += attest.AttesterTrailer + ": " + string(att.Signer) + "\n"
	}
	if d.claims != nil {
		message = d.claims.Replace(message)
	}
	commit, err := d.Forge.Merge(d.Context(), att.Proposal, forge.Merge{
		Head: att.Head, Base: att.Base, Tree: att.Tree, Title: "Merge " + att.Proposal, By: forge.Actor{Name: "kublai"}, At: att.At,
		Message: message, Attestation: data, Signature: signature, Reviews: forge.SignedReviews(ex.Case.Activity.Reviews),
	})
	d.OK(err)
	return commit
}
