package linker

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/tools/discover"
)

// Reason says why a step is linked with a capability or not.
type Reason struct {
	Step int
	// Place is the capability's place among the step's answers, from 1; 0 if it is none.
	Place int
	Share float64
	// Linked is set if it serves the step. Why says why not.
	Linked bool
	Why    string
}

// Explain says for each step why an answer has the capability in a folder or not.
func Explain(here discover.Here, a Answer, q link.Question, f capability.Folder) ([]Reason, error) {
	l := linker{here: here, q: q}
	e, err := here.Entry(f)
	if err != nil {
		return nil, err
	}
	var out []Reason
	for i, step := range a.Steps {
		r := Reason{Step: i + 1}
		found, err := here.Search(l.query(step, math.MaxInt32))
		if err != nil {
			return nil, fmt.Errorf("search for a step: %w", err)
		}
		if at := slices.IndexFunc(found, func(m index.Match) bool { return m.Path == f.Path }); at >= 0 {
			r.Place, r.Share = at+1, found[at].Fit()
		}
		r.Linked = slices.ContainsFunc(a.Linked, func(l link.Linked) bool { return l.Name == f.Name && slices.Contains(l.Steps, r.Step) })
		switch {
		case r.Linked:
		case !l.admits(e.Agents):
			r.Why = "its record keeps it from the agent " + q.Agent
		case r.Place == 0:
			r.Why = "it has none of the step's words"
		default:
			r.Why = cmp.Or(aside(a, f.Name, r.Step), r.weak(a, found))
		}
		out = append(out, r)
	}
	return out, nil
}

// aside is the reason for which a link left a capability out at a step.
func aside(a Answer, name string, step int) string {
	for _, s := range slices.Concat(a.Repair, a.LeftOut) {
		if s.Name == name && s.Step == step {
			return s.Why
		}
	}
	return ""
}

// weak says why a link did not consider one of a step's answers.
func (r Reason) weak(a Answer, found []index.Match) string {
	switch {
	case r.Share < Enough:
		return fmt.Sprintf("its share of the step is %.2f, and a link needs %.2f", r.Share, Enough)
	case r.Place > perStep:
		return fmt.Sprintf("it is answer %d, and the first %d are considered", r.Place, perStep)
	}
	for _, m := range found {
		serves := func(l link.Linked) bool { return l.Name == m.Name && slices.Contains(l.Steps, r.Step) }
		if r.Share < link.Nearly*m.Fit() && slices.ContainsFunc(a.Linked, serves) {
			return fmt.Sprintf("its share of the step is %.2f, far below the %.2f of %s", r.Share, m.Fit(), m.Name)
		}
	}
	return ""
}
