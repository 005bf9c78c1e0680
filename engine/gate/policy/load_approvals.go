package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
	Checks []struct {
		Name     string          `yaml:"name"`
		Workflow string          `yaml:"workflow"`
		Job      string          `yaml:"job"`
		When     strictyaml.Node `yaml:"when"`
		Expires  *age            `yaml:"expires"`
	} `yaml:"checks"`
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
	for i, e := range raw.Checks {
		check := Check{Name: e.Name, Workflow: e.Workflow, Job: e.Job, Always: e.When.Kind() == strictyaml.Absent, Pos: doc.Pos("checks", i)}
		if e.Expires != nil {
			check.Expires = time.Duration(*e.Expires)
		}
		if e.Expires != nil && *e.Expires == 0 {
			ds.Errorf(RuleRange, doc.ValuePos("checks", i, "expires"), "write such as 2d; left out, it is expiry of "+LimitsFile, "a success of the check %q would count for no time", e.Name)
		}
		if !check.Always {
			check.When = conditions.read(e.When, check.Pos)
		}
		checkCheck(ds, check, out.Checks)
		out.Checks = append(out.Checks, check)
	}
	return out
}

// checkCheck refuses a required check without a name of its own, or without a workflow.
// Validation, which sees both files, checks that the workflow exists.
func checkCheck(ds *diag.List, c Check, before []Check) {
	switch {
	case !identityName().MatchString(c.Name):
		ds.Errorf(RuleName, c.Pos, "name it in lower-case words joined by '-'; verdicts and statuses show the name", "%q is no name for a check", c.Name)
	case slices.ContainsFunc(before, func(o Check) bool { return o.Name == c.Name }):
		ds.Errorf(RuleName, c.Pos, "give one of them another name", "two checks are named %q", c.Name)
	}
	if c.Workflow == "" {
		ds.Errorf(RuleCheck, c.Pos, "write workflow: and the name of a workflow", "the check %q names no workflow", c.Name)
	}
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
