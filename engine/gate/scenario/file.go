package scenario

import (
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// File is one scenario file.
type File struct {
	Path string
	// Own says that the file brings its own people and agents; Roles are these.
	Own       bool
	Roles     policy.Roles
	Scenarios []Scenario
}

// Scenario is one imagined proposal and the expected answer of the gate.
type Scenario struct {
	Name   string
	Facts  Facts
	Expect Expect
	// Pos is where it begins, Places the position of each expectation by its key.
	Pos    diag.Pos
	Places map[string]diag.Pos
}

// Expect is the expected verdict. Fields that are left out are not compared; at least one
// must be set.
type Expect struct {
	Outcome string `yaml:"outcome"`
	// Allowed is for answers that may become stricter: false is every outcome but one.
	Allowed *bool  `yaml:"allowed"`
	Risk    string `yaml:"risk"`
	Class   string `yaml:"class"`
	Mode    string `yaml:"mode"`
	// WaitingFor is how many approvals of each role are needed and missing, all of
	// them; the proposer counts as a role.
	WaitingFor map[string]int `yaml:"waiting_for"`
	// Reason is a part of the verdict's reason.
	Reason string `yaml:"reason"`
}

type rawFile struct {
	People    map[string][]string `yaml:"people"`
	Agents    map[string][]string `yaml:"agents"`
	Scenarios []struct {
		Name   string `yaml:"name"`
		Facts  Facts  `yaml:"facts"`
		Expect Expect `yaml:"expect"`
	} `yaml:"scenarios"`
}

// maxScenarios bounds how many one file holds.
const maxScenarios = 200

// Parse reads one file. Where it has errors, nothing of it can be run.
func Parse(path string, src []byte) (File, diag.List) {
	doc, ds := strictyaml.Parse(path, src, 1, strictyaml.DefaultLimits())
	out := File{Path: path}
	if ds.HasErrors() {
		return out, ds
	}
	var raw rawFile
	doc.Decode(&raw, &ds)
	out.Own = len(raw.People)+len(raw.Agents) > 0
	if out.Own {
		out.Roles = roles(doc, &ds, raw)
	}
	if n := len(raw.Scenarios); n == 0 || n > maxScenarios {
		ds.Errorf(RuleScenario, doc.Pos("scenarios"), "write one scenario or more, in several files if there are many", "a file holds 1 to %d scenarios, not %d", maxScenarios, n)
	}
	for i, r := range raw.Scenarios {
		s := Scenario{Name: r.Name, Facts: r.Facts, Expect: r.Expect, Pos: doc.Pos("scenarios", i), Places: map[string]diag.Pos{}}
		for _, key := range []string{"outcome", "allowed", "risk", "class", "mode", "waiting_for", "reason"} {
			s.Places[key] = doc.Pos("scenarios", i, "expect", key)
		}
		if strings.TrimSpace(s.Name) == "" {
			ds.Errorf(RuleScenario, s.Pos, "say in a few words what it shows", "the scenario has no name")
		}
		s.checkExpect(&ds)
		s.Facts.check(doc, &ds, i)
		out.Scenarios = append(out.Scenarios, s)
	}
	return out, ds
}

// oneOf reports an unknown word.
func oneOf(ds *diag.List, pos diag.Pos, what, have string, words []string) {
	if have != "" && !slices.Contains(words, have) {
		fix := "it is one of " + strings.Join(words, ", ")
		if near := strictyaml.Nearest(have, words); near != "" {
			fix = "did you mean " + near + "?"
		}
		ds.Errorf(RuleScenario, pos, fix, "%s is never %q", what, have)
	}
}

func (s Scenario) checkExpect(ds *diag.List) {
	e := s.Expect
	if e.Outcome+e.Risk+e.Class+e.Mode+e.Reason == "" && e.WaitingFor == nil && e.Allowed == nil {
		ds.Errorf(RuleScenario, s.Pos, "add expect: {outcome: allowed}, waiting, refused or undecided; or a risk", "the scenario %q expects nothing", s.Name)
	}
	oneOf(ds, s.Places["outcome"], "an outcome", e.Outcome, []string{"allowed", "waiting", "refused", "undecided"})
	oneOf(ds, s.Places["risk"], "a risk", e.Risk, []string{"low", "medium", "high", "critical", "prohibited"})
	oneOf(ds, s.Places["class"], "a class", e.Class, []string{"unknown", "safe", "low", "medium", "high", "prohibited"})
	oneOf(ds, s.Places["mode"], "a mode", e.Mode, modes())
	for _, role := range slices.Sorted(maps.Keys(e.WaitingFor)) {
		oneOf(ds, s.Places["waiting_for"], "who is waited for", role, append(policy.KnownRoles(), policy.RoleProposer))
	}
}

func modes() []string {
	var out []string
	for _, m := range policy.Modes() {
		out = append(out, string(m))
	}
	return out
}

// roles makes identities of the people and agents of a file, each with a key.
func roles(doc *strictyaml.Doc, ds *diag.List, raw rawFile) policy.Roles {
	cast := policy.Cast{People: raw.People, Agents: raw.Agents}
	out, problems := cast.Roles()
	for _, p := range problems {
		ds.Errorf(RuleScenario, doc.Pos(p.Section, p.Name), p.Fix, "%s", p.Message)
	}
	return out
}
