package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func TestMergedIsInForce(t *testing.T) {
	d := newWorld(t)
	genesis := d.Main()
	d.inForce(genesis)
	p := d.open(skill("bowline")...)
	if out := d.merge(p.ID); out.Merged || !strings.Contains(out.Refused, "wait") {
		t.Fatalf("merged without approval (%s)", out.Refused)
	}
	d.inForce(genesis)
	d.approve(p.ID)
	out := d.merge(p.ID)
	if !out.Merged {
		t.Fatal(out.Refused)
	}
	if cur := d.inForce(out.Commit); !d.has(cur, "bowline") {
		t.Error("the skill is not in force")
	}
	tip := d.Straight("Write a README", tree.Edit{Path: "README.md", Content: []byte("# Knots\n")})
	d.inForce(tip)
	if again := d.merge(p.ID); !again.Merged || again.Commit != out.Commit {
		t.Errorf("merged again by %s, want %s", again.Commit.Short(), out.Commit.Short())
	}
}

// Two disjoint proposals merge one after the other; the second is validated on main as the first
// left it.
func TestMergeBehindMain(t *testing.T) {
	d := newWorld(t)
	a, b := d.open(skill("bowline")...), d.open(skill("reef-knot")...)
	d.approve(a.ID)
	d.approve(b.ID)
	d.merge(a.ID)
	out := d.merge(b.ID)
	if !out.Merged {
		t.Fatal(out.Refused)
	}
	if cur := d.inForce(out.Commit); !d.has(cur, "bowline") || !d.has(cur, "reef-knot") {
		t.Error("one of them is missing")
	}
}

func TestStraightToMainIsNotInForce(t *testing.T) {
	d := newWorld(t)
	good := d.merged(skill("bowline")...)
	d.Straight("Sneak in a granny knot", skill("granny-knot")...)
	cur := d.inForce(good, "Sneak in a granny knot")
	if d.has(cur, "granny-knot") || !d.has(cur, "bowline") {
		t.Error("the wrong skills are in force")
	}
	d.Straight("Make mallory a lead", tree.Edit{Path: "policies/roles.yaml", Content: []byte("people: {mallory: {emails: [m@example.org]}}\n")})
	d.inForce(good, "Sneak in a granny knot", "Make mallory a lead")

	p := d.open(skill("reef-knot")...)
	d.approve(p.ID)
	if out := d.merge(p.ID); out.Merged || !strings.Contains(out.Refused, "adopt") {
		t.Errorf("merged on top of a blocked commit: %q", out.Refused)
	}
	back, err := d.Repo.Commit(good)
	d.OK(err)
	revert := d.Commit("Take both back\n", []tree.Hash{d.Main()})
	c, err := d.Repo.Commit(revert)
	d.OK(err)
	c.Tree = back.Tree
	revert, err = d.Repo.WriteCommit(c, nil)
	d.OK(err)
	d.put(attest.MainRef, revert)
	d.inForce(revert)
	out := d.merge(p.ID)
	if !out.Merged {
		t.Fatalf("main is healed and it does not merge: %s", out.Refused)
	}
	d.inForce(out.Commit)
}

func TestAdopt(t *testing.T) {
	d := newWorld(t)
	good := d.merged(skill("bowline")...)
	d.Straight("Add a reef knot by hand", skill("reef-knot")...)
	cur := d.inForce(good, "Add a reef knot by hand")
	r, _, err := propose.Adopt(cur)
	d.OK(err)
	r.By, r.Author = forge.Actor{Name: "kublai"}, gitstore.Person{Name: "kublai", Email: "kublai@agents.invalid", When: d.Tick()}
	p := d.openAs(r)
	d.inForce(good, "Add a reef knot by hand")
	d.approve(p.ID)
	out := d.merge(p.ID)
	if !out.Merged {
		t.Fatal(out.Refused)
	}
	if cur := d.inForce(out.Commit); !d.has(cur, "reef-knot") {
		t.Error("the adopted change is not in force")
	}
	if _, _, err := propose.Adopt(d.current()); err == nil {
		t.Error("there is something to adopt still")
	}
}

