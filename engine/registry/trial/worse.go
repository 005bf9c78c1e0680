package trial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/format/capability"
)

// Measure is what calls are compared by.
type Measure string

// The measures. Cost and time are those of calls that succeeded.
const (
	BySuccess Measure = "success"
	ByCost    Measure = "cost"
	ByTime    Measure = "time"
)

func measures() []Measure { return []Measure{BySuccess, ByCost, ByTime} }

const (
	// LeastUses is how often a version has to be called before it is worth improving.
	LeastUses = 20
	// leastMS is the least difference in time that counts: nothing waits for less.
	leastMS = 100
)

// Content is one version of a capability, by its folded name.
type Content struct {
	Capability string
	Version    capability.Version
}

// Worse says that a capability is shown to do worse than another one that does the same, or than its own
// former version.
type Worse struct {
	Capability  string             `json:"capability"`
	Version     capability.Version `json:"version"`
	Uses        int                `json:"uses"`
	Than        string             `json:"than"`
	ThanVersion capability.Version `json:"than_version"`
	By          Measure            `json:"by"`
	// Pairs of calls have the same installation, model, tags and method. Better and Worse count those in which the
	// capability did better or worse than the other one.
	Pairs  int `json:"pairs"`
	Better int `json:"better"`
	Worse  int `json:"worse"`
	// Own and Other are the means over the pairs: the share of successes, the cost, or milliseconds.
	Own   float64 `json:"own"`
	Other float64 `json:"other"`
	// E is the evidence that it does worse, and Proof what it has to be: Proven times the number of comparisons.
	E     float64 `json:"e"`
	Proof float64 `json:"proof"`
}

// Sentence is the evidence for people.
func (w Worse) Sentence() string {
	than := strings.TrimSpace(w.Than + " " + string(w.ThanVersion))
	if w.Than == w.Capability {
		than = "its version " + string(w.ThanVersion)
	}
	means := fmt.Sprintf("it succeeded in %.0f %% and %s in %.0f %%", 100*w.Own, than, 100*w.Other)
	switch w.By {
	case ByCost:
		means = fmt.Sprintf("a success cost %.4g with it and %.4g with %s", w.Own, w.Other, than)
	case ByTime:
		means = fmt.Sprintf("a success took %.0f ms with it and %.0f ms with %s", w.Own, w.Other, than)
	case BySuccess:
	}
	return fmt.Sprintf("%s: of %d pairs of calls in the same installation, with the same model, tags and method, %d were worse with it and %d better (e-value %.4g; %.4g is proof)", means, w.Pairs, w.Worse, w.Better, w.E, w.Proof)
}

// WorseThan compares the calls of a version with those of its peers, and of the version that was in its line before,
// by each measure. The uses are in the order of their records. Like utility it may be asked after every call: of
// capabilities that do no worse than any other one, at most one in 100 is ever named. One that was called
// less than LeastUses times is not.
func WorseThan(own Content, peers []Content, uses []*Kept) (out []Worse) {
	uses = counting(uses)
	others, former, often := slices.Clone(peers), Content{}, 0
	for _, u := range uses {
		switch at := u.content(); {
		case at == own:
			often++
		case at.Capability == own.Capability && at.Version != "" && at.Version.Major() == own.Version.Major() && at.Version.Compare(own.Version) < 0 &&
			(former.Version == "" || at.Version.Compare(former.Version) > 0):
			former = at
		}
	}
	if often < LeastUses {
		return nil
	}
	if former.Version != "" {
		others = append(others, former)
	}
	proof := float64(Proven * len(others) * len(measures()))
	for _, other := range others {
		found := facing(own, other, uses)
		for _, m := range measures() {
			w := Worse{Capability: own.Capability, Version: own.Version, Uses: often, Than: other.Capability, ThanVersion: other.Version, By: m, Proof: proof}
			if w.weigh(found); w.Worse > w.Better && w.E >= proof {
				out = append(out, w)
			}
		}
	}
	return out
}

// counting are the calls that speak for or against a capability. A repeated failure of one caller with one input shows
// nothing new.
func counting(uses []*Kept) (out []*Kept) {
	seen := map[string]bool{}
	for _, u := range uses {
		at := u.Capability + " " + string(u.Version) + " " + u.Call
		if _, known := u.Outcome.Worth(); !known || u.Level != Followed || u.Call != "" && seen[at] {
			continue
		}
		seen[at] = true
		out = append(out, u)
	}
	return out
}

func (k *Kept) content() Content { return Content{k.Capability, k.Version} }

// faced is a pair of calls, of a capability and of the other one.
type faced struct{ own, other *Kept }

// facing pairs each call with the newest one of the other content that is of the same installation, model, tags and
// method and is not paired yet. Which ones are paired does not depend on what became of them.
func facing(own, other Content, uses []*Kept) (out []faced) {
	waiting := map[string][]*Kept{} // always of one content
	for _, u := range uses {
		at := u.content()
		if at != own && at != other {
			continue
		}
		alike := strings.Join(append([]string{u.Model, u.Method, string(u.Writer)}, u.Tags...), "\n")
		list := waiting[alike]
		last := len(list) - 1
		switch {
		case last < 0 || list[last].content() == at:
			waiting[alike] = append(list, u)
			continue
		case at == own:
			out = append(out, faced{u, list[last]})
		default:
			out = append(out, faced{list[last], u})
		}
		waiting[alike] = list[:last]
	}
	return out
}

// weigh counts the pairs by the measure. Where both are equally good, each is as often the worse one of a pair.
func (w *Worse) weigh(all []faced) {
	var own, other float64
	for _, p := range all {
		a, known := w.By.of(p.own)
		b, both := w.By.of(p.other)
		if !known || !both {
			continue
		}
		w.Pairs, own, other = w.Pairs+1, own+a, other+b
		if w.By == BySuccess {
			a, b = -a, -b
		}
		switch margin := w.By.margin(min(a, b)); {
		case a-b > margin:
			w.Worse++
		case b-a > margin:
			w.Better++
		}
	}
	n := float64(max(w.Pairs, 1))
	w.Own, w.Other, w.E = millionths(own/n), millionths(other/n), millionths(pairs{better: w.Better, worse: w.Worse}.evidence())
}

// of is what a call has of a measure.
func (m Measure) of(t *Kept) (value float64, known bool) {
	switch m {
	case ByCost:
		return t.Cost, t.Outcome == Success
	case ByTime:
		return float64(t.MS), t.Outcome == Success
	case BySuccess:
	}
	return t.Outcome.Worth()
}

// margin is the difference from which on one of two calls did worse, above the lesser value.
func (m Measure) margin(lesser float64) float64 {
	switch m {
	case ByCost:
		return Considerable * lesser
	case ByTime:
		return max(Considerable*lesser, leastMS)
	case BySuccess:
	}
	return 0
}
