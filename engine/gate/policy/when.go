package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// whenReader reads the conditions of one file.
type whenReader struct {
	ds *diag.List
	// words returns the vocabulary of expressions; it is called only if there is one.
	words func() *condition.Vocabulary
}

// read accepts an expression in CEL, or a mapping of touches, kinds, agents and tiers. pos
// is where a condition that is missing is reported.
func (r whenReader) read(n strictyaml.Node, pos diag.Pos) When {
	if n.Kind() == strictyaml.Scalar {
		return When{Expression: r.expression(n)}
	}
	if n.Kind() != strictyaml.Mapping || n.Len() == 0 {
		r.ds.Errorf(RuleCondition, pos, `say what it applies to: an expression such as 'touches("soul/**") && at_least(risk, "high")', or a mapping of touches, kinds, agents and tiers`,
			"the rule has no condition")
		return When{}
	}
	var raw struct {
		Touches []string `yaml:"touches"`
		Kinds   []string `yaml:"kinds"`
		Agents  []string `yaml:"agents"`
		Tiers   []string `yaml:"tiers"`
	}
	n.Decode(&raw, r.ds)
	if len(raw.Touches)+len(raw.Kinds)+len(raw.Agents)+len(raw.Tiers) == 0 {
		r.ds.Errorf(RuleCondition, n.Pos(), "name at least one of touches, kinds, agents and tiers", "the rule has no condition")
	}
	for i, pattern := range raw.Touches {
		if err := checkGlob(pattern); err != nil || pattern == "" {
			r.ds.Errorf(RuleCondition, n.Get("touches").Index(i).Pos(), "write a path; * matches within a segment, ** any number of segments", "broken pattern %q", pattern)
		}
	}
	for i, kind := range raw.Kinds {
		if !slices.Contains(Kinds(), kind) {
			r.ds.Errorf(RuleKind, n.Get("kinds").Index(i).Pos(), "the kinds are "+strings.Join(Kinds(), ", "), "no kind of proposal: %q", kind)
		}
	}
	out := When{Touches: raw.Touches, Kinds: raw.Kinds, Agents: raw.Agents}
	for i, name := range raw.Tiers {
		var t Tier
		if err := t.UnmarshalText([]byte(name)); err != nil || t < Low || t > Critical {
			r.ds.Errorf(RuleTier, n.Get("tiers").Index(i).Pos(), "the tiers are low, medium, high and critical", "no tier: %q", name)
		}
		out.Tiers = append(out.Tiers, t)
	}
	return out
}

func (r whenReader) expression(n strictyaml.Node) *condition.Condition {
	text, _ := n.Text()
	compiled, problems := r.words().Compile(text)
	for _, p := range problems {
		r.ds.Errorf(RuleCondition, n.Within(p.Line, p.Column), p.Fix, "%s", p.Message)
	}
	return compiled
}

// LeavesOut returns the tiers above the lowest listed one that are not listed. A proposer who declares
// such a risk decides that the condition does not hold.
func (w When) LeavesOut() (out []string) {
	if len(w.Tiers) == 0 {
		return nil
	}
	for t := slices.Min(w.Tiers); t <= Critical; t++ {
		if !slices.Contains(w.Tiers, t) {
			out = append(out, t.String())
		}
	}
	return out
}

// matches reports whether a rule applies to a proposal, of any of its kinds: all rules with a condition
// demand something, and a proposer could choose which kind comes first. It also applies if its condition
// fails to evaluate, since a proposer could cause the failure; note then says why. The cost is
// charged to the rule at pos; once the budget is spent, the rule applies without evaluating it.
func (w When) matches(facts *known, pos diag.Pos) (is bool, note string) {
	budget := facts.p.Budget
	if budget.Exceeded() {
		return true, "its condition was not evaluated, because the budget is spent"
	}
	f := facts.f
	_, all := f.kinds()
	if w.Expression != nil {
		for _, facts.kind = range all {
			facts.kindRead = false
			is, cost, err := w.Expression.Evaluate(facts)
			budget.Charge(pos, cost)
			if err != nil {
				return true, fmt.Sprintf("its condition failed and so counts as met: %v", err)
			}
			if is || !facts.kindRead {
				return is, ""
			}
		}
		return false, ""
	}
	reached := f.reached()
	budget.Charge(pos, uint64(len(w.Touches)*len(reached)))
	touched := len(w.Touches) == 0 || slices.ContainsFunc(w.Touches, func(pattern string) bool { return touches(reached, pattern) })
	return touched &&
		(len(w.Kinds) == 0 || slices.ContainsFunc(all, func(kind string) bool { return slices.Contains(w.Kinds, kind) })) &&
		(len(w.Agents) == 0 || slices.Contains(w.Agents, f.Agent)) &&
		(len(w.Tiers) == 0 || slices.Contains(w.Tiers, facts.risk.Tier)), ""
}
