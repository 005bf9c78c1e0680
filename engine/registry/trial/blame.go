package trial

import (
	"maps"
	"slices"
)

// effect compares missions with a capability with missions without it. The two missions of a pair have the same
// capabilities of beside. Missions with absent are left out, if it is a name.
func effect(name string, missions []Mission, beside []string, absent string) pairs {
	return compare(missions, beside, func(at *Mission) (steps []string, with, counts bool) {
		counts = absent == "" || !at.has(absent)
		return at.stepsOf(name), at.has(name), counts
	})
}

// added compares missions with both capabilities with those with only the first.
func added(name, with string, missions []Mission) pairs {
	return compare(missions, nil, func(at *Mission) (steps []string, joint, counts bool) {
		return at.stepsOf(name), at.has(with), at.has(name)
	})
}

// From the e-value doubt on, harm counts as possible. From likely on, an effect that all missions show counts as
// confirmed in a part of them. bench/simulate measures what they cost.
const (
	doubt  = 2
	likely = 10
)

// harms and noHelp report whether pairs show harm, or exclude a considerable lift, with so much evidence.
func harms(p pairs, e float64) bool  { return p.worse > p.better && p.evidence() >= e }
func noHelp(p pairs, e float64) bool { return p.without() >= e }

// mean is the difference of a pair on average.
func (p pairs) mean() float64 { return p.sum / float64(max(p.pairs, 1)) }

// excess is how much more often the missions with a capability have another one than those without it do. As no
// mission can end worse by more than 1, the other one lowers the mean by at most that.
func (p pairs) excess(other string) float64 {
	n := 0
	for _, pair := range p.all {
		if pair.With.has(other) {
			n++
		}
		if pair.Without.has(other) {
			n--
		}
	}
	return float64(n) / float64(max(p.pairs, 1))
}

// blame withdraws a verdict that a companion may explain; see apart. The verdict becomes Unclear if the companion may
// also be explained by this capability, else "": the companion is the cause, or too little is known. Pairs p show the
// verdict: that the lift is below the bound.
func (u *Utility) blame(p pairs, missions []Mission, shown func(pairs, float64) bool, bound float64) {
	var causes []string
	verdict := u.Verdict
	for _, other := range companions(u.Capability, missions) {
		its := effect(other, missions, nil, "")
		bad := noHelp(its, Proven) // so does what is shown to harm
		cause := bad && apart(other, u.Capability, its, missions, noHelp, Considerable)
		if cause {
			causes = append(causes, other)
		}
		if apart(u.Capability, other, p, missions, shown, bound) {
			continue
		}
		verdict = ""
		if bad && !cause {
			u.Beside = append(u.Beside, other)
		}
	}
	if len(causes) > 1 && !shown(effect(u.Capability, missions, causes, ""), Proven) {
		verdict = ""
	}
	if u.Verdict = verdict; verdict != "" || len(u.Beside) == 0 {
		u.Beside = []string{}
		return
	}
	u.Verdict = Unclear
}

// apart reports whether a capability is itself the cause of an effect that pairs show, and not the other one.
//   - If the other one is frequent enough beside it to explain half of the effect, missions that are alike in the other
//     one have to show the effect, too.
//   - Missions without the other one have to show at least half of the effect.
//   - If missions with both seem to end worse than missions with the capability alone, missions without the other one
//     also have to make the effect likely.
func apart(name, other string, p pairs, missions []Mission, shown func(pairs, float64) bool, bound float64) bool {
	half := (bound - p.mean()) / 2
	if p.excess(other) >= half && !shown(effect(name, missions, []string{other}, ""), Proven) {
		return false
	}
	alone := effect(name, missions, nil, other)
	return alone.sum <= (bound-half)*float64(alone.pairs) && (shown(alone, likely) || !harms(added(name, other, missions), doubt))
}

// leastShare: a companion takes part in at least one in so many missions with a capability.
const leastShare = 10

// companions lists the capabilities that take part in at least a tenth of the missions with one. Others can be the cause
// of little.
func companions(name string, missions []Mission) (out []string) {
	of, with := map[string]int{}, 0
	for i := range missions {
		if !missions[i].has(name) {
			continue
		}
		with++
		for _, u := range missions[i].Uses {
			if u.Capability != name {
				of[u.Capability]++ // more often for several versions
			}
		}
	}
	maps.DeleteFunc(of, func(_ string, n int) bool { return n*leastShare < with })
	return slices.Sorted(maps.Keys(of))
}

// has reports whether a capability takes part in a mission.
func (m *Mission) has(name string) bool {
	return slices.ContainsFunc(m.Uses, func(u MissionUse) bool { return u.Capability == name })
}

// among says which of some capabilities take part in a mission.
func (m *Mission) among(names []string) string {
	out := make([]byte, len(names))
	for i, name := range names {
		if m.has(name) {
			out[i] = 1
		}
	}
	return string(out)
}
