package run

import (
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
)

// Decision names what a person decided by a record: an approval, a rejection or a cancellation. It is "" for all other
// records.
func (r Record) Decision() string {
	switch {
	case r.Kind == Ended && r.Outcome == Cancelled:
		return "cancellation"
	case r.Approval == nil:
		return ""
	case r.Kind == Failed:
		return "rejection"
	}
	return "approval"
}

// Overridden describes the run's state where it contradicts decision r, and what the author can do next. stands is ""
// if the run agrees with r or r is no decision; next is "" if nothing helps.
func (s State) Overridden(r Record) (stands, next string) {
	of, j, what := " "+names.ShellWord(s.ID), s.Jobs[r.Job], r.Decision()
	switch {
	case what == "", what == "approval" && j.Status == Did, what != "approval" && s.Outcome == Cancelled, what == "rejection" && (j.Status == Gave || s.Outcome == Broke):
	case s.Outcome != "":
		stands = "the run " + s.Outcome.Phrase() + " at " + s.At.UTC().Format(time.RFC3339)
		if s.Reason != "" {
			stands += ": " + s.Reason
		}
		if s.Outcome != Completed && what == "approval" {
			next = "assent run retry" + of + " --failed asks again"
		}
	case r.Job == "": // another run stands under this id
		stands, next = "the run goes on", "assent run cancel"+of
	case j.Status == Did:
		stands, next = j.By+" approved it first", "assent run cancel"+of+" ends the run"
	case j.Status == Gave:
		stands = j.Reason
	case j.Status == Waiting:
		stands, next = "the results changed, and the job waits for a new decision", "assent run show"+of+", then assent run approve"+of+" "+names.ShellWord(r.Job)
		if what == "rejection" {
			next += " --reject -m TEXT"
		}
	default:
		stands, next = "the jobs before it are done again", "assent run show"+of+" says when it waits for a decision"
	}
	return strings.TrimSpace(stands), next
}
