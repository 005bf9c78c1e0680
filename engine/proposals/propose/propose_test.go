package propose_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// world is a workspace with one human and two agents.
type world struct{ *worldtest.World }

func begin(t *testing.T, change ...func(policies map[string][]byte)) world {
	t.Helper()
	return world{worldtest.NewWith(t, func(policies map[string][]byte) {
		for _, c := range change {
			c(policies)
		}
	}, "kublai", "mongke")}
}

func knot(name, text string) []tree.Edit {
	return []tree.Edit{{Path: "skills/" + name + "/SKILL.md", Content: fmt.Appendf(nil,
		"---\nname: %s\ndescription: Ties a %[1]s. Use when a rope has to hold.\n---\n# Tie\n\n%s\n", name, text)}}
}

func (d world) open(r propose.Request) propose.Outcome {
	d.Helper()
	out, err := propose.Open(d.Context(), d.Workspace, r)
	d.OK(err)
	return out
}

func (d world) opened(edits []tree.Edit) forge.Pull {
	d.Helper()
	out := d.open(d.Request(edits))
	if !out.Opened {
		d.Fatalf("not opened: %v", out.Diagnostics)
	}
	return out.Pull
}

func (d world) merged(edits []tree.Edit) forge.Pull {
	d.Helper()
	return d.merge(d.opened(edits).ID)
}

func (d world) merge(id string) forge.Pull {
	d.Helper()
	_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: id, Decision: review.Approve, Signer: d.Ada})
	d.OK(err)
	out, err := merge.Run(d.Context(), d.Workspace, id, forge.Actor{Name: "kublai"}, false)
	d.OK(err)
	if !out.Merged {
		d.Fatalf("%s does not merge: %s", id, out.Refused)
	}
	return out.Examined.Case.Pull
}

func (d world) current() workspace.Session {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.OK(err)
	return cur
}

func (d world) pulls() int {
	d.Helper()
	all, err := d.Record.List(d.Context(), forge.Filter{})
	d.OK(err)
	return len(all)
}

// refused ends the test unless exactly one rule stopped a request and nothing was opened.
func (d world) refused(out propose.Outcome, rule string) diag.Diagnostic {
	d.Helper()
	at := slices.IndexFunc(out.Diagnostics, func(f diag.Diagnostic) bool { return f.Rule == rule })
	if out.Opened || at < 0 || !out.Diagnostics.HasErrors() {
		d.Fatalf("opened %v with %v, want an error of %s", out.Opened, out.Diagnostics, rule)
	}
	return out.Diagnostics[at]
}

// A request becomes a branch, a journal and a report, and the learned list gets its entry.
func TestOpen(t *testing.T) {
	d := begin(t)
	main := d.Main()
	out := d.open(d.Request(knot("bowline", "Make a loop.")))
	if !out.Opened || !out.Examined.Report.Passed || out.Examined.Verdict.Outcome != policy.Waiting {
		t.Fatalf("opened %v, passed %v, %s: %v", out.Opened, out.Examined.Report.Passed, out.Examined.Verdict.Outcome, out.Diagnostics)
	}
	p := out.Examined.Case.Pull
	if p.Author.Name != "kublai" || p.Branch != propose.BranchOf(p.ID) || d.Main() != main {
		t.Errorf("%+v; main at %s", p, d.Main())
	}
	activity := out.Examined.Case.Activity
	if len(activity.Pushes) != 2 || !activity.Pushes[1].Engine || activity.Pushes[1].New != p.Head {
		t.Errorf("pushes: %+v", activity.Pushes)
	}
}

// A dry run computes all of it and leaves no trace.
func TestOpenDry(t *testing.T) {
	d := begin(t)
	refs, err := d.Repo.Refs("refs/")
	d.OK(err)
	r := d.Request(knot("bowline", "Make a loop."))
	r.DryRun = true
	out := d.open(r)
	if out.Opened || !out.Examined.Report.Passed || out.Pull.ID == "" {
		t.Errorf("%+v", out.Pull)
	}
	after, err := d.Repo.Refs("refs/")
	d.OK(err)
	if len(after) != len(refs) || d.pulls() != 0 {
		t.Errorf("%d refs, before %d", len(after), len(refs))
	}
}

