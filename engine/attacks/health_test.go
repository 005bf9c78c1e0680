package attacks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// brittle returns a tool that passes its tests but fails on a call with 13 knots. It appends more
// to the tool's record.
func brittle(more string) []tree.Edit {
	out := double("2 if input.get(\"knots\") != 13 else fail(\"the rope frays\")")
	out[1] = file(out[1].Path, content(out[1])+more)
	return out
}

// through returns a composed tool that only calls double.
func through() []tree.Edit {
	return []tree.Edit{
		file("skills/through/SKILL.md", "---\nname: through\ndescription: Hands a count of knots on to whoever doubles it. Use it at sea.\n---\n\n# Through\n\nCall it by name.\n"),
		file("skills/through/capability.yaml", "kind: tool\nversion: 1.0.0\nstatus: active\nlayer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\ninput: {type: object}\n"),
		file("skills/through/tests.yaml", "cases:\n  - name: a pair\n    input: {knots: 2}\n    expect: {equals: 4}\n"),
		file("skills/through/scripts/main.star", "def main(input):\n    return tools.double(knots = input.get(\"knots\", 0))\n"),
	}
}

// ward keeps the health of tools on this machine.
type ward struct {
	*world
	quarantine.Keeper
	home string
}

// ward brings edits into force and keeps the health of the tools.
func (d *world) ward(edits ...tree.Edit) ward {
	d.Helper()
	d.runs(nil)
	d.merged(edits...)
	home, err := keys.Home()
	d.ok(err)
	cur, err := d.Session(d.Context())
	d.ok(err)
	return ward{d, quarantine.Keeper{W: d.Workspace, Store: workspace.HealthOf(cur), Agent: "kublai"}, home}
}

// process returns an engine for the tools in force now, as a long-running process has.
func (w ward) process() *tool.Engine {
	w.Helper()
	cur, err := w.Session(w.Context())
	w.ok(err)
	return &tool.Engine{View: cur.View, Policies: cur.Policies, Session: "s", Ledger: calls.NewLedger(w.home, cur.ID()), Health: w.Store, Now: w.tick}
}

func (w ward) call(e *tool.Engine, name, knots string) tool.Result {
	w.Helper()
	res, err := e.Do(w.Context(), tool.Call{Name: name, Input: json.RawMessage(`{"knots": ` + knots + `}`)})
	if err != nil && !res.Success && res.Type == "" {
		w.Fatal(err)
	}
	return res
}

// fails calls double with a failing input until it is quarantined.
func (w ward) fails() {
	w.Helper()
	for e, n := w.process(), 0; w.look().Health.State.Runs(); n++ {
		e.Agent = fmt.Sprintf("caller-%d", n) // the same call of one caller is one failure
		if res := w.call(e, "double", "13"); res.Success || res.Type == tool.Quarantined {
			w.Fatalf("%+v", res)
		}
	}
}

func (w ward) look() quarantine.Subject {
	w.Helper()
	cur, err := w.Session(w.Context())
	w.ok(err)
	s, ok, err := quarantine.Look(w.Context(), cur, w.Store, "skills/double", w.tick())
	w.ok(err)
	if !ok {
		w.Fatal("double has no code")
	}
	return s
}

