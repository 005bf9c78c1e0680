package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/assent-dev/assent/engine/registry/trial"
)

// policy says which capabilities to archive at the end of a day.
type policy struct {
	name    string
	archive func(w *world, o *one) bool
}

// policies are compared with an oracle, which archives what does not help before the first mission.
func policies() []policy {
	verdict := func(w *world, o *one) bool {
		v := w.verdict(o)
		return v == trial.Harmful || v == trial.Useless
	}
	unlinked := func(most int) func(*world, *one) bool {
		return func(w *world, o *one) bool { return trial.UtilityOf(o.name, w.past, 0).Unlinked >= most }
	}
	return []policy{
		{"nothing is archived", func(*world, *one) bool { return false }},
		{"verdicts, as `gc` proposes", verdict},
		{"not linked by 100 missions", unlinked(100)},
		{"not linked by 300 missions", unlinked(300)},
		{"verdicts, and not linked by 300", func(w *world, o *one) bool { return verdict(w, o) || unlinked(300)(w, o) }},
	}
}

// regret says how much success each policy loses against the oracle, and how much of that by archiving what
// helps.
func regret(runs int) string {
	var b strings.Builder
	b.WriteString("| policy | success | regret against the oracle | archived, of 199 that do not harm | of that, by archiving what helps |\n| --- | ---: | ---: | ---: | ---: |\n")
	runs = min(runs, 30)
	ideal := make([]float64, runs)
	for seed := range ideal {
		ideal[seed], _ = live(uint64(seed), policy{}, false)
	}
	for _, p := range policies() {
		var success, lost, retired, cost []float64
		for seed := range uint64(runs) {
			got, n := live(seed, p, false)
			spared, _ := live(seed, p, true)
			success, lost, retired, cost = append(success, got), append(lost, ideal[seed]-got), append(retired, float64(n)), append(cost, spared-got)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", p.name, percent(success), percent(lost), spread(retired), percent(cost))
	}
	fmt.Fprintf(&b, "| oracle | %s | | 0 | |\n", percent(ideal))
	return b.String()
}

// live runs one workspace under a policy; in its second half other capabilities are in demand. If helpful
// ones are spared, only the first two are archived. retired counts those that are not harmful.
func live(seed uint64, p policy, spare bool) (success float64, retired int) {
	w := begin(seed, 0.3, -0.4, 0.2)
	if p.archive == nil {
		w.all[0].archive, w.all[1].archive = 0, 0
	}
	for at := range missions {
		if at == missions/2 {
			w.turn()
		}
		success += w.next()
		if p.archive == nil || (at+1)%day != 0 {
			continue
		}
		for i, o := range w.all {
			if o.archive == missions && (i < 2 || !spare) && p.archive(w, o) {
				o.archive = at + 1
				if i != 1 {
					retired++
				}
			}
		}
	}
	return success / missions, retired
}

// mean returns the mean and half the width of its interval at 95 %.
func mean(all []float64) (m, half float64) {
	for _, x := range all {
		m += x / float64(len(all))
	}
	for _, x := range all {
		half += (x - m) * (x - m)
	}
	return m, 1.96 * math.Sqrt(half/float64(max(1, len(all)-1))/float64(len(all)))
}

func percent(all []float64) string {
	m, half := mean(all)
	return fmt.Sprintf("%.1f %% ± %.1f", math.Round(1000*m)/10+0, 100*half)
}

func spread(all []float64) string {
	m, half := mean(all)
	return fmt.Sprintf("%.1f ± %.1f", m, half)
}
