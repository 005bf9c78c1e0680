package policy

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/advice"
)

// Opinion is a second opinion from a journal. It can only make the gate stricter; a
// missing one changes nothing.
type Opinion struct {
	// By asked, and Asked names the program that answered, as the program that asked claims.
	By    Actor  `json:"by"`
	Asked string `json:"asked"`
	advice.Answer
	// Current is set if it is about the present content; others are ignored.
	Current bool `json:"current"`
}

// weighs is the weight of its answer; Pass where it is about something else.
func (o Opinion) weighs() string {
	if !o.Current {
		return advice.Pass
	}
	return o.Weight()
}

// Objects is one phrase about an opinion that asks for more; empty for others.
func (o Opinion) Objects() string {
	w := o.weighs()
	if w == advice.Pass {
		return ""
	}
	out := fmt.Sprintf("a second opinion (%s) says %s", o.Asked, w)
	if w == advice.None {
		out = fmt.Sprintf("a second opinion (%s) was asked for and could not be had", o.Asked)
	}
	if o.Reason != "" {
		out += ": " + o.Reason
	}
	if n := len(o.Findings); n > 0 {
		out += " (" + counted(n, "finding") + ")"
	}
	return out
}

// currentOpinions are those about the content as it is.
func (f Facts) currentOpinions() []Opinion {
	return slices.DeleteFunc(slices.Clone(f.Opinions), func(o Opinion) bool { return !o.Current })
}

// objectingOpinions are the opinions that ask for more. That one could not be had no longer
// counts once anybody gave one about the same content.
func (f Facts) objectingOpinions() []Opinion {
	answered := slices.ContainsFunc(f.Opinions, func(o Opinion) bool { return o.Current && o.Weight() != advice.None })
	var out []Opinion
	for _, o := range f.Opinions {
		if w := o.weighs(); w != advice.Pass && (w != advice.None || !answered) {
			out = append(out, o)
		}
	}
	return out
}

// riskOpinion raises the tier to high, and to critical if an opinion would block the change.
func riskOpinion(r *riskFinder) {
	//defence:opinions-are-high
	for _, o := range r.f.objectingOpinions() {
		tier := High
		if o.Weight() == advice.Block {
			tier = Critical
		}
		r.add(tier, diag.Pos{}, "%s", o.Objects())
	}
}

// opinionNeeds requires a person, whatever approvals.yaml says of the tier. Opinions that
// decided the tier are reported there, and not again here.
func (c inquiry) opinionNeeds(out *needs) {
	for _, o := range c.f.objectingOpinions() {
		why := o.Objects()
		if slices.Contains(c.risk.DecisiveWhys(), why) {
			why = c.tierWhy()
		}
		out.add(why, Requirement{Role: Human, Count: 1})
	}
}