// A tool in quarantine stays there until a repair passes the gate, or a person asks for its tests.
func TestAttackQuarantine(t *testing.T) {
	out := func(d *world, res tool.Result) {
		d.Helper()
		if res.Success {
			d.succeeds("it is called and answers %s", res.Result)
		} else if !strings.Contains(res.Error, "is red since") {
			d.Errorf("it is refused for another reason: %+v", res)
		}
	}
	attack(t, "a process that began before", func(d *world) {
		w := d.ward(brittle("")...)
		older := w.process()
		if res := w.call(older, "double", "2"); !res.Success {
			d.Fatalf("%+v", res)
		}
		w.fails()
		out(d, w.call(older, "double", "2"))
	})
	attack(t, "through another tool", func(d *world) {
		w := d.ward(append(brittle(""), through()...)...)
		w.fails()
		out(d, w.call(w.process(), "through", "2"))
	})
	attack(t, "a journal that was replaced", func(d *world) {
		w := d.ward(brittle("")...)
		w.fails()
		cur, err := d.Session(d.Context())
		d.ok(err)
		trials := triallog.New(d.Repo, cur.ID(), d.Now)
		d.ok(trials.Commit(d.Context()))
		own, err := trials.Own()
		d.ok(err)
		d.put(triallog.Ref(own), d.main())
		if res, err := w.process().Do(d.Context(), tool.Call{Name: "double", Input: json.RawMessage(`{"knots": 2}`)}); err == nil {
			d.succeeds("it is called as if nothing were known of it: %+v", res)
		} else {
			d.because(err.Error(), "not a sound journal")
		}
	})
	attack(t, "another installation that says it fails", func(d *world) {
		w := d.ward(brittle("")...)
		w.fails()
		cur, err := d.Session(d.Context())
		d.ok(err)
		trials := triallog.New(d.Repo, cur.ID(), d.Now)
		d.ok(trials.Commit(d.Context()))
		saw, err := trials.Own()
		d.ok(err)
		d.ok(os.Remove(filepath.Join(d.dir, ".git", "assent", "trials", "key"))) // this installation is another one from here on
		for listed, want := range map[string]map[string]trial.Writer{
			"none": nil, "one of two": {"saw": saw, "silent": trial.WriterOf([]byte("silent"))},
		} {
			e := w.process()
			e.Health = triallog.NewHealth(trials, want, quarantine.Thresholds(cur.Policies))
			if res := w.call(e, "double", "2"); !res.Success {
				d.succeeds("with %s listed it stops the tool here: %+v", listed, res)
			}
		}
	})
	attack(t, "tests that never failed, run again", func(d *world) {
		w := d.ward(brittle("")...)
		w.fails()
		cur, err := d.Session(d.Context())
		d.ok(err)
		_, err = w.Check(d.Context(), cur, []quarantine.Subject{w.look()}, false)
		d.ok(err)
		out(d, w.call(w.process(), "double", "2"))
	})
	attack(t, "a repair without the case that fails", func(d *world) {
		w := d.ward(brittle("")...)
		w.fails()
		for _, cases := range []string{
			"cases:\n  - name: another\n    input: {knots: 3}\n    expect: {equals: 6}\n",
			"cases:\n  - name: a pair\n    input: {knots: 2}\n    expect: {equals: 4}\n    required: false\n",
		} {
			mended := double("2")
			mended[2] = file("skills/double/tests.yaml", cases)
			d.reportHas(d.asked(d.request("kublai", mended...)).Pull.ID, capability.RuleSuiteAppend)
		}
		out(d, w.call(w.process(), "double", "2"))
	})
	attack(t, "a pattern that knows every error", func(d *world) {
		d.runs(nil)
		p := d.asked(d.request("kublai", brittle("error_patterns: [{match: '.+', means: it is tired, fix: call again}]\n")...))
		if p.Opened && p.Examined.Report.Passed {
			d.succeeds("no failure of it would count")
			return
		}
		d.reportHas(p.Pull.ID, capability.RuleRecordValue)
	})
	attack(t, "a flood of proposals to mend it", func(d *world) {
		w := d.ward(brittle("")...)
		w.fails()
		cur, err := d.Session(d.Context())
		d.ok(err)
		first, err := w.Follow(d.Context(), cur, w.look(), false)
		d.ok(err)
		if !first.Opened {
			d.Fatalf("%+v", first)
		}
		_, err = approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: first.ID, Decision: review.Reject, Reason: "it is only the rope", Signer: d.who["ada"]})
		d.ok(err)
		for range 3 {
			again, err := w.Follow(d.Context(), cur, w.look(), false)
			d.ok(err)
			if again.Opened || again.ID != first.ID {
				d.succeeds("it is proposed again: %+v", again)
			}
		}
		if p, err := d.Record.Get(d.Context(), first.ID); err != nil || p.State != forge.Closed {
			d.Errorf("%v, %s", err, p.State)
		}
	})
}

func healthDefences() map[string]defence {
	const quarantine = "TestAttackQuarantine/"
	return map[string]defence{
		"quarantine-is-looked-up":         {attack: quarantine + "a process that began before"},
		"damaged-health-is-an-error":      {attack: quarantine + "a journal that was replaced"},
		"one-installation-stops-no-other": {attack: quarantine + "another installation that says it fails"},
		"passing-tests-forgive-no-uses":   {attack: quarantine + "tests that never failed, run again"},
		"error-patterns-name-an-error":    {attack: quarantine + "a pattern that knows every error"},
		"mending-is-proposed-once":        {attack: quarantine + "a flood of proposals to mend it"},
	}
}