func TestRollbackIsNoticed(t *testing.T) {
	d := newWorld(t)
	genesis := d.Main()
	d.merged(skill("bowline")...)
	top := d.Main()
	d.current()
	for name, to := range map[string]tree.Hash{
		"back to genesis": genesis,
		"another line":    d.Commit("Something else\n", []tree.Hash{genesis}, tree.Edit{Path: "x", Content: []byte("x")}),
		"another genesis": d.Commit("Begin\n\nAssent-Genesis: 1\n", nil, skill("granny-knot")...),
	} {
		d.put(attest.MainRef, to)
		if _, err := d.Session(d.Context()); !errors.Is(err, attest.ErrRollback) {
			t.Errorf("%s: %v; want ErrRollback", name, err)
		}
	}
	d.put(attest.MainRef, top)
	d.inForce(top)
}

// evil makes a merge commit of a proposal as the engine would, and announces it in the proposal's
// journal, as anyone with a shell can.
type evil struct {
	pull    forge.Pull
	tree    tree.Hash
	parents []tree.Hash
	id      string // of the trailer
	change  func(*attest.Attestation)
	report  []byte
	silent  bool
	signer  ssh.Signer // of the attestation
}

func (d *world) forge(e evil) tree.Hash {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.OK(err)
	ex, err := cur.Examine(d.Context(), e.pull.ID)
	d.OK(err)
	if e.tree.IsZero() {
		e.tree = ex.Result.Tree
	}
	if e.parents == nil {
		e.parents = []tree.Hash{cur.Main, e.pull.Head}
	}
	if e.id == "" {
		e.id = e.pull.ID
	}
	status, err := propose.StatusOf(cur, ex)
	d.OK(err)
	if e.report != nil {
		status.Report, status.Digest = e.report, canonical.Digest(e.report)
	}
	att := attest.Attestation{V: attest.Version, Proposal: e.id, From: cur.InForce, Base: e.parents[0], Tree: e.tree,
		Effective: ex.Case.Effective, Report: status.Digest, Risk: policy.Low, Verdict: policy.Verdict{Outcome: policy.Allowed}, Engine: ex.Report.Engine, At: d.Tick()}
	if len(e.parents) > 1 {
		att.Head = e.parents[1]
	}
	if e.change != nil {
		e.change(&att)
	}
	who := gitstore.Person{Name: "assent", Email: "engine@assent.invalid", When: att.At}
	h, err := d.Repo.WriteCommit(gitstore.Commit{Tree: e.tree, Parents: e.parents, Author: who, Committer: who,
		Message: "Merge evil\n\n" + attest.ProposalTrailer + ": " + e.id + "\nAssent-Risk: low\nAssent-Approved-By: ada\n"}, nil)
	d.OK(err)
	if !e.silent {
		data, err := att.Encode()
		d.OK(err)
		d.record(e.id, journal.Event{Kind: "report", Fields: map[string]string{"Head": e.pull.Head.String(), "Base-Commit": att.Base.String(),
			"Passed": "true", "Digest": status.Digest}, Files: map[string][]byte{"report.json": status.Report}})
		files := map[string][]byte{"attestation.json": data}
		if e.signer != nil {
			files["attestation.sig"], err = review.SignAttestation(data, e.signer)
			d.OK(err)
		}
		d.record(e.id, journal.Event{Kind: "merging", Fields: map[string]string{"Commit": h.String()}, Files: files, Anchors: []tree.Hash{h}})
	}
	d.put(attest.MainRef, h)
	return h
}

func (d *world) record(id string, ev journal.Event) {
	d.Helper()
	ev.At, ev.By = d.Tick(), "assent"
	_, err := journal.Append(d.Repo, local.PullPrefix+id, func([]journal.Event) (*journal.Event, error) { return &ev, nil })
	d.OK(err)
}

