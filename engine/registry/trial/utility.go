package trial

import (
	"math"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/registry/link"
)

// The figures of utility.
const (
	// tokenWorth is the success that a token is worth: 100 000 tokens are one.
	tokenWorth = 1e-5
	// Pairs without a difference are added before there are any, so that few pairs show little.
	priorPairs = 10
	// Proven is the e-value from which on a difference counts as shown. Of capabilities for which it
	// does not hold, at most one in 100 ever reaches it, even if one looks after every mission.
	Proven = 100
	// Considerable is the lift that is excluded for a useless capability.
	Considerable = 0.25
)

// Utility says what a capability is worth for each mission, from 1 (it makes every one succeed) to -1.
type Utility struct {
	Capability string `json:"capability"`
	// Missions is how many were looked at, With those that were linked with it or used it, and
	// Unlinked those since the last of them.
	Missions int `json:"missions"`
	With     int `json:"with"`
	Unlinked int `json:"unlinked"`
	// Pairs of ended missions, one with and one without it, have the same model, tags and kind of step;
	// Better and Worse count those in which the one with it ended better or worse.
	Pairs  int `json:"pairs"`
	Better int `json:"better"`
	Worse  int `json:"worse"`
	// Lift is the expected difference in success, E the evidence for its direction, see evidence, and
	// Without the evidence that it is below Considerable, see without.
	Lift    float64 `json:"lift"`
	E       float64 `json:"e"`
	Without float64 `json:"e_without"`
	// Frequency is the share of missions with it, Tokens what its listing and body cost a mission.
	Frequency float64 `json:"frequency"`
	Tokens    float64 `json:"tokens"`
	// Penalty is the deduction for poor health.
	Penalty float64 `json:"penalty"`
	// Utility is Lift × Frequency − Tokens / 100 000 − Penalty.
	Utility float64 `json:"utility"`
	// Verdict is Helpful, Harmful or Useless where that was shown, else "". A useless capability costs at
	// least what it brings, and a considerable lift is excluded. Unclear is one that would be harmful or useless,
	// if it were known that the difference is not due to those in Beside, which show the same.
	Verdict string   `json:"verdict"`
	Beside  []string `json:"beside"`
	// Shown are the newest pairs that the verdict rests on, or that show most without one, and Judges counts the
	// missions of all pairs by who ended them.
	Shown  []Pair        `json:"-"`
	Judges map[Judge]int `json:"-"`
}

// The verdicts.
const (
	Helpful = "helpful"
	Harmful = "harmful"
	Useless = "useless"
	Unclear = "unclear"
)

// UtilityOf measures a capability by missions, the oldest first.
func UtilityOf(name string, missions []Mission, penalty float64) Utility {
	u := Utility{Capability: name, Missions: len(missions), Penalty: penalty, Beside: []string{}}
	var tokens int64
	for i := range missions {
		u.Unlinked++
		if missions[i].has(name) {
			u.With++
			u.Unlinked = 0
		}
		for _, use := range missions[i].Uses {
			if use.Capability == name {
				tokens += use.Tokens
			}
		}
	}
	p := effect(name, missions, nil, "")
	u.Pairs, u.Better, u.Worse, u.Lift, u.E, u.Without = p.pairs, p.better, p.worse, p.lift(), p.evidence(), p.without()
	if u.Missions > 0 {
		u.Frequency, u.Tokens = float64(u.With)/float64(u.Missions), float64(tokens)/float64(u.Missions)
	}
	u.Utility = millionths(u.Lift*u.Frequency - u.Tokens*tokenWorth - u.Penalty)
	u.Shown, u.Judges = p.differ, p.judges
	switch {
	case harms(p, Proven):
		u.Verdict, u.Shown = Harmful, p.endedWorse
		u.blame(p, missions, harms, 0)
	case u.E >= Proven:
		u.Verdict = Helpful
	case noHelp(p, Proven) && u.Utility <= 0:
		u.Verdict = Useless
		u.blame(p, missions, noHelp, Considerable)
	}
	u.Lift, u.E, u.Without, u.Frequency, u.Tokens = millionths(u.Lift), millionths(u.E), millionths(u.Without), millionths(u.Frequency), millionths(u.Tokens)
	return u
}

// kinds are the kinds of a mission's steps (link.Kind): of has them by the capability that was linked for them, each has each
// once, and whole joins them.
type kinds struct {
	of    map[string][]string
	each  []string
	whole string
}

// typed reads the kinds from the texts once.
func (m *Mission) typed() *kinds {
	if m.kinds != nil {
		return m.kinds
	}
	k, names := &kinds{of: map[string][]string{}}, link.Names(m.Task)
	known := map[string]string{}
	add := func(name, text string) {
		kind, ok := known[text]
		if !ok {
			kind = link.Kind(text, names)
			known[text] = kind
		}
		if kind != "" {
			k.of[name], k.each = append(k.of[name], kind), append(k.each, kind)
		}
	}
	for _, use := range m.Uses {
		for step := range strings.SplitSeq(use.For, "; ") {
			add(use.Capability, step)
		}
	}
	steps, _ := link.Steps(m.Task)
	for _, step := range steps {
		add("", step)
	}
	slices.Sort(k.each)
	k.each = slices.Compact(k.each)
	k.whole = strings.Join(k.each, "; ")
	m.kinds = k
	return k
}

// stepsOf lists the kinds of steps by which a mission is compared for a capability: the steps that it was linked for, or
// the whole mission if it was used without a link. A mission without the capability is compared by each step and as a whole.
func (m *Mission) stepsOf(name string) []string {
	k := m.typed()
	switch {
	case !m.has(name):
		return append(k.each[:len(k.each):len(k.each)], k.whole)
	case len(k.of[name]) > 0:
		return k.of[name]
	}
	return []string{k.whole}
}

// millionths rounds, so that every machine orders alike.
func millionths(x float64) float64 { return math.Round(x*1e6) / 1e6 }
