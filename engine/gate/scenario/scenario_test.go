package scenario_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/scenario"
)

// tried are the results of one file, which costs little.
func tried(t testing.TB, p policy.Policies, f scenario.File) []scenario.Result {
	t.Helper()
	out, ds, err := scenario.Try(nil, p, []scenario.File{f})
	if err != nil || len(ds) > 0 {
		t.Fatal(ds, err)
	}
	return out
}

const head = "people: {ann: [human]}\nagents: {scout: []}\nscenarios:\n"

// Every error in a file is reported with its line.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"scenarios: []\n", `s.yaml:1:1: error: a file holds 1 to 200 scenarios, not 0`},
		{head + "  - {facts: {}, expect: {outcome: allowed}}\n", `s.yaml:4:5: error: the scenario has no name`},
		{head + "  - {name: a, facts: {}}\n", `s.yaml:4:5: error: the scenario "a" expects nothing`},
		{head + "  - {name: a, expect: {outcome: allwed}}\n", `s.yaml:4:24: error: an outcome is never "allwed"`},
		{head + "  - {name: a, facts: {kindd: add}, expect: {outcome: allowed}}\n", `kindd`},
		{head + "  - {name: a, facts: {kind: ad}, expect: {outcome: allowed}}\n", `s.yaml:4:23: error: a kind is never "ad"`},
		{head + "  - {name: a, facts: {waiting: soon}, expect: {outcome: allowed}}\n", `s.yaml:4:32: error: "soon" is no length of time`},
		{head + "  - {name: a, facts: {files: 2000000000}, expect: {outcome: allowed}}\n", `s.yaml:4:23: error: a scenario has at most 10000 files, not 2000000000`},
		{head + "  - {name: a, facts: {now: yesterday}, expect: {outcome: allowed}}\n", `"yesterday" is no instant`},
		{head + "  - {name: a, facts: {reviews: [{by: ann, decision: aprove}]}, expect: {outcome: allowed}}\n", `a decision is never "aprove"`},
		{head + "  - {name: a, facts: {capabilities: [{name: a/b}]}, expect: {outcome: allowed}}\n", `"a/b" is no name of a capability`},
		{head + "  - {name: a, expect: {waiting_for: {boss: 1}}}\n", `who is waited for is never "boss"`},
		{head + "  - {name: a, facts: {origins: [{way: post}]}, expect: {outcome: allowed}}\n", `a way in is never "post"`},
		{head + "  - {name: a, facts: {origins: [{source: x}]}, expect: {outcome: allowed}}\n", `a way in is never "none"`},
		{"people: {ann: [boss]}\nscenarios:\n  - {name: a, expect: {risk: low}}\n", `s.yaml:1:10: error: no role is called "boss"`},
		{"agents: {ann: [human]}\nscenarios:\n  - {name: a, expect: {risk: low}}\n", `"ann" is an agent`},
		{"people: {Ann: [human]}\nscenarios:\n  - {name: a, expect: {risk: low}}\n", `"Ann" is no name for an identity`},
	} {
		_, ds := scenario.Parse("s.yaml", []byte(c.text))
		got := ""
		for _, d := range ds {
			got += d.String() + "\n"
		}
		if !ds.HasErrors() || !strings.Contains(got, c.want) {
			t.Errorf("%s: %swant %s", c.text, got, c.want)
		}
	}
}

