package attacks_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/scenario"
	"github.com/assent-dev/assent/engine/proposals/simulate"
)

// long repeats a numbered text up to about 200 KB, a fifth of what one file may have.
func long(before, each string) string {
	var b strings.Builder
	b.WriteString(before)
	for i := 0; b.Len() < 200<<10; i++ {
		b.WriteString(strings.ReplaceAll(each, "#", fmt.Sprint(i)))
	}
	return b.String()
}

const callable = "kind: tool\nversion: 1.0.0\nrun: {runtime: python, entry: scripts/main.py}\ninput: {type: object}\n"

// expensive is a file whose content costs more than its bytes, and the rule that refuses it.
type expensive struct{ what, path, text, rule string }

func expensives() []expensive {
	const at, tiers, people = "skills/clove-hitch/", "tiers: {low: [], medium: [], high: [], critical: [{role: human, count: 2}]}\n", "people: {ada: {}, bob: {}}\n"
	out := []expensive{
		{"people of scenarios", "policies/scenarios/x.yaml", long("scenarios:\n"+strings.Repeat("- {name: s, expect: {allowed: false}}\n", 150)+"people:\n", "  p#: [human]\n"), strictyaml.RuleSize},
		{"capabilities of scenarios", "policies/scenarios/x.yaml", long("scenarios:\n- name: s\n  expect: {allowed: false}\n  facts:\n    capabilities:\n", "    - {name: c#}\n"), strictyaml.RuleSize},
		{"people", "policies/roles.yaml", long("roles: {human: [p1, p2]}\npeople:\n", "  p#: {}\n"), strictyaml.RuleSize},
		{"agents", "policies/roles.yaml", long(people+"agents:\n", "  p#: {owner: ada}\n"), strictyaml.RuleSize},
		{"members of a role", "policies/roles.yaml", long(people+"roles:\n  human:\n", "  - p#\n"), strictyaml.RuleSize},
		{"modes of agents", "policies/autonomy.yaml", long("default: assisted\nagents:\n", "  a#: manual\n"), strictyaml.RuleSize},
		{"patterns of paths", "policies/approvals.yaml", long(tiers+"extra:\n- name: r\n  needs: [{role: human, count: 1}]\n  when:\n    touches:\n", "    - '**/a*/**/b#'\n"), strictyaml.RuleSize},
		{"expressions of errors", at + capability.RecordFile, long(callable+"error_patterns:\n", "- {match: '(a{1,30}){1,30}#', means: x, fix: y}\n"), capability.RuleRecordValue},
		{"one expression", at + capability.RecordFile, callable + "error_patterns:\n- {means: x, fix: y, match: '" + strings.Repeat("(a|b){1,99}", 9000) + "'}\n", capability.RuleRecordValue},
		{"patterns of a schema", at + capability.RecordFile, long(callable+"output:\n  properties:\n", "    p#: {type: string, pattern: '(a{1,30}){1,30}#'}\n"), capability.RuleRecordSchema},
		{"names of members", at + capability.RecordFile, long(callable+"output:\n  patternProperties:\n", "    '(a{1,30}){1,30}#': {type: string}\n"), capability.RuleRecordSchema},
		{"members of a schema", at + capability.RecordFile, long(callable+"output:\n  anyOf:\n", "  - {properties: {a: {const: #, title: x}}}\n"), capability.RuleRecordSchema},
		{"references", at + capability.RecordFile, long(callable+"output:\n  $defs: {d: {}}\n  properties:\n", "    p#: {additionalProperties: {$ref: '#/$defs/d'}}\n"), capability.RuleRecordSchema},
		{"expressions of cases", at + capability.SuiteFile, long("cases:\n", "- {name: c#, expect: {matches: '(a{1,30}){1,30}#'}}\n"), capability.RuleSuiteExpect},
		{"schemas of cases", at + capability.SuiteFile, long("cases:\n", "- {name: c#, expect: {schema: {type: object, minProperties: #}}}\n"), capability.RuleSuiteExpect},
	}
	for _, list := range []string{"prohibited", "high", "medium", "identity_phrases", "injection_phrases"} {
		out = append(out, expensive{list, "policies/security.yaml", long(list+":\n", "- {match: '(a{1,30}){1,30}#', why: names a thing}\n"), policy.RulePattern})
	}
	for _, list := range []string{"tags", "limitations", "changes", "side_effects", "permissions", "enhances"} {
		out = append(out, expensive{list, at + capability.RecordFile, long(callable+list+":\n", "- w#\n"), strictyaml.RuleSize})
	}
	for list, one := range map[string]string{"capabilities": "c#", "optional": "c#", "secrets": "S#", "bins": "b#", "hosts": "h#:443"} {
		out = append(out, expensive{list, at + capability.RecordFile, long(callable+"requires:\n  "+list+":\n", "  - '"+one+"'\n"), strictyaml.RuleSize})
	}
	return out
}