// Refused before it is stored: the rule names the reason, and nothing is written.
func TestOpenRefused(t *testing.T) {
	for name, c := range map[string]struct {
		rule    string
		policy  func(policies map[string][]byte)
		before  [][]tree.Edit
		request func(r *propose.Request)
	}{
		"outside of the governed folders": {propose.RuleOutside, nil, nil, func(r *propose.Request) {
			r.Edits = []tree.Edit{{Path: "README.md", Content: []byte("x\n")}}
		}},
		"a record by hand": {propose.RuleWritten, nil, nil, func(r *propose.Request) {
			r.Edits = append(r.Edits, tree.Edit{Path: "proposals/2026/03/10/bowline-00000000.md", Content: []byte("x\n")})
		}},
		"a path twice":         {propose.RuleTwice, nil, nil, func(r *propose.Request) { r.Edits = append(r.Edits, r.Edits...) }},
		"another agent's name": {propose.RuleAgent, nil, nil, func(r *propose.Request) { r.Proposal.Agent = "temujin" }},
		"the same again":       {propose.RuleAgain, nil, [][]tree.Edit{knot("bowline", "Make a loop.")}, func(*propose.Request) {}},
		"too many": {propose.RuleOpen, func(policies map[string][]byte) {
			policies["policies/limits.yaml"] = []byte("open_proposals_per_agent: 1\n")
		}, [][]tree.Edit{knot("sheet-bend", "Two ropes.")}, func(*propose.Request) {}},
		"what no one can approve": {propose.RuleNever, nil, nil, func(r *propose.Request) {
			r.Edits = []tree.Edit{{Path: "skills/bowline/SKILL.md", Content: []byte("---\nname: bowline\ndescription: Rewrites its own source code. Use when a rope has to hold.\n---\n# Tie\n\nTie it.\n")}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			change := []func(map[string][]byte){}
			if c.policy != nil {
				change = append(change, c.policy)
			}
			d := begin(t, change...)
			for _, edits := range c.before {
				d.opened(edits)
			}
			r := d.Request(knot("bowline", "Make a loop."))
			c.request(&r)
			if f := d.refused(d.open(r), c.rule); f.Fix == "" {
				t.Errorf("no fix: %s", f)
			}
			if n := d.pulls(); n != len(c.before) {
				t.Errorf("%d proposals, want %d", n, len(c.before))
			}
		})
	}
}

// The limit is for agents; one that has reached it may go on when a proposal ended.
func TestAtLimit(t *testing.T) {
	d := begin(t, func(policies map[string][]byte) {
		policies["policies/limits.yaml"] = []byte("open_proposals_per_agent: 1\n")
	})
	p := d.opened(knot("bowline", "Make a loop."))
	d.refused(d.open(d.Request(knot("sheet-bend", "Two ropes."))), propose.RuleOpen)
	_, err := propose.Withdraw(t.Context(), d.current(), p, forge.Actor{Name: "kublai"}, "later")
	d.OK(err)
	d.opened(knot("sheet-bend", "Two ropes."))
	if full := propose.AtLimit(t.Context(), d.current(), []forge.Pull{p, p}, propose.Request{By: forge.Actor{Name: "ada"}}, 0); full != nil {
		t.Errorf("a human is stopped: %v", full)
	}
}

// Two passes of the engine that began together stay within the limit together.
func TestAtLimitTogether(t *testing.T) {
	d := begin(t, func(policies map[string][]byte) {
		policies["policies/limits.yaml"] = []byte("open_proposals_per_agent: 1\n")
	})
	var passes [3]*propose.Intake
	for i := range passes {
		var err error
		passes[i], err = propose.Begin(t.Context(), d.Workspace)
		d.OK(err)
	}
	first := d.Request(knot("bowline", "Make a loop.")).AsEngine(d.Now())
	out, err := passes[0].Open(t.Context(), first)
	d.OK(err)
	if first.Proposal.ID = out.Pull.ID; !out.Opened {
		t.Fatal(out.Diagnostics)
	}
	out, err = passes[1].Open(t.Context(), d.Request(knot("sheet-bend", "Two ropes.")).AsEngine(d.Now()))
	d.OK(err)
	d.refused(out, propose.RuleOpen)
	if _, err = passes[2].Open(t.Context(), first); !errors.Is(err, forge.ErrExists) {
		t.Errorf("the same by both: %v", err)
	}
	if n := d.pulls(); n != 1 {
		t.Errorf("%d proposals are open, the limit is 1", n)
	}
}

// Update adds edits to the proposal, removes files, and refuses another head.
func TestUpdate(t *testing.T) {
	d := begin(t)
	p := d.opened(append(knot("bowline", "Make a loop."), tree.Edit{Path: "skills/bowline/more.md", Content: []byte("More.\n")}))
	r := d.Request(knot("bowline", "Make a small loop."))
	r.Delete = []string{"skills/bowline/more.md"}
	out, err := propose.Update(t.Context(), d.Workspace, p.ID, r)
	d.OK(err)
	head := out.Examined.Case.Pull.Head
	view, err := d.Repo.Snapshot(head)
	d.OK(err)
	text, err := view.Read("skills/bowline/SKILL.md")
	d.OK(err)
	if there, err := tree.Exists(view, "skills/bowline/more.md"); err != nil || there || !strings.Contains(string(text), "Make a small loop.") {
		t.Errorf("more.md is there: %v (%v)\n%s", there, err, text)
	}
	if _, err := propose.Update(t.Context(), d.Workspace, p.ID, d.Request(knot("bowline", "Make a small loop."))); !errors.Is(err, propose.ErrNothing) {
		t.Errorf("the same again: %v", err)
	}
	r = d.Request(knot("bowline", "Make no loop."))
	r.Upon = p.Head
	var stale *forge.ErrStale
	if _, err := propose.Update(t.Context(), d.Workspace, p.ID, r); !errors.As(err, &stale) || stale.Got != head {
		t.Errorf("upon an older head: %v", err)
	}
}

// Rebase names the file that main also changed, and loses neither side.
func TestRebase(t *testing.T) {
	d := begin(t)
	d.merged(knot("bowline", "Make a loop."))
	p := d.opened(knot("bowline", "Make a small loop."))
	d.merged(knot("bowline", "Make a large loop."))
	out, err := propose.Rebase(t.Context(), d.Workspace, p.ID, d.Request(nil))
	d.OK(err)
	if f := d.refused(out, propose.RuleConflict); f.File != "skills/bowline/SKILL.md" {
		t.Errorf("the conflict names %s", f.File)
	}
	if now, err := d.Record.Get(t.Context(), p.ID); err != nil || now.Head == p.Head && now.State != forge.Open {
		t.Errorf("%+v, %v", now, err)
	}
	other := d.opened(knot("sheet-bend", "Two ropes."))
	d.merged(knot("clove-hitch", "Around a post."))
	moved, err := propose.Rebase(t.Context(), d.Workspace, other.ID, d.Request(nil))
	d.OK(err)
	if moved.Diagnostics.HasErrors() || !moved.Examined.Report.Passed {
		t.Errorf("a rebase without conflict: %v", moved.Diagnostics)
	}
}

// Undo reverts unchanged files, and names those changed since.
func TestUndo(t *testing.T) {
	d := begin(t)
	p := d.merged(knot("bowline", "Make a loop."))
	r, diags, err := propose.Undo(d.current(), p)
	d.OK(err)
	if diags.HasErrors() || r.Proposal.Undoes != p.ID || !slices.ContainsFunc(r.Edits, func(e tree.Edit) bool { return e.Path == "skills/bowline/SKILL.md" && e.Remove }) {
		t.Errorf("%+v, %v", r.Edits, diags)
	}
	d.merged(knot("bowline", "Make a large loop."))
	_, diags, err = propose.Undo(d.current(), p)
	d.OK(err)
	if len(diags) != 1 || diags[0].Rule != propose.RuleChangedSince || diags[0].File != "skills/bowline/SKILL.md" {
		t.Errorf("after a later change: %v", diags)
	}
	if _, _, err := propose.Undo(d.current(), d.opened(knot("sheet-bend", "Two ropes."))); err == nil {
		t.Error("an unmerged proposal can be undone")
	}
}

// Adopt puts commits made past the gate through it, except files that only assent writes.
func TestAdopt(t *testing.T) {
	d := begin(t)
	if _, _, err := propose.Adopt(d.current()); err == nil {
		t.Error("there is something to adopt")
	}
	d.Straight("a knot", knot("bowline", "Make a loop.")...)
	r, diags, err := propose.Adopt(d.current())
	d.OK(err)
	if diags != nil || len(r.Edits) != 1 || r.Edits[0].Path != "skills/bowline/SKILL.md" {
		t.Errorf("%+v, %v", r.Edits, diags)
	}
	d.Straight("a record", tree.Edit{Path: "proposals/2026/03/10/bowline-00000000.md", Content: []byte("x\n")})
	_, diags, err = propose.Adopt(d.current())
	d.OK(err)
	if len(diags) != 1 || diags[0].Rule != propose.RuleWritten {
		t.Errorf("%v", diags)
	}
}

// Only the proposer and humans can end or reopen a proposal.
func TestEnds(t *testing.T) {
	d := begin(t)
	p := d.opened(knot("bowline", "Make a loop."))
	var not *propose.NotYours
	if _, err := propose.Withdraw(t.Context(), d.current(), p, forge.Actor{Name: "mongke"}, ""); !errors.As(err, &not) {
		t.Errorf("another agent withdraws it: %v", err)
	}
	ex, err := propose.Withdraw(t.Context(), d.current(), p, forge.Actor{Name: "ada"}, "not now")
	d.OK(err)
	if closed := ex.Case.Pull; closed.State != forge.Closed || closed.Why != "withdrawn" {
		t.Errorf("%+v", closed)
	}
	if _, err := propose.Reopen(t.Context(), d.current(), ex.Case.Pull, forge.Actor{Name: "mongke"}); !errors.As(err, &not) {
		t.Errorf("another agent reopens it: %v", err)
	}
	out, err := propose.Reopen(t.Context(), d.current(), ex.Case.Pull, forge.Actor{Name: "kublai"})
	d.OK(err)
	next := d.Request(knot("bowline", "Make two loops."))
	next.By = forge.Actor{Name: "mongke"}
	if _, err := propose.Update(t.Context(), d.Workspace, p.ID, next); !errors.As(err, &not) {
		t.Errorf("another agent updates it: %v", err)
	}
	next.By = forge.Actor{Name: "kublai"}
	if _, err := propose.Update(t.Context(), d.Workspace, p.ID, next); err != nil {
		t.Errorf("the proposer cannot update it: %v", err)
	}
	if out.Examined.Case.Pull.State != forge.Open || !out.Examined.Report.Passed {
		t.Errorf("reopened: %+v", out.Examined.Case.Pull)
	}
}

// Reopening renews a request that has lapsed.
func TestReopenLapsed(t *testing.T) {
	d := begin(t)
	p := d.opened(knot("bowline", "Make a loop."))
	d.Clock = d.Clock.Add(400 * 24 * time.Hour)
	out, err := propose.Reopen(t.Context(), d.current(), p, forge.Actor{Name: "kublai"})
	d.OK(err)
	if now := out.Examined.Case.Pull; now.State != forge.Open || now.Reopened.Before(d.Clock.Add(-time.Hour)) {
		t.Errorf("%+v", now)
	}
}

// An argument means an id, its beginning, a branch or a page; of several, the only open one.
func TestResolve(t *testing.T) {
	d := begin(t)
	p := d.opened(knot("bowline", "Make a loop."))
	for _, arg := range []string{p.ID, "bow", "proposal/" + p.ID, "https://example.org/x/" + p.ID + "/"} {
		if got, err := propose.Resolve(t.Context(), d.Workspace, arg); err != nil || got.ID != p.ID {
			t.Errorf("%s: %s, %v", arg, got.ID, err)
		}
	}
	for _, arg := range []string{"", "hitch", "/"} {
		if _, err := propose.Resolve(t.Context(), d.Workspace, arg); !errors.Is(err, forge.ErrNotFound) {
			t.Errorf("%q: %v", arg, err)
		}
	}
	second := d.opened(knot("bowline", "Make a small loop."))
	var several *propose.Ambiguous
	if _, err := propose.Resolve(t.Context(), d.Workspace, "bow"); !errors.As(err, &several) || len(several.Pulls) != 2 {
		t.Errorf("of two: %v", err)
	}
	d.merge(second.ID)
	if got, err := propose.Resolve(t.Context(), d.Workspace, "bow"); err != nil || got.ID != p.ID {
		t.Errorf("the open one of two: %s, %v", got.ID, err)
	}
	third := d.opened(knot("bowline", "Make a loop, and close it."))
	d.OK(d.Forge.Close(t.Context(), third.ID, forge.Closing{By: forge.Actor{Name: "kublai"}, Why: "withdrawn", At: d.Now()}))
	if _, err := propose.Resolve(t.Context(), d.Workspace, "bow"); !errors.As(err, &several) || !strings.Contains(err.Error(), p.ID+" (open), ") || !strings.Contains(err.Error(), third.ID+" (closed)") {
		t.Errorf("an open and a closed one: %v", err)
	}
}

// The proposer is the named agent, or the person with the address.
func TestWho(t *testing.T) {
	d := begin(t)
	by, author, err := propose.Who(d.current(), "kublai")
	d.OK(err)
	if by.Name != "kublai" || author.Email != "kublai@agents.invalid" {
		t.Errorf("%+v, %+v", by, author)
	}
	var unknown *propose.Unknown
	if _, _, err := propose.Who(d.current(), "temujin"); !errors.As(err, &unknown) || !slices.Equal(unknown.Agents, []string{"kublai", "mongke"}) {
		t.Errorf("%v", err)
	}
}
