package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

type rawApprovals struct {
	Tiers map[string][]Requirement `yaml:"tiers"`
	Extra []struct {
		Name  string          `yaml:"name"`
		When  strictyaml.Node `yaml:"when"`
		Needs []Requirement   `yaml:"needs"`
	} `yaml:"extra"`
}

// maxCount bounds how many approvals a requirement can ask for.
const maxCount = 20

// strictestApprovals replaces an unusable approvals.yaml: one human for everything, two for
// high and critical risk.
func strictestApprovals() Approvals {
	one, two := []Requirement{{Role: Human, Count: 1}}, []Requirement{{Role: Human, Count: 2}}
	return Approvals{Tiers: map[Tier][]Requirement{Low: one, Medium: one, High: two, Critical: two}}
}

func readApprovals(doc *strictyaml.Doc, ds *diag.List) Approvals {
	var raw rawApprovals
	doc.Decode(&raw, ds)
	out := Approvals{Tiers: map[Tier][]Requirement{}, Pos: map[Tier]diag.Pos{}}
	for name := range raw.Tiers {
		if !slices.Contains([]string{"low", "medium", "high", "critical"}, name) {
			ds.Errorf(RuleTier, doc.Pos("tiers", name), "the tiers are low, medium, high and critical; prohibited changes cannot be approved",
				"no requirements can be given for %q", name)
		}
	}
	for _, tier := range []Tier{Low, Medium, High, Critical} {
		needs, written := raw.Tiers[tier.String()]
		if !written {
			ds.Errorf(RuleTier, doc.Pos("tiers"), fmt.Sprintf("write %s: [] if nobody needs to approve", tier), "the tier %s is missing", tier)
		}
		checkRequirements(doc, ds, needs, "tiers", tier.String())
		out.Tiers[tier], out.Pos[tier] = needs, doc.Pos("tiers", tier.String())
	}
	if !slices.ContainsFunc(out.Tiers[Critical], func(q Requirement) bool { return q.Role == Human }) {
		ds.Errorf(RuleTier, doc.Pos("tiers", Critical.String()), "add {role: human, count: 1} or more",
			"critical changes need no human: agents could change these policies themselves")
	}
	conditions := whenReader{ds: ds, words: vocabulary}
	for i, e := range raw.Extra {
		rule := ExtraRule{Name: e.Name, Needs: e.Needs, Pos: doc.Pos("extra", i)}
		rule.When = conditions.read(e.When, rule.Pos)
		checkExtra(doc, ds, rule, i)
		out.Extra = append(out.Extra, rule)
	}
	return out
}

func checkRequirements(doc *strictyaml.Doc, ds *diag.List, needs []Requirement, path ...any) {
	for i, q := range needs {
		pos := doc.Pos(append(slices.Clone(path), i)...)
		if !slices.Contains(KnownRoles(), q.Role) {
			ds.Errorf(RuleRequirement, pos, "the roles are "+strings.Join(KnownRoles(), ", "), "no known role: %q", q.Role)
		}
		if q.Count < 1 || q.Count > maxCount {
			ds.Errorf(RuleRequirement, pos, fmt.Sprintf("write count: 1 to %d", maxCount), "%d approvals cannot be required", q.Count)
		}
	}
}

func checkExtra(doc *strictyaml.Doc, ds *diag.List, e ExtraRule, i int) {
	if !identityName().MatchString(e.Name) {
		ds.Errorf(RuleName, e.Pos, "name it in lower-case words joined by '-'; verdicts show the name", "%q is no name for a rule", e.Name)
	}
	if len(e.Needs) == 0 {
		ds.Errorf(RuleRequirement, e.Pos, "say who must approve: needs: [{role: human, count: 1}]", "the rule needs nobody")
	}
	checkRequirements(doc, ds, e.Needs, "extra", i, "needs")
}
