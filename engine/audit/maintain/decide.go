package maintain

import (
	"time"

	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Observation is the input of a decision.
type Observation struct {
	// Keeps reports that journals can be folded here; Agreed that the clones sharing them
	// agree to it first.
	Keeps, Agreed bool
	// Format is that of the policies in force.
	Format int
	// Follows reports that fetches import the journals of another repository.
	Follows bool
	// Standing counts the journals with a ref of their own, and the artifacts.
	Standing int
	// Artifacts is how long artifacts are kept after their run has ended.
	Artifacts time.Duration
	Clutter   gitstore.Clutter
}

// Reasons for not folding.
const (
	// Elsewhere: two repositories that both fold the journals they exchange end up with
	// two lines, which must be united by hand.
	Elsewhere = "the journals come from another repository, which should fold them: run assent maintenance there, or agree on one clone and run it with --fold"
	// Unnumbered: an older program cannot find folded journals.
	Unnumbered = "older programs would not find folded journals: run assent migrate first"
	// NotHere: journals shared through a service are folded by an account that may push
	// there.
	NotHere = "the journals are shared through a service, and there is no login for it: assent doctor says how"
)

// Plan lists the work to do.
type Plan struct {
	// Fold is the maximum number of journals; NoFold is the reason for folding none.
	Fold   int
	NoFold string
	// Drop is the maximum number of folded journals whose refs are removed, and of artifacts that are
	// removed after Artifacts.
	Drop      int
	Artifacts time.Duration
	// Unite merges lines that were fetched from elsewhere.
	Unite bool
	// Repack and PackRefs are done by git.
	Repack, PackRefs bool
}

const (
	// autoAt is the number of journals at which a command folds some after its work, and
	// autoMost the maximum that it folds, in a fraction of a second.
	autoAt, autoMost = 512, 512
	// all means no bound.
	all = 1 << 30
	// crowdedPacks and crowdedRefs are the numbers above which git tidies.
	crowdedPacks, crowdedRefs = 32, 512
)

// Decide plans a manual run. With here, it folds even if the journals come from another
// repository.
func Decide(o Observation, here bool) Plan {
	p := Plan{Repack: o.Clutter.Packs > crowdedPacks, PackRefs: o.Clutter.LooseRefs > crowdedRefs}
	if p.NoFold = noFold(o, here); p.NoFold == "" {
		p.Fold = all
	}
	if o.Keeps {
		p.Drop, p.Artifacts, p.Unite = all, o.Artifacts, true
	}
	return p
}

// DecideByTheWay plans the maintenance that a command does after its own work.
func DecideByTheWay(o Observation) Plan {
	if o.Standing <= autoAt || noFold(o, false) != "" {
		return Plan{}
	}
	return Plan{Fold: autoMost, Drop: autoMost, Artifacts: o.Artifacts}
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
