package policy

import (
	"fmt"
	"slices"
	"strings"
)

// need is a requirement with all the reasons for it.
type need struct {
	Requirement
	why []string
}

// needs collects requirements: for each role the largest number counts.
type needs []need

func (n *needs) add(why string, reqs ...Requirement) {
	for _, q := range reqs {
		i := slices.IndexFunc(*n, func(o need) bool { return o.Role == q.Role })
		if i < 0 {
			*n = append(*n, need{Requirement: q, why: []string{why}})
			continue
		}
		(*n)[i].Count = max((*n)[i].Count, q.Count)
		if !slices.Contains((*n)[i].why, why) {
			(*n)[i].why = append((*n)[i].why, why)
		}
	}
}

// requirements returns the required approvals: those of the tier, and those that mode, extra
// rules and missing evidence add. Nothing here takes away.
func (c inquiry) requirements() needs {
	var out needs
	human := Requirement{Role: Human, Count: 1}
	c.tierNeeds(&out)
	facts := newKnown(c.p, c.f, c.risk)
	for _, e := range c.p.Approvals.Extra {
		matches, note := e.When.matches(facts, e.Pos)
		if matches {
			out.add(strings.TrimSuffix("the extra rule "+e.Name+", "+note, ", "), e.Needs...)
		}
	}
	if n := max(c.f.Validation.Warnings, c.f.Scan.Warnings); n > 0 { // the report holds the scanner's, too
		out.add(counted(n, "warning")+", which a person must look at", human)
	}
	//defence:untested-code-needs-human
	if code := newCode(c.f); len(code) > 0 {
		out.add(c.codeWhy(strings.Join(code, ", ")), human)
	}
	if c.f.Tests != nil && c.f.Tests.Failed > 0 {
		out.add(fmt.Sprintf("%s %s", counted(c.f.Tests.Failed, "test"), agreeing(c.f.Tests.Failed, "fails", "fail")), human)
	}
	c.outsideNeeds(&out)
	//defence:opinions-raise
	c.opinionNeeds(&out)
	c.earlierNeeds(&out)
	//defence:unknown-pusher-needs-humans
	if !c.f.PushersKnown {
		out.add("it cannot be seen who pushed to it", Requirement{Role: Human, Count: 2})
	}
	if c.f.Proposer.IsZero() {
		out.add("it is not known who proposed it", Requirement{Role: Human, Count: 2})
	}
	return out
}

// tierRequirements returns the approvals that approvals.yaml requires for a tier.
func (c inquiry) tierRequirements(tier Tier) []Requirement {
	if tier == UnknownTier || tier > Critical {
		tier = Critical
	}
	if reqs, written := c.p.Approvals.Tiers[tier]; written {
		return reqs
	}
	return strictestApprovals().Tiers[tier]
}

// tierWhy returns the tier with its decisive reasons.
func (c inquiry) tierWhy() string {
	if c.risk.Tier == Low {
		return "policy for low-risk changes"
	}
	return strings.Join(append([]string{"risk " + c.risk.Tier.String()}, c.risk.DecisiveWhys()...), ", ")
}

func (c inquiry) tierNeeds(out *needs) {
	out.add(c.tierWhy(), c.tierRequirements(c.risk.Tier)...)
	mode, by := modeOf(c.p, c.f, c.risk)
	switch {
	case mode == Manual:
		out.add("the mode is manual"+by, Requirement{Role: Human, Count: 1})
	case mode != Autonomous && len(*out) == 0:
		out.add("the mode is "+string(mode)+by, Requirement{Role: Lead, Count: 1})
	}
	asked := slices.ContainsFunc(*out, func(n need) bool { return n.Role == Human })
	if most, ok := c.p.Autonomy.MaximumRisk[mode]; ok && c.risk.Tier > most && !asked {
		out.add(fmt.Sprintf("risk %s is above the maximum %s of mode %s", c.risk.Tier, most, mode), Requirement{Role: Human, Count: 1})
	}
}

// newCode names the capabilities with code that are added or changed. Tests do not lower
// the requirements for them, since the proposer writes both.
func newCode(f Facts) []string {
	var out []string
	for _, c := range f.Capabilities {
		if c.Executable && c.Op != Removed {
			out = append(out, c.Name)
		}
	}
	return out
}

// codeWhy says why a person must look at code.
func (c inquiry) codeWhy(code string) string {
	if c.f.Tests == nil || c.f.Tests.Passed == 0 {
		return "no test shows what the code of " + code + " does"
	}
	return "tests of " + code + " pass, but the author of the code can write them"
}
