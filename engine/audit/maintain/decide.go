package maintain

import (
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Observation is everything that a decision needs.
type Observation struct {
	// Keeps says that journals can be folded here, Agreed that whoever shares them is
	// asked first.
	Keeps, Agreed bool
	// Format is that of the policies in force.
	Format int
	// Follows says that fetches bring the journals of another repository.
	Follows bool
	// Standing is how many journals have a ref of their own.
	Standing int
	Clutter  gitstore.Clutter
}

// Why folding is left out.
const (
	// Elsewhere: two repositories that both fold what they fetch from each other end
	// up with two lines, which somebody then has to unite.
	Elsewhere = "the journals come from another repository, which is to fold them: run assent maintenance there, or agree on one clone and run it with --fold"
	// Unnumbered: an older program does not know where folded journals are.
	Unnumbered = "programs that know no format would not find folded journals: run assent migrate first"
	// NotHere: what is shared through a service is folded by whoever may push there.
	NotHere = "the journals are shared through a service, and nobody is logged in there: assent doctor says how"
)

// Plan is what is to be done.
type Plan struct {
	// Fold at most so many journals; NoFold says why none.
	Fold   int
	NoFold string
	// Drop the refs of at most so many folded journals.
	Drop int
	// Unite takes in lines that were fetched from elsewhere.
	Unite bool
	// Repack and PackRefs are git's.
	Repack, PackRefs bool
}

const (
	// autoAt is how many journals stand before a command folds some by the way, and
	// autoMost how many it folds: a fraction of a second.
	autoAt, autoMost = 512, 512
	// all is no bound.
	all = 1 << 30
	// crowdedPacks and crowdedRefs are from when on git is asked to tidy.
	crowdedPacks, crowdedRefs = 32, 512
)

// Decide says what a run by hand does. With here, it folds although the journals
// come from another repository.
func Decide(o Observation, here bool) Plan {
	p := Plan{Repack: o.Clutter.Packs > crowdedPacks, PackRefs: o.Clutter.LooseRefs > crowdedRefs}
	if p.NoFold = noFold(o, here); p.NoFold == "" {
		p.Fold = all
	}
	if o.Keeps {
		p.Drop, p.Unite = all, true
	}
	return p
}

// DecideByTheWay says what a command does after its own work.
func DecideByTheWay(o Observation) Plan {
	if o.Standing <= autoAt || noFold(o, false) != "" {
		return Plan{}
	}
	return Plan{Fold: autoMost, Drop: autoMost}
}

func noFold(o Observation, here bool) string {
	switch {
	case !o.Keeps:
		return NotHere
	case o.Format < policy.FoldedJournals:
		return Unnumbered
	case o.Follows && !o.Agreed && !here:
		return Elsewhere
	}
	return ""
}
