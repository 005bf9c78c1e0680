package workspace_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent"
	"github.com/assent-dev/assent/engine/approve"
	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/capability"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/genesis"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/keys"
	"github.com/assent-dev/assent/engine/merge"
	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/proposal"
	"github.com/assent-dev/assent/engine/propose"
	"github.com/assent-dev/assent/engine/review"
	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/workspace"
)

// world is a workspace with one human, Ada, and two agents, made as `init` does.
type world struct {
	*testing.T
	*workspace.Workspace
	ada   *keys.Signer
	clock time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Setenv("ASSENT_HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	repo, err := gitstore.Init(t.TempDir())
	d := &world{T: t, clock: time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)}
	d.ok(err)
	d.Workspace = workspace.Of(repo, workspace.Surroundings{Now: d.tick, Random: rand.Reader})
	d.ada = d.key("ada")
	roles, err := policy.InitialRoles(policy.Person{Name: "Ada", Email: "ada@example.org", PublicKey: d.ada.AuthorizedKey()}, []string{"kublai", "mongke"})
	d.ok(err)
	plan, err := genesis.Decide(t.Context(), d.Workspace, template(t, roles))
	d.ok(err)
	for _, diag := range plan.Diagnostics {
		t.Errorf("the template: %s", diag)
	}
	_, err = genesis.Begin(t.Context(), d.Workspace, plan, d.ada, gitstore.Person{Name: "Ada", Email: "ada@example.org", When: d.tick()})
	d.ok(err)
	return d
}

// template has the policies of the built-in instance and new souls.
func template(t *testing.T, roles []byte) []tree.Edit {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(assent.Template, "policies", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files[path], err = fs.ReadFile(assent.Template, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return genesis.Template(files, []string{"kublai", "mongke"}, roles, func(agent string) []tree.Edit {
		edits, diags := capability.ScaffoldSoul(agent, capability.ScaffoldOptions{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return edits
	})
}

func (d *world) ok(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// tick is the workspace's clock: a minute at each look.
func (d *world) tick() time.Time {
	d.clock = d.clock.Add(time.Minute)
	return d.clock
}

func (d *world) key(name string) *keys.Signer {
	d.Helper()
	path := filepath.Join(d.TempDir(), name)
	_, err := keys.Generate(path, name, nil)
	d.ok(err)
	s, err := keys.Load(path, nil)
	d.ok(err)
	return s
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

func (d *world) request(edits []tree.Edit) propose.Request {
	return propose.Request{
		Proposal: proposal.Proposal{Goal: "learn to tie a knot"}, Edits: edits, By: forge.Actor{Name: "kublai"},
		Author: gitstore.Person{Name: "kublai", Email: "kublai@agents.invalid", When: d.tick()},
	}
}

// open proposes and expects it to be waiting, not refused.
func (d *world) open(edits ...tree.Edit) forge.Pull {
	d.Helper()
	return d.openAs(d.request(edits))
}

func (d *world) openAs(r propose.Request) forge.Pull {
	d.Helper()
	out, err := propose.Open(d.Context(), d.Workspace, r)
	d.ok(err)
	if !out.Opened || !out.Examined.Report.Passed {
		d.Fatalf("the proposal is not fit: %v %v", out.Diagnostics, out.Examined.Report.Diagnostics)
	}
	return out.Pull
}

func (d *world) approve(id string) {
	d.Helper()
	out, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: id, Decision: review.Approve, Signer: d.ada})
	d.ok(err)
	if !out.Counts {
		d.Fatalf("Ada's approval does not count: %s", out.Note)
	}
}

func (d *world) merge(id string) merge.Outcome {
	d.Helper()
	out, err := merge.Run(d.Context(), d.Workspace, id, forge.Actor{Name: "kublai"}, false)
	d.ok(err)
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

// current observes with memory and anew, which must agree.
func (d *world) current() workspace.Current {
	d.Helper()
	cur, err := d.Current(d.Context())
	d.ok(err)
	anew, err := d.Anew(d.Context(), d.judge())
	d.ok(err)
	if diff := cmp.Diff(anew.Standing, cur.Standing); diff != "" {
		d.Errorf("what was remembered (+) differs from what is found anew (-)\n%s", diff)
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

// inForce checks what is in force, and which commits are blocked.
func (d *world) inForce(want tree.Hash, blocked ...string) workspace.Current {
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
func (d *world) has(cur workspace.Current, name string) bool {
	d.Helper()
	ok, err := tree.Exists(cur.View, "skills/"+name+"/SKILL.md")
	d.ok(err)
	return ok
}

func (d *world) main() tree.Hash {
	d.Helper()
	h, err := d.Repo.Ref(attest.MainRef)
	d.ok(err)
	return h
}

// put moves a ref as somebody with a shell can.
func (d *world) put(ref string, to tree.Hash) {
	d.Helper()
	if at, err := d.Repo.Ref(ref); err == nil && at == to || errors.Is(err, gitstore.ErrNoRef) && to.IsZero() {
		return
	}
	d.ok(d.Repo.Update(gitstore.RefUpdate{Name: ref, New: to, Any: true}))
}

// straight commits to main past the gate.
func (d *world) straight(subject string, edits ...tree.Edit) tree.Hash {
	d.Helper()
	h := d.commit(subject+"\n", []tree.Hash{d.main()}, edits...)
	d.put(attest.MainRef, h)
	return h
}

// commit writes a commit whose tree is the first parent's with edits.
func (d *world) commit(message string, parents []tree.Hash, edits ...tree.Edit) tree.Hash {
	d.Helper()
	var top tree.Hash
	if len(parents) > 0 {
		c, err := d.Repo.Commit(parents[0])
		d.ok(err)
		top = c.Tree
	}
	top, err := d.Repo.WriteTree(top, edits)
	d.ok(err)
	who := gitstore.Person{Name: "Mallory", Email: "mallory@example.org", When: d.tick()}
	h, err := d.Repo.WriteCommit(gitstore.Commit{Tree: top, Parents: parents, Author: who, Committer: who, Message: message}, nil)
	d.ok(err)
	return h
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
	cur, err := d.Workspace.Current(d.Context())
	d.ok(err)
	rec := review.Record{
		V: review.Version, Workspace: cur.ID(), Proposal: out.Pull.ID, Head: out.Pull.Head, Tree: out.Examined.Case.Effective,
		Decision: review.Approve, At: d.Now().UTC().Truncate(time.Second), Nonce: "0123456789abcdef",
	}
	signed, err := review.Sign(rec, d.ada)
	d.ok(err)
	d.ok(d.Workspace.Forge.Review(d.Context(), out.Pull.ID, forge.Review{
		By: forge.Actor{Name: "ada", Key: string(review.FingerprintOf(d.ada.PublicKey()))}, Decision: string(rec.Decision),
		Head: rec.Head, Effective: rec.Tree, At: rec.At, Record: signed.Record, Signature: signed.Signature,
	}))
}
