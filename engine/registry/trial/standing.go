package trial

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
)

// Tally counts successes and failures. A partial success is half of each; inherited or bounded
// results count in part.
type Tally struct{ Successes, Failures float64 }

// Tried is the number of trials with a result.
func (t Tally) Tried() float64 { return t.Successes + t.Failures }

// Rate is the share of successes, and otherwise where nothing was tried.
func (t Tally) Rate(otherwise float64) float64 {
	if t.Tried() == 0 {
		return otherwise
	}
	return t.Successes / t.Tried()
}

func (t Tally) plus(u Tally) Tally {
	return Tally{t.Successes + u.Successes, t.Failures + u.Failures}
}
func (t Tally) times(f float64) Tally { return Tally{t.Successes * f, t.Failures * f} }

// Standing has the results of the trials of one version of a capability.
type Standing struct {
	Tally
	// Tags and Models are the same for trials with one tag, and with one model. A trial with
	// several tags counts for each.
	Tags, Models map[string]Tally
	// Uses are the trials of each level, none of them inherited.
	Uses map[Level]int64
	// Used is the day of the last one that was loaded or followed; zero for none.
	Used time.Time
	// critics are those that addCritics adds.
	critics critiques
}

func newStanding() Standing {
	return Standing{Tags: map[string]Tally{}, Models: map[string]Tally{}, Uses: map[Level]int64{}}
}

// Trust says whose trials count in full. Own is the installation that asks, Listed are the
// writers that policies name. Both may be empty.
type Trust struct {
	Own    Writer
	Listed []Writer
}

func (t Trust) known(w Writer) bool {
	if t.Own != "" && w == t.Own {
		return true
	}
	return slices.Contains(t.Listed, w)
}

// The bounds on the influence of one writer on a rank, and on inheritance by a new version.
const (
	// leastHeard is the number of trials of a capability with which every writer counts in full.
	// Beyond that a writer counts for no more than all other known ones together.
	leastHeard = 20.0
	// leastUnknown is the number of trials that all unknown writers together count for where known
	// ones recorded fewer, and that the critiques of one writer count for: enough to rank among
	// equals, and too few to sink or lift a capability.
	leastUnknown = 2.0
	// A version inherits this share of the results of the one before it, of no more than
	// maxInherited trials.
	inherited    = 0.5
	maxInherited = 20.0
)

// Of returns the results of a version of a capability for ranking, by all writers. Half of the
// results of the version before it are inherited, of 20 trials at most; a breaking version begins
// at zero. No writer alone decides: beyond 20 trials one counts for no more than the other known
// ones, and all unknown ones for no more than the known ones or two trials.
func (b *Book) Of(name string, v capability.Version, t Trust) Standing {
	everything := func(Writer, Key) hearing { return heard }
	out := b.own(name, v, t, everything)
	line := b.versions(name, v)
	var before Standing
	for i := len(line) - 1; i >= 0; i-- {
		next := b.own(name, line[i], t, everything)
		next.inherit(before)
		before = next
	}
	out.inherit(before)
	return out
}

// hearing selects the part of a trial that counts.
type hearing int

const (
	unheard hearing = iota
	usesOnly
	heard
)

// add adds a share of other results.
func (s *Standing) add(other Standing, share float64) {
	s.Tally = s.plus(other.times(share))
	for _, both := range []struct{ to, from map[string]Tally }{{s.Tags, other.Tags}, {s.Models, other.Models}} {
		for name, tally := range both.from {
			both.to[name] = both.to[name].plus(tally.times(share))
		}
	}
}

// inherit adds the share of an earlier version.
func (s *Standing) inherit(before Standing) {
	tried := before.Tried()
	if tried == 0 {
		return
	}
	s.add(before, min(inherited, maxInherited/tried))
}

// own returns the results of the trials of one version, each writer within its bounds.
func (b *Book) own(name string, v capability.Version, t Trust, hear func(Writer, Key) hearing) Standing {
	out := newStanding()
	said := map[Writer]Standing{}
	for w, c := range b.by[name] {
		said[w] = out.sum(c, v, func(k Key) hearing { return hear(w, k) })
	}
	addCritics(said, t)
	factors := bounds(said, t)
	for _, w := range slices.Sorted(maps.Keys(said)) { // sums of floats depend on their order
		out.add(said[w], factors[w])
	}
	return out
}

// sum adds up one writer's counts of a version. Uses are added to s.
func (s *Standing) sum(c Counts, v capability.Version, hear func(Key) hearing) Standing {
	var critics critiques
	sums := map[Key]Count{} // by tags and model: a verdict has another source than the trials it settles
	// A verdict of success that replaced claimed successes counts, although those do not.
	claimed, verdicts := map[Key]int64{}, map[Key]int64{}
	for k, n := range c {
		h := hear(k)
		if k.Version != v || h == unheard {
			continue
		}
		if critics.add(k.Level, n.Trials) {
			continue
		}
		if k.Level.IsUse() {
			s.Uses[k.Level] += n.Trials
		}
		if at := k.Day.Time(); (k.Level == Loaded || k.Level == Followed) && at.After(s.Used) {
			s.Used = at
		}
		at := Key{Tags: k.Tags, Model: k.Model}
		if h == usesOnly {
			claimed[at] += n.Success
			continue
		}
		sums[at] = sums[at].plus(n)
		if k.Level == Verdict {
			verdicts[at] += n.Trials - n.Failure - n.Partial
		}
	}
	out := newStanding()
	out.critics = critics
	for k, n := range sums {
		n.Success = max(n.Success, min(verdicts[k], n.Success+claimed[k]))
		tally := n.tally()
		out.Tally = out.plus(tally)
		if k.Model != "" {
			out.Models[k.Model] = out.Models[k.Model].plus(tally)
		}
		for tag := range strings.SplitSeq(k.Tags, ",") {
			if tag != "" {
				out.Tags[tag] = out.Tags[tag].plus(tally)
			}
		}
	}
	return out
}

func (c Count) tally() Tally {
	half := float64(c.Partial) / 2
	return Tally{float64(max(c.Success, 0)) + half, float64(c.Failure) + half}
}

// bounds returns the share of each writer's results that counts, from 0 to 1.
func bounds(said map[Writer]Standing, t Trust) map[Writer]float64 {
	known, unknown, several := 0.0, 0.0, 0
	for _, w := range slices.Sorted(maps.Keys(said)) {
		s := said[w]
		if !t.known(w) {
			unknown += min(s.Tried(), leastHeard)
		} else if s.Tried() > 0 {
			known += s.Tried()
			several++
		}
	}
	out := map[Writer]float64{}
	for w, s := range said {
		n := s.Tried()
		var most float64
		switch {
		case n == 0:
			out[w] = 1
			continue
		case !t.known(w):
			most = min(n, leastHeard) * min(1, max(leastUnknown, known)/unknown)
		case several > 1:
			most = max(leastHeard, known-n)
		default:
			most = n // the only known one
		}
		out[w] = min(1, most/n)
	}
	return out
}
