package trial

import (
	"fmt"
	"maps"
	"slices"
)

// Unfit is a model whose missions a capability harms or does not help, while it helps those of other models. That model may
// need a variant.
type Unfit struct {
	Model string `json:"model"`
	Utility
	// Elsewhere is the lift in the missions of all other models.
	Elsewhere float64 `json:"elsewhere"`
}

// Sentence is the evidence for people.
func (u Unfit) Sentence() string {
	how := fmt.Sprintf("missions do not end better with it (%d better and %d worse of %d pairs, e-value %.4g)", u.Better, u.Worse, u.Pairs, u.Without)
	if u.Verdict == Harmful {
		how = fmt.Sprintf("missions end worse with it (%d better and %d worse of %d pairs, e-value %.4g)", u.Better, u.Worse, u.Pairs, u.E)
	}
	return fmt.Sprintf("with the model %s %s, with other models the lift is %+.2f", u.Model, how, u.Elsewhere)
}

// UnfitFor finds the models for which a capability is harmful or useless, as utility tells, while it raises the success
// of other models' missions. Each model is a test of its own. The missions are the oldest first.
func UnfitFor(name string, missions []Mission) (out []Unfit) {
	of := map[string][]Mission{}
	for i := range missions {
		missions[i].typed() // once for all copies
		m := missions[i]
		of[m.Model] = append(of[m.Model], m)
	}
	for _, model := range slices.Sorted(maps.Keys(of)) {
		u := UtilityOf(name, of[model], 0)
		if model == "" || u.Verdict != Harmful && u.Verdict != Useless {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(missions), func(m Mission) bool { return m.Model == model })
		if lift := UtilityOf(name, others, 0).Lift; lift > 0 {
			out = append(out, Unfit{model, u, lift})
		}
	}
	return out
}
