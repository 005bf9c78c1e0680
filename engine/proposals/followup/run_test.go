package followup_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/disktest"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/followup"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// place is a workspace in a folder, at a time.
type place struct{ *worldtest.Place }

func folder(name, kind, record string) []tree.Edit {
	dir := "skills/" + name + "/"
	return []tree.Edit{
		{Path: dir + "SKILL.md", Content: fmt.Appendf(nil, "---\nname: %s\ndescription: What %s is about. Use when %s is asked for.\n---\n# It\n\nThis is %s.\n", name, name, name, name)},
		{Path: dir + "capability.yaml", Content: []byte("kind: " + kind + "\nversion: 1.0.0\nstatus: active\n" + record)},
	}
}

func peeler(name, record string) []tree.Edit {
	code := []tree.Edit{{Path: "skills/" + name + "/scripts/main.py", Content: []byte("print(1)\n")}}
	return append(code, folder(name, "tool", "run: {runtime: python, entry: scripts/main.py}\ninput: {type: object}\n"+record)...)
}

// begin makes a workspace in which peel-2 repairs peel, to which two skills apply.
func begin(t *testing.T, more ...tree.Edit) *place {
	t.Helper()
	edits := []tree.Edit{{Path: "soul/scout/SOUL.md", Content: []byte("# Scout\n\n## Learned Capabilities\n")}}
	for _, part := range [][]tree.Edit{more, peeler("peel", ""), peeler("peel-2", "supersedes: peel\n"), folder("advice", "skill", "applies_to: [peel]\n"), folder("basics", "skill", "applies_to: [peel]\n")} {
		edits = append(edits, part...)
	}
	return &place{worldtest.Begin(t, []string{"scout"}, edits...)}
}

// ask asks all that is due, as a pass does.
func ask(ctx context.Context, w *workspace.Workspace) ([]followup.Asked, error) {
	cur, err := w.Session(ctx)
	if err != nil {
		return nil, err
	}
	due, err := followup.Due(ctx, cur)
	if err != nil {
		return nil, err
	}
	var out []followup.Asked
	for _, q := range due {
		done, err := followup.Ask(ctx, w, q)
		if err != nil {
			return out, err
		}
		out = append(out, done)
	}
	return out, nil
}

func (p *place) asked() []followup.Asked {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	out, err := ask(p.Context(), w)
	p.OK(err)
	return out
}

// Each skill has one proposal, whatever the answer.
func TestAskedOnce(t *testing.T) {
	p := begin(t)
	first := p.asked()
	if len(first) != 2 || !first[0].Opened || !first[1].Opened {
		t.Fatalf("%+v", first)
	}
	if again := p.asked(); len(again) != 0 {
		t.Errorf("again: %+v", again)
	}
	w, err := p.On(nil)
	p.OK(err)
	pull, err := w.Forge.Get(t.Context(), first[0].Proposal)
	p.OK(err)
	for _, want := range []string{"The skill advice applies to peel (1.0.0, active), and peel-2 1.0.0, which is active, supersedes that as a repair", "reject --reason", "approve", "assent update"} {
		if !strings.Contains(pull.Body, want) {
			t.Errorf("%q is not in:\n%s", want, pull.Body)
		}
	}
	_, err = approve.Run(t.Context(), w, approve.Decision{Proposal: pull.ID, Decision: review.Reject, Reason: "no", Signer: p.Ada})
	p.OK(err)
	p.OK(w.Forge.Close(t.Context(), pull.ID, forge.Closing{By: forge.Actor{Name: "ada"}, Why: "rejected", At: p.Clock}))
	if again := p.asked(); len(again) != 0 || len(p.Pulls()) != 2 {
		t.Errorf("after no: %+v", again)
	}
}

// The engine has as many proposals open as one proposer may.
func TestBounded(t *testing.T) {
	p := begin(t, tree.Edit{Path: "policies/limits.yaml", Content: []byte("open_proposals_per_agent: 1\n")})
	if first := p.asked(); len(first) != 1 || !first[0].Opened {
		t.Fatalf("%+v", first)
	}
	if more := p.asked(); len(more) != 0 {
		t.Errorf("%+v", more)
	}
	w, err := p.On(nil)
	p.OK(err)
	p.OK(w.Forge.Close(t.Context(), p.Pulls()[0].ID, forge.Closing{By: forge.Actor{Name: "ada"}, Why: "rejected", At: p.Clock}))
	if next := p.asked(); len(next) != 1 || len(p.Pulls()) != 2 {
		t.Errorf("%+v", next)
	}
}

// A process that finds a question and is overtaken asks nothing.
func TestOvertaken(t *testing.T) {
	p := begin(t)
	w, err := p.On(nil)
	p.OK(err)
	cur, err := w.Session(t.Context())
	p.OK(err)
	due, err := followup.Due(t.Context(), cur)
	p.OK(err)
	p.asked()
	for _, q := range due {
		if late, err := followup.Ask(t.Context(), w, q); err != nil || late != (followup.Asked{Proposal: q.ID()}) {
			t.Errorf("%+v, %v", late, err)
		}
	}
	if len(due) != 2 || len(p.Pulls()) != 2 {
		t.Errorf("%d questions, %d proposals", len(due), len(p.Pulls()))
	}
}

// Of any number of processes at once, one proposal comes for each skill.
func TestSideBySide(t *testing.T) {
	p := begin(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			w, err := p.On(nil)
			if err == nil {
				_, err = ask(t.Context(), w)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(p.Pulls()); n != 2 {
		t.Errorf("%d proposals", n)
	}
}

// Killed at any disk operation, the next pass has the same result.
func TestKilledAnywhere(t *testing.T) {
	p := begin(t)
	copied := func(disk gitstore.Disk) *place {
		q := &place{p.Copied(t)}
		if w, err := q.On(disk); err == nil {
			_, _ = ask(t.Context(), w) // the killed process's answer is lost
		}
		return q
	}
	whole := &disktest.Disk{}
	copied(whole)
	ops := len(whole.Ops())
	if ops == 0 {
		t.Fatal("nothing was written")
	}
	for n := 1; n <= ops; n += 1 + ops/12 {
		q := copied(&disktest.Disk{DieAt: n})
		q.Unlock()
		w, err := q.On(nil)
		p.OK(err)
		if _, err := ask(t.Context(), w); err != nil || len(q.Pulls()) != 2 {
			t.Errorf("killed at %d of %d: %d proposals, %v", n, ops, len(q.Pulls()), err)
		}
	}
}
