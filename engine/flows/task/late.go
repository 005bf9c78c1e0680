package task

import (
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Late is how long after an event its run may begin: engines learn of it from each other.
const Late = 31 * 24 * time.Hour

// longest bounds what the timeouts of all jobs add up to.
const longest = 10 * 366 * 24 * time.Hour

// Ended returns when a proposal ended. Anyone who can push can append to its journal, so a merge
// happened at the time of its commit.
func Ended(w *workspace.Workspace, p forge.Pull) time.Time {
	if p.State == forge.Merged {
		//defence:merges-are-dated-by-main
		if c, err := w.Repo.Commit(p.Merge); err == nil {
			return c.Committer.When
		}
	}
	return p.Updated
}

// late says that a run is about an event of long ago, "" if it is not. Anyone who can push can write the
// journal of such a run, with any date. pull is the run's proposal, the zero value if it has none.
func (d *Definitions) late(def Definition, s run.State, pull forge.Pull) string {
	at, bound := s.Began, Late
	if pull.ID != "" {
		if pull.State == forge.Open {
			return ""
		}
		if ended := Ended(d.cur.Workspace, pull); s.About != "" || ended.After(at) {
			at = ended
		}
	}
	for _, j := range def.Jobs {
		span := j.Timeout
		if j.Script != nil {
			span = j.Script.Timeout
		}
		bound = min(bound+span*time.Duration(j.Retries+1), longest)
	}
	if d.cur.Now().Before(at.Add(bound)) {
		return ""
	}
	return fmt.Sprintf("its event was on %s, longer ago than its jobs can take", at.UTC().Format(time.DateOnly))
}