// A merge that the gate did not allow is not in force, however much it looks like
// one that it did.
func TestForgedMerges(t *testing.T) {
	d := newWorld(t)
	good := d.merged(skill("bowline")...)
	d.current()
	for _, tc := range []struct {
		name string
		why  string
		make func(d *world, p forge.Pull) evil
	}{
		{"nobody approved", "judged again it is waiting", func(d *world, p forge.Pull) evil { return evil{pull: p} }},
		{"not announced", "does not announce this commit", func(d *world, p forge.Pull) evil {
			d.approve(p.ID)
			return evil{pull: p, silent: true}
		}},
		{"another tree", "not what merging", func(d *world, p forge.Pull) evil {
			d.approve(p.ID)
			c, err := d.Repo.Commit(p.Head)
			d.OK(err)
			more, err := d.Repo.WriteTree(c.Tree, skill("granny-knot"))
			d.OK(err)
			return evil{pull: p, tree: more}
		}},
		{"one parent", "parents are not those", func(d *world, p forge.Pull) evil {
			d.approve(p.ID)
			return evil{pull: p, parents: []tree.Hash{d.Main()}}
		}},
		{"another tree attested", "tree is not the one", func(d *world, p forge.Pull) evil {
			d.approve(p.ID)
			return evil{pull: p, change: func(a *attest.Attestation) { a.Tree = tree.Hash{1} }}
		}},
		{"looser policies", "was in force", func(d *world, p forge.Pull) evil {
			d.approve(p.ID)
			return evil{pull: p, change: func(a *attest.Attestation) { a.From = tree.Hash{1} }}
		}},
		{"pushed after the approval", "judged again it is waiting", func(d *world, p forge.Pull) evil {
			d.approve(p.ID)
			next := d.Commit("More\n", []tree.Hash{p.Head}, longer("reef-knot"))
			d.put("refs/heads/"+p.Branch, next)
			p, err := d.Forge.Get(d.Context(), p.ID)
			d.OK(err)
			return evil{pull: p}
		}},
		{"no report", "report is missing", func(d *world, p forge.Pull) evil {
			d.approve(p.ID)
			return evil{pull: p, change: func(a *attest.Attestation) { a.Report = "sha256:00" }}
		}},
		{"a proposal that nobody made", "is not here", func(d *world, p forge.Pull) evil {
			return evil{pull: p, id: "never-made-00000000", silent: true}
		}},
		{"no id at all", "not the id of a proposal", func(d *world, p forge.Pull) evil {
			return evil{pull: p, id: "../../heads/main", silent: true}
		}},
		{"a damaged journal", "damaged", func(d *world, p forge.Pull) evil {
			d.put(local.PullPrefix+"damaged-00000000", p.Head)
			return evil{pull: p, id: "damaged-00000000", silent: true}
		}},
		{"a newer attestation", "format version 7; this program reads 1: update assent", func(d *world, p forge.Pull) evil {
			d.approve(p.ID)
			return evil{pull: p, change: func(a *attest.Attestation) { a.V = 7 }}
		}},
		{"another proposal's attestation", "attestation is that of", func(d *world, p forge.Pull) evil {
			d.approve(p.ID)
			return evil{pull: p, change: func(a *attest.Attestation) { a.Proposal = "other-00000000" }}
		}},
		{"an unrelated branch", "no history in common", func(d *world, p forge.Pull) evil {
			alien := d.Commit("From elsewhere\n", nil, skill("granny-knot")...)
			c, err := d.Repo.Commit(alien)
			d.OK(err)
			return evil{pull: p, tree: c.Tree, parents: []tree.Hash{d.Main(), alien}}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d.T = t
			d.put(attest.MainRef, good)
			knot := skill("reef-knot")[0]
			knot.Content = append(knot.Content, "\nIt has "+tc.name+".\n"...) // the same proposal cannot be made twice
			p := d.open(knot)
			d.forge(tc.make(d, p))
			cur := d.inForce(good, "Merge evil")
			if why := d.why(); !strings.Contains(why, tc.why) {
				t.Errorf("blocked because %q, want %q", why, tc.why)
			}
			if d.has(cur, "reef-knot") || d.has(cur, "granny-knot") {
				t.Error("it is in force")
			}
		})
	}
}

// A forged merge without any fault passes: the other tests forge nothing more.
func TestForgedMergeThatIsRight(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("reef-knot")...)
	d.approve(p.ID)
	d.inForce(d.forge(evil{pull: p}))
}

// An approved proposal's evidence is worth nothing for another.
func TestReplay(t *testing.T) {
	d := newWorld(t)
	a, b := d.open(skill("bowline")...), d.open(skill("reef-knot")...)
	d.approve(a.ID)
	activity, err := d.Forge.Activity(d.Context(), a.ID)
	d.OK(err)
	r := activity.Reviews[0]
	d.record(b.ID, journal.Event{Kind: "review", Fields: map[string]string{"Decision": r.Decision, "Head": b.Head.String(), "Effective": r.Effective},
		Files: map[string][]byte{"review.json": r.Record, "review.sig": r.Signature}})
	if out := d.merge(b.ID); out.Merged {
		t.Fatal("a review of one proposal merges another")
	}
	good := d.merge(a.ID).Commit
	d.current()
	d.forge(evil{pull: b})
	d.inForce(good, "Merge evil")

	// The same merge once more, on top: the judged base is not the present one.
	d.put(attest.MainRef, good)
	c, err := d.Repo.Commit(good)
	d.OK(err)
	straight := d.Straight("Untie it", tree.Edit{Path: "skills/bowline/SKILL.md", Remove: true})
	c.Parents = []tree.Hash{straight, a.Head}
	again, err := d.Repo.WriteCommit(c, nil)
	d.OK(err)
	d.put(attest.MainRef, again)
	d.inForce(again) // its tree equals the one in force, so there is nothing to judge
}

