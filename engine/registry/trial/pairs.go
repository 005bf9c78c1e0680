package trial

import (
	"math"
	"slices"
	"strings"
)

// pairs counts how missions of one kind ended beside those of another.
type pairs struct {
	pairs, better, worse int
	sum                  float64
	// endedWorse are the newest pairs that differ so, differ the newest that differ, and all all.
	endedWorse, differ, all []Pair
	judges                  map[Judge]int
}

// Pair is two missions that are compared.
type Pair struct{ With, Without *Mission }

// Judge is who ended missions: the installation, and the source of the verdict.
type Judge struct {
	Writer Writer
	By     Source
}

// mostShown bounds the pairs that are kept as examples.
const mostShown = 5

func newest(list []Pair, p Pair) []Pair {
	list = append(list, p)
	return list[max(0, len(list)-mostShown):]
}

// compare pairs ended missions, the oldest first, that have the same ones of the capabilities of beside. side says
// for which steps a mission is compared, whether it has the capability, and whether it counts.
func compare(missions []Mission, beside []string, side func(*Mission) (steps []string, with, counts bool)) (p pairs) {
	p.judges = map[Judge]int{}
	m := matcher{waiting: map[stratum][]*matched{}}
	for i := range missions {
		at := &missions[i]
		steps, with, counts := side(at)
		if !counts || at.Outcome == Open {
			continue
		}
		if other := m.match(at, at.among(beside), steps, with); other != nil {
			pair := Pair{at, other}
			if !with {
				pair = Pair{other, at}
			}
			p.add(pair)
		}
	}
	return p
}

// add counts a pair.
func (p *pairs) add(pair Pair) {
	with, _ := pair.With.Outcome.Worth()
	without, _ := pair.Without.Outcome.Worth()
	difference := with - without
	p.pairs++
	p.all = append(p.all, pair)
	p.sum += difference
	for _, m := range []*Mission{pair.With, pair.Without} {
		p.judges[Judge{m.Writer, m.By}]++
	}
	if difference != 0 {
		p.differ = newest(p.differ, pair)
	}
	switch {
	case difference > 0:
		p.better++
	case difference < 0:
		p.worse++
		p.endedWorse = newest(p.endedWorse, pair)
	}
}

// lift is the expected difference: few pairs show little.
func (p pairs) lift() float64 { return p.sum / float64(p.pairs+priorPairs) }

// evidence is the e-value of the direction in which most pairs differ: how much more likely the results
// are under a mixture of all rates in that direction than if better and worse were equally likely.
// Each direction's e-value has a mean of at most 1 under equal chances, whenever one stops, so that
// it may be looked at after every pair.
func (p pairs) evidence() float64 {
	n, most := p.better+p.worse, max(p.better, p.worse)
	if n == 0 {
		return 1
	}
	choose := logFactorial(n) - logFactorial(p.better) - logFactorial(p.worse)
	return math.Exp(min(float64(n+1)*math.Ln2-math.Log(float64(n+1))-choose, 500)) * atMost(most, n+1)
}

// atMost is the chance of at most k heads among n throws of a fair coin, for k of about n/2 or more.
func atMost(k, n int) float64 {
	chance := math.Exp(logFactorial(n) - logFactorial(k+1) - logFactorial(n-k-1) - float64(n)*math.Ln2)
	more := 0.0
	for i := k + 1; i <= n && chance > 0; i++ {
		more += chance
		chance *= float64(n-i) / float64(i+1)
	}
	return 1 - more
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// The bet of without. If a capability raises the chance of success by Considerable from any chance, and the missions
// of a pair are independent, it ended better in at least this share of the pairs that differ: from 3/8 to 5/8.
const (
	leastBetter = 25. / 34
	// bet is the share that the bet is on, between that of no lift and that of some harm. bench/simulate measures it.
	bet = 0.4
)

// without is the e-value of the lift being below Considerable: how much more likely the pairs that differ are if
// a share of bet ended better than if leastBetter did. While the share is at least that, it has a mean of at most
// 1 whenever one stops. Pairs that do not differ show neither: where all missions succeed, there is no room to help.
func (p pairs) without() float64 {
	return math.Exp(min(float64(p.better)*math.Log(bet/leastBetter)+float64(p.worse)*math.Log((1-bet)/(1-leastBetter)), 500))
}

// stratum has the missions that are compared.
type stratum struct {
	model, tags, step, beside string
	with                      bool
}

type matched struct {
	*Mission
	taken bool
}

// matcher pairs each mission with the newest one of the other kind that is not paired yet, so that both
// are of one time: success drifts. Which ones are paired does not depend on outcomes.
type matcher struct{ waiting map[stratum][]*matched }

// match returns the other mission of the pair, nil while there is none.
func (m matcher) match(at *Mission, beside string, steps []string, with bool) *Mission {
	self := &matched{Mission: at}
	steps = slices.Compact(slices.Sorted(slices.Values(steps)))
	for _, step := range steps {
		s := stratum{at.Model, strings.Join(at.Tags, ","), step, beside, !with}
		for n := len(m.waiting[s]) - 1; n >= 0; n-- {
			other := m.waiting[s][n]
			if m.waiting[s] = m.waiting[s][:n]; !other.taken {
				other.taken, self.taken = true, true
				return other.Mission
			}
		}
	}
	for _, step := range steps {
		s := stratum{at.Model, strings.Join(at.Tags, ","), step, beside, with}
		m.waiting[s] = append(m.waiting[s], self)
	}
	return nil
}