// Data whose readers compare its parts with each other, or compile them, is refused before they do.
// The bounds count entries and steps, not time.
func TestAttackCostOfData(t *testing.T) {
	for _, e := range expensives() {
		attack(t, e.what, func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"), file("skills/clove-hitch/"+capability.RecordFile, callable), file("skills/clove-hitch/scripts/main.py", "print(1)\n"))
			d.put("refs/heads/"+p.Branch, d.commit("More", []tree.Hash{p.Head}, file(e.path, e.text)))
			_, ex := d.examined(p.ID)
			for _, found := range ex.Report.Diagnostics {
				if found.Rule == e.rule && found.File == e.path && found.Severity == diag.Error && found.Line > 0 {
					return
				}
			}
			d.succeeds("all of it is read: %v", ex.Report.Diagnostics)
		})
	}
	attack(t, "findings", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		hosts := strings.Builder{}
		for i := range 1000 {
			fmt.Fprintf(&hosts, "  - 'h%d.example.org:443'\n", i)
		}
		d.put("refs/heads/"+p.Branch, d.commit("More", []tree.Hash{p.Head}, file("skills/clove-hitch/"+capability.RecordFile, callable+"requires:\n  hosts:\n"+hosts.String()),
			file("skills/clove-hitch/scripts/main.py", "print(1)\n")))
		_, ex := d.examined(p.ID)
		if n := len(ex.Report.Diagnostics); n > 200 || !ex.Report.Diagnostics.HasErrors() {
			d.succeeds("the report has %d findings", n)
		}
	})
	attack(t, "lists that grow", func(d *world) {
		files := map[string]string{learn.SoulFile("kublai"): soulFile + strings.Repeat("Take the rope with both hands.\n", 10_000)}
		lists := learn.Lists{Learner: "kublai", Day: "2026-03-10"}
		for i := range 40 {
			name := fmt.Sprintf("knot-%d", i)
			e := skill(name)
			files[e.Path] = content(e)
			lists.Steps = append(lists.Steps, learn.Step{Name: name, Dir: "skills/" + name, Added: true})
		}
		lists.View = tree.MapOf(files)
		written, err := lists.Written()
		d.ok(err)
		if len(written) > 0 {
			d.succeeds("a file of 300 KB is parsed for each capability")
		}
	})
	attack(t, "a large soul", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		text := strings.ReplaceAll(soulFile, "Never cut", "Cut") + strings.Repeat("# a\n", 150<<10)
		d.put("refs/heads/"+p.Branch, d.commit("More", []tree.Hash{p.Head}, file(learn.SoulFile("kublai"), text)))
		_, ex := d.examined(p.ID)
		d.found(ex.Report.Diagnostics, "markdown-size")
		if has(ex.Report.Diagnostics, soul.RuleProtected) {
			d.succeeds("its lines are compared although it is refused")
		}
		d.tier(p.ID, policy.Critical)
	})
}

func budgetDefences() map[string]defence {
	const at = "TestAttackCostOfPolicies/"
	return map[string]defence{
		"judgements-have-a-budget":  {attack: at + "rules in force"},
		"scenarios-are-charged":     {attack: at + "patterns that scenarios try"},
		"simulations-have-a-budget": {attack: at + "a simulation"},
	}
}

// loops are rules whose conditions take nearly as much as one may.
func loops(n int) string {
	const few = "[1,2,3,4,5,6,7,8,9,10]"
	rules := strings.Builder{}
	rules.WriteString("extra:\n")
	for i := range n {
		fmt.Fprintf(&rules, "  - {name: r%d, when: '%[2]s.all(a, %[2]s.all(b, %[2]s.all(c, %[2]s.all(d, a+b+c+d > 0 && agent != \"%[1]d\"))))', needs: [{role: human, count: 1}]}\n", i, few)
	}
	return rules.String()
}

// One budget holds for all conditions, patterns and people of a judgement, of all scenarios, and of
// a simulation. It counts steps.
func TestAttackCostOfPolicies(t *testing.T) {
	policies := func(d *world, file, text string) policy.Policies {
		p, ds := policy.Load(tree.MapOf(map[string]string{file: text, "policies/roles.yaml": d.inForce("policies/roles.yaml")}))
		if ds.HasErrors() {
			d.Fatal(ds)
		}
		return p
	}
	attack(t, "rules in force", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		_, ex := d.examined(p.ID)
		own := policies(d, "policies/approvals.yaml", "tiers: {low: [], medium: [], high: [], critical: [{role: human, count: 2}]}\n"+loops(40))
		v, _ := policy.JudgeWithRisk(own, ex.Case.Facts())
		if !strings.Contains(fmt.Sprintf("%+v", v), "the budget is spent") {
			d.succeeds("all conditions are evaluated")
		}
	})
	attack(t, "patterns that scenarios try", func(d *world) {
		patterns, tried := strings.Builder{}, strings.Builder{}
		patterns.WriteString("high:\n")
		for i := range 1500 {
			fmt.Fprintf(&patterns, "- {match: 'knot%d', why: x}\n", i)
		}
		tried.WriteString("people: {ann: [human]}\nagents: {scout: []}\nscenarios:\n")
		for i := range 60 {
			fmt.Fprintf(&tried, "- {name: s%d, expect: {allowed: false}, facts: {capabilities: [{name: a, description: '%s'}]}}\n", i, strings.Repeat("knots ", 300))
		}
		f, ds := scenario.Parse("policies/scenarios/x.yaml", []byte(tried.String()))
		if ds.HasErrors() {
			d.Fatal(ds)
		}
		_, found, err := scenario.Try(nil, policies(d, "policies/security.yaml", patterns.String()), []scenario.File{f})
		d.ok(err)
		if !has(found, scenario.RuleCost) {
			d.succeeds("all patterns read all scenarios: %v", found)
		}
	})
	attack(t, "a simulation", func(d *world) {
		for i := range 3 {
			d.proposed("kublai", skill(fmt.Sprintf("hitch-%c", 'a'+i)))
		}
		cur, err := d.Session(d.Context())
		d.ok(err)
		next := policies(d, "policies/approvals.yaml", "tiers: {low: [], medium: [], high: [], critical: [{role: human, count: 2}]}\n"+loops(40))
		if _, err := simulate.Run(d.Context(), cur, next, "", 0, func(int, int) {}); !errors.Is(err, simulate.ErrCost) {
			d.succeeds("every proposal is judged: %v", err)
		}
	})
}