// A report that claims to be another version's excuses findings only if a listed human signed for
// the merge and every listed human approved, so that stricter rules of later versions undo nothing.
// The examination says so.
func TestForgedReport(t *testing.T) {
	d := newWorld(t)
	d.merged(tree.Edit{Path: "policies/autonomy.yaml", Content: []byte("default: autonomous\n")})
	good := d.Main()
	broken := skill("reef-knot")
	broken[0].Content = []byte(strings.Replace(string(broken[0].Content), "description:", "colour: red\ndescription:", 1))
	out, err := propose.Open(d.Context(), d.Workspace, d.Request(broken))
	d.OK(err)
	if !out.Opened || out.Examined.Report.Passed {
		t.Fatalf("the proposal should be open and refused: %v", out.Diagnostics)
	}
	report := out.Examined.Report
	report.Engine, report.Diagnostics, report.Passed, report.Scan = "9.9.9", nil, true, policy.Scan{Ran: true}
	data, err := report.Canonical()
	d.OK(err)
	d.forge(evil{pull: out.Pull, report: data})
	d.inForce(good, "Merge evil")
	if why := d.why(); !strings.Contains(why, "no listed human or witness signed for that") {
		t.Errorf("blocked because %q", why)
	}
	d.put(attest.MainRef, good)
	var failing *approve.Failing
	_, err = approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: out.Pull.ID, Decision: review.Approve, Signer: d.Ada})
	if !errors.As(err, &failing) {
		t.Fatalf("what validation refuses could be approved: %v", err)
	}
	// a person who approved it when an earlier version let it pass
	d.sign(out)
	d.forge(evil{pull: out.Pull, report: data})
	d.inForce(good, "Merge evil")
	d.put(attest.MainRef, good)
	d.inForce(d.forge(evil{pull: out.Pull, report: data, signer: d.Ada}))
	ex, err := d.current().Examine(d.Context(), out.Pull.ID)
	d.OK(err)
	if !strings.Contains(ex.Excepted, "allowed by version 9.9.9; today's rules would not: refused, validation found 1 error") {
		t.Errorf("it is in force without a remark: %q", ex.Excepted)
	}
}

// The pusher of a branch moved with plain git is unknown, so two humans must approve; as there is
// only one, hers is enough and required.
func TestPushedByHand(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("bowline")...)
	d.approve(p.ID)
	d.put("refs/heads/"+p.Branch, d.Commit("By hand\n", []tree.Hash{p.Head}, longer("bowline")))
	out := d.merge(p.ID)
	if out.Merged {
		t.Fatal("an approval of the old head merges the new one")
	}
	if !strings.Contains(out.Refused, "pushed") {
		t.Errorf("refused because %q; want that it cannot be seen who pushed", out.Refused)
	}
	d.approve(p.ID)
	if out = d.merge(p.ID); !out.Merged {
		t.Fatalf("Ada approved and it does not merge: %s", out.Refused)
	}
	d.inForce(out.Commit)
}

func TestStrangersAndAgentsDoNotApprove(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("bowline")...)
	_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: p.ID, Decision: review.Approve, Signer: d.Key("mallory")})
	var unknown *approve.NotListed
	if !errors.As(err, &unknown) {
		t.Errorf("a stranger approves: %v", err)
	}
	if out := d.merge(p.ID); out.Merged {
		t.Error("merged")
	}
}

// A merge that was cut short after main moved is in force, and reads as merged.
func TestCutAfterMainMoved(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("bowline")...)
	d.approve(p.ID)
	commit := d.merge(p.ID).Commit
	events, err := journal.Read(d.Repo, local.PullPrefix+p.ID)
	d.OK(err)
	d.put(local.PullPrefix+p.ID, events[len(events)-2].Commit)
	d.inForce(commit)
	if out := d.merge(p.ID); !out.Merged || out.Commit != commit {
		t.Errorf("merged again: %+v", out.Commit)
	}
}

