package audit_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// newHistory returns a workspace with a rich history: two humans; merges by one and by
// both, signed by either and by none; a review that requests changes; a revoked approval;
// an expired and renewed request; remarks; an undo; a withdrawal; a rejection; an import;
// a commit past the gate and its revert; a line of folded journals that grew twice;
// journals with refs of their own; and an open proposal.
//
// It also returns the refs at several moments in between. With signed, every attestation
// is signed.
func newHistory(t *testing.T, signed bool) (*world, audit.Witness, []map[string]tree.Hash) {
	t.Helper()
	d := newWorld(t)
	var moments []map[string]tree.Hash
	moment := func() { moments = append(moments, refsOf(t, d.Repo.CommonDir())) }
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	d.Random = rand.NewChaCha8([32]byte{}) // the same ids each time
	if signed {
		d.Attester = d.Ada
	}
	bob := d.bob()
	moment()
	d.Attester = bob
	knot := d.proposed(proposal.Proposal{Goal: "tie a bowline"}, skill("bowline", "Pull."))
	d.said(knot, "which end?")
	d.decided(knot, d.Ada, review.RequestChanges)
	d.decided(knot, d.Ada, review.Approve)
	d.merge(knot)
	withdrawn := d.proposed(proposal.Proposal{Goal: "tie a granny"}, skill("granny", "Do not."))
	d.said(withdrawn, "why?")
	moment()
	d.OK(d.Forge.Close(t.Context(), withdrawn, forge.Closing{By: forge.Actor{Name: "kublai"}, Why: string(proposal.Withdrawn), Note: "never mind", At: d.Tick()}))
	d.maintained()
	limits := d.proposed(proposal.Proposal{Goal: "learn more"}, tree.Edit{Path: "policies/limits.yaml", Content: []byte("learned_per_agent: 40\n")})
	d.decided(limits, d.Ada, review.Approve)
	moment()
	d.decided(limits, bob, review.Approve)
	d.decided(limits, bob, review.Revoke)
	d.renewed(limits)
	d.decided(limits, d.Ada, review.Approve)
	d.Attester = d.Ada
	d.decided(limits, bob, review.Approve)
	d.merge(limits)
	moment()
	d.maintained()
	moment()
	d.Straight("by hand", tree.Edit{Path: "README.md", Content: []byte("x\n")})
	d.Straight("by hand", skill("bowline", "Push."))
	d.Straight("by hand", skill("bowline", "Pull."))
	if d.Attester = nil; signed {
		d.Attester = d.Ada
	}
	d.undone(knot, bob)
	d.Attester = d.Ada
	moment()
	rejected := d.proposed(proposal.Proposal{Goal: "tie a noose"}, skill("noose", "Hang."))
	d.decided(rejected, bob, review.Reject)
	moment()
	open := d.proposed(proposal.Proposal{Goal: "tie a sheet bend"}, skill("sheet-bend", "Bend."))
	d.said(open, "soon")
	d.decided(open, d.Ada, review.RequestChanges)
	moment()
	reef := d.proposed(proposal.Proposal{Goal: "tie a reef knot"}, skill("reef-knot", "Pull."))
	d.decided(reef, bob, review.Approve)
	d.merge(reef) // the last one, so that nothing signed is based on it
	res, point, err := audit.Checkpoint(t.Context(), d.Workspace, nil)
	d.OK(err)
	if res.Broken != nil {
		t.Fatalf("broken before anything was changed: %+v", res.Broken)
	}
	text, err := checkpoint.Sign(point, bob)
	d.OK(err)
	return d, audit.Witness{Name: "kept", Text: text}, moments
}

// bob adds Bob as the second human.
func (d *world) bob() *keys.Signer {
	d.Helper()
	path := filepath.Join(d.TempDir(), "bob")
	_, err := keys.Generate(path, "bob", nil)
	d.OK(err)
	bob, err := keys.Load(path, nil)
	d.OK(err)
	cur, err := d.Session(d.Context())
	d.OK(err)
	roles, err := cur.View.Read(policy.RolesFile)
	d.OK(err)
	text := string(roles)
	text = strings.Replace(text, "agents:", "  bob:\n    keys: [\""+bob.AuthorizedKey()+"\"]\n    emails: [bob@example.org]\n\nagents:", 1)
	text = strings.Replace(text, "human: [ada]", "human: [ada, bob]", 1)
	id := d.proposed(proposal.Proposal{Goal: "a second human"}, tree.Edit{Path: policy.RolesFile, Content: []byte(text)})
	d.decided(id, d.Ada, review.Approve)
	d.merge(id)
	return bob
}

func (d *world) proposed(p proposal.Proposal, edits ...tree.Edit) string {
	d.Helper()
	out, err := propose.Open(d.Context(), d.Workspace, propose.Request{
		Proposal: p, Edits: edits, By: forge.Actor{Name: "kublai"},
		Author: gitstore.Person{Name: "kublai", Email: "kublai@agents.invalid", When: d.Tick()},
	})
	d.OK(err)
	if !out.Opened {
		d.Fatal(out.Diagnostics)
	}
	return out.Pull.ID
}

// renewed waits until a request for approval has expired and renews it.
func (d *world) renewed(id string) {
	d.Helper()
	d.Clock = d.Clock.Add(8 * 24 * time.Hour)
	cur, err := d.Session(d.Context())
	d.OK(err)
	pull, err := d.Forge.Get(d.Context(), id)
	d.OK(err)
	out, err := propose.Reopen(d.Context(), cur, pull, pull.Author)
	d.OK(err)
	if at := out.Examined.Case.Facts().RequestedAt; at.Before(pull.Opened.Add(7 * 24 * time.Hour)) {
		d.Fatalf("the request is still of %s", at)
	}
}

func (d *world) decided(id string, who *keys.Signer, decision review.Decision) {
	d.Helper()
	_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: id, Decision: decision, Reason: "read it", Signer: who})
	d.OK(err)
}

func (d *world) said(id, what string) {
	d.Helper()
	d.OK(d.Forge.Comment(d.Context(), id, forge.Comment{By: forge.Actor{Name: "eve"}, Body: what, At: d.Tick()}))
}

func (d *world) merge(id string) {
	d.Helper()
	out, err := merge.Run(d.Context(), d.Workspace, id, forge.Actor{Name: "kublai"}, false)
	d.OK(err)
	if !out.Merged {
		d.Fatalf("%s: %s", id, out.Refused)
	}
}

func (d *world) undone(id string, by *keys.Signer) {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.OK(err)
	pull, err := d.Forge.Get(d.Context(), id)
	d.OK(err)
	r, diags, err := propose.Undo(cur, pull)
	d.OK(err)
	if len(diags) > 0 {
		d.Fatal(diags)
	}
	undo := d.proposed(r.Proposal, r.Edits...)
	d.decided(undo, by, review.Approve)
	d.merge(undo)
}

// kept is a copy of a folder for restoring it.
type kept map[string][]byte

// keep reads all files below dir.
func keep(t *testing.T, dir string) kept {
	t.Helper()
	k := kept{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		k[path], err = os.ReadFile(path)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return k
}

// restore restores the contents of dir.
func (k kept) restore(t *testing.T, dir string) {
	t.Helper()
	for path := range keep(t, dir) {
		if _, ok := k[path]; !ok {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, data := range k {
		if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, data) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