// Each expectation that does not hold is a failure of its own, at its own line.
func TestRunTellsWhatFails(t *testing.T) {
	p, _ := policy.Load(tree.MapOf(shipped(t)))
	f, ds := scenario.Parse("s.yaml", []byte(head+`  - name: everything is otherwise
    facts: {reviews: [{by: ann}]}
    expect:
      outcome: refused
      risk: high
      class: high
      mode: manual
      waiting_for: {human: 2}
      reason: because
  - name: somebody unknown
    facts: {proposer: nobody}
    expect: {outcome: allowed}
  - name: as it is
    facts: {reviews: [{by: ann}]}
    expect: {outcome: allowed, risk: low, class: safe, mode: assisted, waiting_for: {}, reason: every rule allows it}
`))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	want := [][]string{{
		"s.yaml:7:7: error: everything is otherwise: outcome is allowed, not refused [scenario-failed]",
		"s.yaml:8:7: error: everything is otherwise: risk is low, not high [scenario-failed]",
		"s.yaml:9:7: error: everything is otherwise: class is safe, not high [scenario-failed]",
		"s.yaml:10:7: error: everything is otherwise: mode is assisted, not manual [scenario-failed]",
		"s.yaml:11:7: error: everything is otherwise: it waits for no one, not for 2 human [scenario-failed]",
		`s.yaml:12:7: error: everything is otherwise: the reason does not say "because" [scenario-failed]`,
	}, {
		`s.yaml:13:5: error: somebody unknown: roles have no identity called "nobody" [scenario-failed]`,
	}, nil}
	for i, r := range tried(t, p, f) {
		var got []string
		for _, d := range r.Failures {
			got = append(got, d.String())
		}
		if strings.Join(got, "\n") != strings.Join(want[i], "\n") {
			t.Errorf("%s:\n%s", r.Scenario.Name, strings.Join(got, "\n"))
		}
	}
}

// The proposer is a claim, unless the scenario says that it is proven: only then does a
// person who proposes lower the number of humans needed.
func TestRunTakesProposersForClaimed(t *testing.T) {
	p, _ := policy.Load(tree.MapOf(shipped(t)))
	f, ds := scenario.Parse("s.yaml", []byte(`people: {ann: [human], bob: [human]}
scenarios:
  - name: as on the local forge
    facts: {proposer: ann, kind: policy, paths: [policies/limits.yaml], reviews: [{by: bob}]}
    expect: {allowed: false, waiting_for: {human: 1}}
  - name: by an account
    facts: {proposer: ann, proven: true, kind: policy, paths: [policies/limits.yaml], reviews: [{by: bob}]}
    expect: {outcome: allowed}
`))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	for _, r := range tried(t, p, f) {
		for _, d := range r.Failures {
			t.Error(d)
		}
	}
}

func FuzzParse(f *testing.F) {
	for path, text := range shipped(f) {
		if strings.Contains(path, "scenarios/") {
			f.Add(text)
		}
	}
	p, _ := policy.Load(tree.MapOf(shipped(f)))
	f.Fuzz(func(t *testing.T, text string) {
		file, ds := scenario.Parse("s.yaml", []byte(text))
		if !ds.HasErrors() {
			if _, _, err := scenario.Try(nil, p, []scenario.File{file}); err != nil {
				t.Error(err)
			}
		}
	})
}

// Where content came from and in whose session it was proposed can be stated like any
// other fact that policies speak about.
func TestScenariosStateWhereContentCameFrom(t *testing.T) {
	files := shipped(t)
	files[policy.AutonomyFile] = "default: autonomous\n"
	files[policy.ApprovalsFile] = "tiers: {low: [], medium: [{role: lead, count: 1}], high: [{role: human, count: 1}], critical: [{role: human, count: 2}]}\n" +
		"extra:\n  - {name: in-a-session-of-ann, when: '\"ann\" in sessions && \"folder\" in origins', needs: [{role: human, count: 1}]}\n"
	p, ds := policy.Load(tree.MapOf(files))
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	f, ds := scenario.Parse("s.yaml", []byte(`people: {ann: [human], bob: [human]}
agents: {scout: []}
scenarios:
  - {name: made here, facts: {}, expect: {outcome: allowed}}
  - {name: imported, facts: {origins: [{way: draft}, {way: import, source: theirs}]}, expect: {waiting_for: {lead: 1}, reason: "imported from theirs"}}
  - {name: nobody recorded, facts: {unrecorded: 1}, expect: {waiting_for: {lead: 1}, reason: not recorded}}
  - {name: an address as evidence, facts: {urls: [https://example.org/x]}, expect: {waiting_for: {lead: 1}, reason: "https://example.org/x"}}
  - {name: in a session of somebody, facts: {sessions: [ann], origins: [{way: folder}], reviews: [{by: ann}]}, expect: {waiting_for: {human: 1}, reason: ran the session}}
  - {name: approved by another, facts: {sessions: [ann], origins: [{way: folder}], reviews: [{by: bob}]}, expect: {outcome: allowed}}
`))
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	for _, r := range tried(t, p, f) {
		if len(r.Failures) > 0 {
			t.Error(r.Failures)
		}
	}
}