// An approved proposal carries nothing past the gate: a merge on top of a blocked commit is
// blocked as well, though its own change was approved.
func TestMergeCarriesNothing(t *testing.T) {
	d := newWorld(t)
	good := d.merged(skill("bowline")...)
	p := d.open(skill("reef-knot")...)
	d.approve(p.ID)
	d.Straight("Sneak in a granny knot", skill("granny-knot")...)
	result, err := d.Result(d.Main(), p.Head)
	d.OK(err)
	d.forge(evil{pull: p, tree: result.Tree})
	cur := d.inForce(good, "Sneak in a granny knot", "Merge evil")
	if why := cur.Blocked[1].Why; !strings.Contains(why, "changes that its proposal does not make") {
		t.Errorf("blocked because %q", why)
	}
}

// A pull request must not bring another proposal's file.
func TestProposalOfAnotherID(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("bowline")...)
	cur := d.current()
	ex, err := cur.Examine(d.Context(), p.ID)
	d.OK(err)
	head, err := d.Repo.Snapshot(p.Head)
	d.OK(err)
	text, err := head.Read(ex.File)
	d.OK(err)
	other := "knot-00000000"
	d.put("refs/heads/"+p.Branch, d.Commit("Rename it\n", []tree.Hash{p.Head}, tree.Edit{Path: ex.File, Remove: true},
		tree.Edit{Path: strings.ReplaceAll(ex.File, p.ID, other), Content: []byte(strings.ReplaceAll(string(text), p.ID, other))}))
	ex, err = cur.Examine(d.Context(), p.ID)
	d.OK(err)
	if ex.Report.Passed || len(ex.Report.Diagnostics) != 1 || ex.Report.Diagnostics[0].Rule != "proposal-id" {
		t.Errorf("passed: %v; %v", ex.Report.Passed, ex.Report.Diagnostics)
	}
}

// A push that falsely claims to be the engine's hides no pusher: its author counts as unknown.
func TestPushedInTheEnginesName(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("bowline")...)
	next := d.Commit("Keep the learned capabilities in step\n", []tree.Hash{p.Head}, longer("bowline"))
	_, err := d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Name: "assent"}, Old: p.Head, New: next, Engine: true, At: d.Tick()})
	d.OK(err)
	ex, err := d.current().Examine(d.Context(), p.ID)
	d.OK(err)
	if f := ex.Case.Facts(); f.PushersKnown {
		t.Errorf("the pushers are known: %v", f.Pushers)
	}
	honest, err := d.current().Examine(d.Context(), d.open(skill("reef-knot")...).ID)
	d.OK(err)
	if pushes := honest.Case.Activity.Pushes; len(pushes) != 2 || !pushes[1].Engine || !honest.Case.Facts().PushersKnown {
		t.Errorf("the engine's own push is not seen as its own: %+v", pushes)
	}
}

// Pointing main at another history and removing the hint does not make the repository another
// workspace.
func TestMainReplacedByAnotherGenesis(t *testing.T) {
	d := newWorld(t)
	d.merged(skill("bowline")...)
	old := d.Main()
	c, err := d.Repo.Commit(old)
	d.OK(err)
	genesis, err := d.Repo.WriteCommit(gitstore.Commit{
		Tree: c.Tree, Author: c.Author, Committer: c.Committer, Message: "Begin\n\n" + attest.GenesisTrailer + ": 1\n",
	}, nil)
	d.OK(err)
	d.put(attest.MainRef, genesis)
	d.OK(os.RemoveAll(filepath.Join(d.Repo.CommonDir(), "assent")))
	if _, err := d.Session(d.Context()); !errors.Is(err, attest.ErrReplaced) && !errors.Is(err, attest.ErrRollback) {
		t.Fatalf("another genesis is taken for this workspace: %v", err)
	}
}

// The hint to the last state seen is a cache: a damaged one is rewritten, so that the history is
// not walked each time.
func TestDamagedHintIsMended(t *testing.T) {
	d := newWorld(t)
	good := d.merged(skill("bowline")...)
	hint := filepath.Join(d.Repo.CommonDir(), "assent", "genesis")
	want, err := os.ReadFile(hint)
	d.OK(err)
	for _, damaged := range []string{"", "garbage\n", good.String() + "\n"} {
		d.OK(os.WriteFile(hint, []byte(damaged), 0o644))
		d.inForce(good)
		if got, err := os.ReadFile(hint); err != nil || string(got) != string(want) {
			t.Errorf("after %q the hint is %q, %v", damaged, got, err)
		}
	}
}

