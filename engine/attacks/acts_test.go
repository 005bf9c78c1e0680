package attacks_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// request returns a request for a proposal by an agent or a person.
func (d *world) request(by string, edits ...tree.Edit) propose.Request {
	email := by + "@example.org"
	return propose.Request{
		Proposal: proposal.Proposal{Goal: "learn to tie a knot"}, Edits: edits, By: forge.Actor{Name: by, Email: email},
		Author: gitstore.Person{Name: by, Email: email, When: d.tick()},
	}
}

// asked sends a request to propose, and returns its outcome even if it was refused.
func (d *world) asked(r propose.Request) propose.Outcome {
	d.Helper()
	out, err := propose.Open(d.Context(), d.Workspace, r)
	d.ok(err)
	return out
}

// proposed opens a proposal that passes validation.
func (d *world) proposed(by string, edits ...tree.Edit) forge.Pull {
	d.Helper()
	out := d.asked(d.request(by, edits...))
	if !out.Opened || !out.Examined.Report.Passed {
		d.Fatalf("the proposal is not fit: %v %v", out.Diagnostics, out.Examined.Report.Diagnostics)
	}
	return out.Pull
}

// approved records an approval by each person.
func (d *world) approved(id string, who ...string) {
	d.Helper()
	for _, name := range who {
		_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: id, Decision: review.Approve, Signer: d.who[name]})
		d.ok(err)
	}
}

// decided records a decision by a person, with a reason.
func (d *world) decided(id string, decision review.Decision, who string) {
	d.Helper()
	reason := ""
	if decision.NeedsReason() {
		reason = "no"
	}
	_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: id, Decision: decision, Reason: reason, Signer: d.who[who]})
	d.ok(err)
}

// merged brings a change into force through the gate.
func (d *world) merged(edits ...tree.Edit) forge.Pull {
	d.Helper()
	p := d.proposed("kublai", edits...)
	d.approved(p.ID, "ada", "bob")
	out := d.merge(p.ID)
	if !out.Merged {
		d.Fatalf("%s does not merge: %s", p.ID, out.Refused)
	}
	d.begin()
	p, err := d.Forge.Get(d.Context(), p.ID)
	d.ok(err)
	return p
}

func (d *world) merge(id string) merge.Outcome {
	d.Helper()
	out, err := merge.Run(d.Context(), d.Workspace, id, forge.Actor{Name: "kublai"}, false)
	d.ok(err)
	return out
}

// examined examines a proposal as the gate does.
func (d *world) examined(id string) (workspace.Session, workspace.Examined) {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	ex, err := cur.Examine(d.Context(), id)
	d.ok(err)
	return cur, ex
}

// main returns the tip of main.
func (d *world) main() tree.Hash {
	d.Helper()
	h, err := d.Repo.Ref(attest.MainRef)
	d.ok(err)
	return h
}

// git runs the real git program with the attacker's name.
func (d *world) git(args ...string) string {
	d.Helper()
	return d.gitIn("", args...)
}

func (d *world) gitIn(stdin string, args ...string) string {
	d.Helper()
	cmd := exec.Command("git", append([]string{"-C", d.dir, "-c", "user.name=Mallory", "-c", "user.email=mallory@example.org",
		"-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"}, args...)...)
	when := d.tick().Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
	cmd.Stdin = strings.NewReader(stdin)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		d.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, problems.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// put moves a ref with plain git.
func (d *world) put(ref string, to tree.Hash) {
	d.Helper()
	d.git("update-ref", ref, to.String())
}

// pushed moves the branch of a proposal without recording the push.
func (d *world) pushed(p forge.Pull, to tree.Hash) {
	d.Helper()
	d.put("refs/heads/"+p.Branch, to)
}

// commit returns a commit whose tree is the first parent's with edits.
func (d *world) commit(message string, parents []tree.Hash, edits ...tree.Edit) tree.Hash {
	d.Helper()
	return d.commitAs("Mallory <mallory@example.org>", message, parents, edits...)
}

func (d *world) commitAs(who, message string, parents []tree.Hash, edits ...tree.Edit) tree.Hash {
	d.Helper()
	name, email, _ := strings.Cut(who, " <")
	var top tree.Hash
	if len(parents) > 0 {
		top = d.treeOf(parents[0])
	}
	top, err := d.Repo.WriteTree(top, edits)
	d.ok(err)
	return d.commitTree(gitstore.Person{Name: name, Email: strings.TrimSuffix(email, ">"), When: d.tick()}, message, top, parents...)
}

func (d *world) commitTree(who gitstore.Person, message string, top tree.Hash, parents ...tree.Hash) tree.Hash {
	d.Helper()
	h, err := d.Repo.WriteCommit(gitstore.Commit{Tree: top, Parents: parents, Author: who, Committer: who, Message: message + "\n"}, nil)
	d.ok(err)
	d.ok(d.Repo.Sync())
	return h
}

func (d *world) treeOf(commit tree.Hash) tree.Hash {
	d.Helper()
	c, err := d.Repo.Commit(commit)
	d.ok(err)
	return c.Tree
}

// straight commits to main past the gate.
func (d *world) straight(message string, edits ...tree.Edit) tree.Hash {
	d.Helper()
	h := d.commit(message, []tree.Hash{d.main()}, edits...)
	d.put(attest.MainRef, h)
	return h
}

// record writes an event into a proposal's journal, as an attacker with a shell can.
func (d *world) record(id string, ev journal.Event) {
	d.Helper()
	if ev.At.IsZero() {
		ev.At = d.tick()
	}
	if ev.By == "" {
		ev.By = "assent"
	}
	_, err := journal.Append(d.Repo, local.PullPrefix+id, func([]journal.Event) (*journal.Event, error) { return &ev, nil })
	d.ok(err)
}

// signed returns a record signed by a person, with any program.
func (d *world) signed(who string, rec review.Record) review.Signed {
	d.Helper()
	s, err := review.Sign(rec, d.who[who])
	d.ok(err)
	return s
}

// approval is the honest record of an approval; attackers alter it.
func (d *world) approval(id string) review.Record {
	d.Helper()
	cur, ex := d.examined(id)
	return review.Record{
		V: review.Version, Workspace: cur.ID(), Proposal: id, Head: ex.Case.Pull.Head, Tree: ex.Case.Effective,
		Decision: review.Approve, At: d.Now().UTC().Truncate(time.Second), Nonce: "0123456789abcdef",
	}
}

// filed writes a review into a journal without asking the forge, in Ada's name.
func (d *world) filed(id string, rec review.Record, s review.Signed) {
	d.Helper()
	d.record(id, journal.Event{Kind: "review", By: "ada", Fields: map[string]string{
		"Decision": string(rec.Decision), "Head": rec.Head.String(), "Effective": rec.Tree,
	}, Files: map[string][]byte{"review.json": s.Record, "review.sig": s.Signature,
		"actor.json": []byte(`{"Name":"ada","Key":"` + string(d.who["ada"].Fingerprint()) + `","Login":"ada","Email":"ada@example.org"}`)}})
}

func (d *world) read(path string) []byte {
	d.Helper()
	data, err := os.ReadFile(path)
	d.ok(err)
	return data
}
