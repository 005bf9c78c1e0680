package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/registry/trial"
)

// The size of one simulated workspace.
const (
	missions     = 1000
	capabilities = 200
	steps        = 5
	models       = 3
	each         = 3  // capabilities that a mission is linked with
	day          = 50 // missions between two looks of gc
	tokens       = 150
)

// one is a simulated capability. Capability 0 changes nothing and 1 harms; they are the most popular of
// their steps.
type one struct {
	name    string
	step    int
	weight  float64 // how often it is chosen, among those of its step
	lift    float64
	archive int // the mission before which it was archived; missions for never
	uses    int
}

// wording returns a mission's words for a step. Hardly two missions have the same.
func wording(step, at int) string {
	names, places := strings.Fields("Ada Bob Cleo Dan Eve Finn Gita Hugo Ines Jon Kim Lea Max"), strings.Fields("mill market harbour town-hall station")
	return fmt.Sprintf("%s for %s at the %s, order %d", acts()[step], names[at%len(names)], places[at%len(places)], at)
}

func acts() [steps]string {
	return [...]string{"Chase debtors", "Knead dough", "Send the invoices", "Weigh parcels", "Write letters"}
}

// leastUses: fewer missions with a capability prove nothing.
const leastUses = 7

// world is one workspace with its future: the same missions come whatever is archived.
type world struct {
	random *rand.Rand
	all    []*one
	// base is the success without help, by half, model and step.
	base [2][models][steps]float64
	past []trial.Mission
}

// begin makes a workspace. lift is what a helpful capability adds, at most; drift is how much the chances of
// success change halfway.
func begin(seed uint64, lift, harm, drift float64) *world {
	w := &world{random: rand.New(rand.NewPCG(seed, 12))}
	for i := range capabilities {
		rank := i / steps
		w.all = append(w.all, &one{
			name: fmt.Sprintf("c%03d", i), step: i % steps, weight: 1 / float64(1+rank), archive: missions,
			lift: lift * w.random.Float64(),
		})
	}
	w.all[0].lift, w.all[1].lift = 0, harm
	for m := range models {
		for s := range steps {
			w.base[0][m][s] = 0.3 + 0.15*float64(m) + 0.1*w.random.Float64()
			w.base[1][m][s] = w.base[0][m][s] + drift*(2*w.random.Float64()-1)
		}
	}
	return w
}

// next adds a mission, and returns how likely its success was.
func (w *world) next() float64 {
	at := len(w.past)
	random := rand.New(rand.NewPCG(w.random.Uint64(), 0)) // what is archived changes no later mission
	model, step := random.IntN(models), random.IntN(steps)
	m := trial.Mission{ID: fmt.Sprint(at), Model: fmt.Sprint(model), Outcome: trial.Failure, Task: wording(step, at)}
	chance := w.base[2*at/missions][model][step]
	for range each {
		if c := w.choose(random, step, m); c != nil {
			m.Uses = append(m.Uses, trial.MissionUse{Capability: c.name, Linked: true, For: strings.ToLower(m.Task), Tokens: tokens})
			chance += c.lift
			c.uses++
		}
	}
	chance = min(max(chance, 0.02), 0.98)
	if random.Float64() < chance {
		m.Outcome = trial.Success
	}
	w.past = append(w.past, m)
	return chance
}

// choose picks a capability for a step that the mission does not have yet, by popularity.
func (w *world) choose(random *rand.Rand, step int, m trial.Mission) *one {
	var sum float64
	var open []*one
	for _, c := range w.all {
		has := slices.ContainsFunc(m.Uses, func(u trial.MissionUse) bool { return u.Capability == c.name })
		if c.step == step && c.archive > len(w.past) && !has {
			sum += c.weight
			open = append(open, c)
		}
	}
	at := random.Float64() * sum
	for _, c := range open {
		if at -= c.weight; at <= 0 {
			return c
		}
	}
	return nil
}

// gain is what a capability adds to the chance of success beside what would be chosen in its place, on average.
func (w *world) gain(at int) float64 {
	var sum, weights float64
	for i, c := range w.all {
		if i != at && c.step == w.all[at].step {
			sum, weights = sum+c.weight*c.lift, weights+c.weight
		}
	}
	return w.all[at].lift - sum/weights
}

// turn makes the least popular capabilities of each step the most popular ones, but for the first two.
func (w *world) turn() {
	for i, j := 2, len(w.all)-1; i < j; i, j = i+1, j-1 {
		w.all[i].weight, w.all[j].weight = w.all[j].weight, w.all[i].weight
	}
}

// verdict is that of utility after the missions so far.
func (w *world) verdict(c *one) string {
	if c.uses < leastUses {
		return ""
	}
	return trial.UtilityOf(c.name, w.past, 0).Verdict
}