// Applying a proposal again to a later main makes no one a pusher; a false claim of that for
// another change makes the pusher unknown.
func TestRebasedByTheEngine(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("reef-knot")...)
	d.merged(skill("bowline")...)
	_, err := propose.Rebase(d.Context(), d.Workspace, p.ID, d.Request(nil))
	d.OK(err)
	ex, err := d.current().Examine(d.Context(), p.ID)
	d.OK(err)
	if pushes := ex.Case.Activity.Pushes; !ex.Case.Facts().PushersKnown || !pushes[len(pushes)-1].Engine {
		t.Fatalf("the pushers are not known: %+v", pushes)
	}
	d.approve(p.ID)
	if merged := d.merge(p.ID); !merged.Merged {
		t.Fatal(merged.Refused)
	}
	// Judged again, with the merge on main, the result is the same.
	if res, err := audit.Verify(t.Context(), d.Workspace, nil); err != nil || res.Broken != nil {
		t.Fatalf("audit: %+v, %v", res.Broken, err)
	}

	p = d.open(skill("granny-knot")...)
	other := d.Commit("Another change\n", []tree.Hash{d.Main()}, longer("granny-knot"))
	_, err = d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Name: "assent"}, Old: p.Head, New: other, Engine: true, At: d.Tick()})
	d.OK(err)
	ex, err = d.current().Examine(d.Context(), p.ID)
	d.OK(err)
	if ex.Case.Facts().PushersKnown {
		t.Error("another change is taken for the engine's")
	}
}

// An approval given before the engine wrote its entry covers the change with the entry.
func TestEntryAfterTheApproval(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("reef-knot")...)
	written, err := d.Repo.Commit(p.Head)
	d.OK(err)
	early := written.Parents[0]
	_, err = d.Forge.Push(d.Context(), p.ID, forge.Push{By: p.Author, Old: p.Head, New: early, At: d.Tick()})
	d.OK(err)
	d.approve(p.ID)
	_, err = d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Name: "assent"}, Old: early, New: p.Head, Engine: true, At: d.Tick()})
	d.OK(err)
	_, err = propose.Report(d.Context(), d.current(), p.ID)
	d.OK(err)
	if merged := d.merge(p.ID); !merged.Merged {
		t.Fatal(merged.Refused)
	}
	if res, err := audit.Verify(t.Context(), d.Workspace, nil); err != nil || res.Broken != nil {
		t.Fatalf("audit: %+v, %v", res.Broken, err)
	}
}

// meanwhile is a forge on which something happens before a report is recorded.
type meanwhile struct {
	forge.Forge
	happens func()
}

func (m *meanwhile) Status(ctx context.Context, id string, s forge.Status) error {
	if f := m.happens; f != nil {
		m.happens = nil
		f()
	}
	return m.Forge.Status(ctx, id, s)
}

// Two concurrent merges of the same proposal both report the one commit.
func TestMergedBySomebodyElseMeanwhile(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("reef-knot")...)
	d.merged(skill("bowline")...) // so that the report must be made again
	d.approve(p.ID)
	local := d.Forge
	var theirs tree.Hash
	d.Forge = &meanwhile{local, func() {
		d.Forge = local
		theirs = d.merge(p.ID).Commit
	}}
	if out := d.merge(p.ID); !out.Merged || out.Commit != theirs || theirs.IsZero() {
		t.Errorf("merged: %v by %s, theirs is %s; %s", out.Merged, out.Commit.Short(), theirs.Short(), out.Refused)
	}
}

// faster is a forge on which something happens before a merge.
type faster struct {
	forge.Forge
	happens func()
}

func (f *faster) Merge(ctx context.Context, id string, m forge.Merge) (tree.Hash, error) {
	f.happens()
	return f.Forge.Merge(ctx, id, m)
}

// The loser of the race learns whose key attested the merge.
func TestAttestedBySomebodyElseMeanwhile(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("reef-knot")...)
	d.approve(p.ID)
	local := d.Forge
	d.Forge = &faster{local, func() {
		d.Forge, d.Attester = local, d.Ada
		d.merge(p.ID)
	}}
	if out := d.merge(p.ID); !out.Merged || !out.Before || out.Signer != d.Ada.Fingerprint() {
		t.Errorf("merged: %v, before: %v, attested by %q", out.Merged, out.Before, out.Signer)
	}
}
