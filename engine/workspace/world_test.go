package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// world is a workspace with one human, Ada, and two agents.
type world struct{ *worldtest.World }

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{worldtest.New(t, "kublai", "mongke")}
}

// skill is a small skill that is only text.
func skill(name string) []tree.Edit {
	return []tree.Edit{{Path: "skills/" + name + "/SKILL.md", Content: []byte("---\nname: " + name + "\ndescription: Says how to tie a " + name +
		". Use when a " + name + " is to be tied.\n---\n\n# " + name + "\n\nTake the rope with both hands and follow the picture.\n")}}
}

// longer is the skill's file with a sentence more.
func longer(name string) tree.Edit {
	e := skill(name)[0]
	e.Content = append(e.Content, "\nThen pull.\n"...)
	return e
}

// open proposes and expects it to be waiting, not refused.
func (d *world) open(edits ...tree.Edit) forge.Pull {
	d.Helper()
	return d.openAs(d.Request(edits))
}

func (d *world) openAs(r propose.Request) forge.Pull {
	d.Helper()
	out, err := propose.Open(d.Context(), d.Workspace, r)
	d.OK(err)
	if !out.Opened || !out.Examined.Report.Passed {
		d.Fatalf("the proposal is not fit: %v %v", out.Diagnostics, out.Examined.Report.Diagnostics)
	}
	return out.Pull
}

func (d *world) approve(id string) {
	d.Helper()
	out, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: id, Decision: review.Approve, Signer: d.Ada})
	d.OK(err)
	if !out.Counts {
		d.Fatalf("Ada's approval does not count: %s", out.Note)
	}
}

func (d *world) merge(id string) merge.Outcome {
	d.Helper()
	out, err := merge.Run(d.Context(), d.Workspace, id, forge.Actor{Name: "kublai"}, false)
	d.OK(err)
	return out
}

// merged proposes, approves and merges.
func (d *world) merged(edits ...tree.Edit) tree.Hash {
	d.Helper()
	p := d.open(edits...)
	d.approve(p.ID)
	out := d.merge(p.ID)
	if !out.Merged {
		d.Fatalf("%s does not merge: %s", p.ID, out.Refused)
	}
	return out.Commit
}

// current observes with and without memory; both must agree.
func (d *world) current() workspace.Session {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.OK(err)
	fresh, err := d.Rejudged(d.Context(), d.judge())
	d.OK(err)
	if diff := cmp.Diff(fresh.Standing, cur.Standing); diff != "" {
		d.Errorf("with memory (+) differs from without memory (-)\n%s", diff)
	}
	return cur
}

// judge is the judgement of a merge from nothing but history.
func (d *world) judge() attest.Judge {
	return func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
		_, _, err := d.Rejudge(ctx, before, c)
		return err
	}
}

// inForce checks the commit in force and the blocked commits.
func (d *world) inForce(want tree.Hash, blocked ...string) workspace.Session {
	d.Helper()
	cur := d.current()
	var got []string
	for _, b := range cur.Blocked {
		got = append(got, b.Subject)
	}
	if cur.InForce != want {
		d.Errorf("in force is %s, want %s; blocked: %v", cur.InForce.Short(), want.Short(), cur.Blocked)
	}
	if diff := cmp.Diff(blocked, got); diff != "" {
		d.Errorf("blocked (-want +got)\n%s", diff)
	}
	return cur
}

// has reports whether a skill is in force.
func (d *world) has(cur workspace.Session, name string) bool {
	d.Helper()
	ok, err := tree.Exists(cur.View, "skills/"+name+"/SKILL.md")
	d.OK(err)
	return ok
}

// put moves a ref as anyone with a shell can.
func (d *world) put(ref string, to tree.Hash) {
	d.Helper()
	if at, err := d.Repo.Ref(ref); err == nil && at == to || errors.Is(err, gitstore.ErrNoRef) && to.IsZero() {
		return
	}
	d.OK(d.Repo.Update(gitstore.RefUpdate{Name: ref, New: to, Any: true}))
}

// why returns the reason for which the only blocked commit is.
func (d *world) why() string {
	d.Helper()
	cur := d.current()
	if len(cur.Blocked) != 1 {
		d.Fatalf("%d commits are blocked", len(cur.Blocked))
	}
	return fmt.Sprint(cur.Blocked[0].Why)
}

// sign files Ada's approval as the program of another version would have.
func (d *world) sign(out propose.Outcome) {
	d.Helper()
	cur, err := d.Workspace.Session(d.Context())
	d.OK(err)
	rec := review.Record{
		V: review.Version, Workspace: cur.ID(), Proposal: out.Pull.ID, Head: out.Pull.Head, Tree: out.Examined.Case.Effective,
		Decision: review.Approve, At: d.Now().UTC().Truncate(time.Second), Nonce: "0123456789abcdef",
	}
	signed, err := review.Sign(rec, d.Ada)
	d.OK(err)
	d.OK(d.Workspace.Forge.Review(d.Context(), out.Pull.ID, forge.Review{
		By: forge.Actor{Name: "ada", Key: string(review.FingerprintOf(d.Ada.PublicKey()))}, Decision: string(rec.Decision),
		Head: rec.Head, Effective: rec.Tree, At: rec.At, Record: signed.Record, Signature: signed.Signature,
	}))
}
