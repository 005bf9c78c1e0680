package audit_test

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent"
	"github.com/assent-dev/assent/engine/approve"
	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/genesis"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/keys"
	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/proposal"
	"github.com/assent-dev/assent/engine/propose"
	"github.com/assent-dev/assent/engine/review"
	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/version"
	"github.com/assent-dev/assent/engine/workspace"
)

// world is a workspace with one human, Ada, and one agent.
type world struct {
	*testing.T
	*workspace.Workspace
	ada   *keys.Signer
	clock time.Time
	// claims changes what merge commits tell people; nil changes nothing.
	claims *strings.Replacer
	// resign changes the signature of attestations; nil changes nothing.
	resign func(attestation, signature []byte) []byte
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Setenv("ASSENT_HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	d := &world{T: t, clock: time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)}
	repo, err := gitstore.Init(t.TempDir())
	d.ok(err)
	d.Workspace = workspace.Of(repo, workspace.Surroundings{Now: d.tick, Random: rand.Reader})
	path := filepath.Join(t.TempDir(), "ada")
	_, err = keys.Generate(path, "ada", nil)
	d.ok(err)
	d.ada, err = keys.Load(path, nil)
	d.ok(err)
	plan, err := genesis.Decide(t.Context(), d.Workspace, d.template())
	d.ok(err)
	_, err = genesis.Begin(t.Context(), d.Workspace, plan, d.ada, gitstore.Person{Name: "Ada", Email: "ada@example.org", When: d.tick()})
	d.ok(err)
	return d
}

func (d *world) template() []tree.Edit {
	d.Helper()
	roles, err := policy.InitialRoles(policy.Person{Name: "Ada", Email: "ada@example.org", PublicKey: d.ada.AuthorizedKey()}, []string{"kublai"})
	d.ok(err)
	files := map[string][]byte{}
	d.ok(fs.WalkDir(assent.Template, "policies", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files[path], err = fs.ReadFile(assent.Template, path)
		return err
	}))
	return genesis.Template(files, []string{"kublai"}, roles, func(string) []tree.Edit {
		return []tree.Edit{{Path: "soul/kublai/SOUL.md", Content: []byte("# Kublai\n\n## Vibe\n\nKublai ties knots.\n")}}
	})
}

func (d *world) ok(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *world) tick() time.Time {
	d.clock = d.clock.Add(time.Minute)
	return d.clock
}

func skill(name, text string) tree.Edit {
	return tree.Edit{Path: "skills/knots/" + name + "/SKILL.md", Content: []byte("---\nname: " + name + "\ndescription: Says how to tie a " +
		name + ". Use when a " + name + " is to be tied.\n---\n\n" + text + "\n")}
}

// approved proposes and has Ada approve.
func (d *world) approved(edits ...tree.Edit) workspace.Examined {
	d.Helper()
	out, err := propose.Open(d.Context(), d.Workspace, propose.Request{
		Proposal: proposal.Proposal{Goal: "learn to tie a knot"}, Edits: edits, By: forge.Actor{Name: "kublai"},
		Author: gitstore.Person{Name: "kublai", Email: "kublai@agents.invalid", When: d.tick()},
	})
	d.ok(err)
	if !out.Opened {
		d.Fatal(out.Diagnostics)
	}
	_, err = approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: out.Pull.ID, Decision: review.Approve, Signer: d.ada})
	d.ok(err)
	cur, err := d.Current(d.Context())
	d.ok(err)
	ex, err := d.Examine(d.Context(), cur, out.Pull.ID)
	d.ok(err)
	return ex
}

// merged merges as assent does, but for what change makes of the attestation.
func (d *world) merged(ex workspace.Examined, change func(*attest.Attestation)) tree.Hash {
	d.Helper()
	cur, err := d.Current(d.Context())
	d.ok(err)
	status, err := propose.StatusOf(d.Workspace, cur, ex)
	d.ok(err)
	d.ok(d.Forge.Status(d.Context(), ex.Case.Pull.ID, status))
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
	d.ok(err)
	var signature []byte
	if att.Signer != "" {
		signature, err = review.SignAttestation(data, d.ada)
		d.ok(err)
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
		Message: message, Attestation: data, Signature: signature,
	})
	d.ok(err)
	return commit
}

// straight puts a commit on main past the gate.
func (d *world) straight(edits ...tree.Edit) tree.Hash {
	d.Helper()
	tip, err := d.Repo.Ref(attest.MainRef)
	d.ok(err)
	c, err := d.Repo.Commit(tip)
	d.ok(err)
	root, err := d.Repo.WriteTree(c.Tree, edits)
	d.ok(err)
	eve := gitstore.Person{Name: "Eve", Email: "eve@example.org", When: d.tick()}
	commit, err := d.Repo.WriteCommit(gitstore.Commit{Tree: root, Parents: []tree.Hash{tip}, Author: eve, Committer: eve, Message: "by hand\n"}, nil)
	d.ok(err)
	d.ok(d.Repo.Update(gitstore.RefUpdate{Name: attest.MainRef, Old: tip, New: commit}))
	return commit
}
