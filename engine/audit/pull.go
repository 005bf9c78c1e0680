package audit

import (
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// stateField is the trailer with the state of the pull request after an event. Lists use
// it instead of reading earlier events.
const stateField = "State"

// checkTelling finds facts in a journal for people, lists or git that differ from its
// full reading.
func (v *journalReader) checkTelling(pull forge.Pull, activity forge.Activity, ref gitstore.Ref) *Break {
	events, err := pulls().Read(v.w.Repo, pull.ID)
	if err == nil {
		err = journal.Check(v.w.Repo, events)
	}
	if err == nil {
		err = unkept(events, activity)
	}
	if err == nil {
		// Only main knows of an interrupted merge.
		said := forge.State(events[len(events)-1].Fields[stateField])
		if said != "" && said != pull.State && pull.Claimed.IsZero() && (said != forge.Open || pull.State != forge.Merged) {
			err = fmt.Errorf("its last event says that it is %s, and it is %s", said, pull.State)
		}
	}
	if err != nil {
		return v.broken(RuleJournal, backup, "the journal of %s: %v", pull.ID, err).at(ref.Hash, pull.ID, ref.Name)
	}
	for _, s := range activity.Statuses {
		if canonical.Digest(s.Report) != s.Digest {
			if b := v.broken(RuleReport, backup, "a report in the journal of %s is not the one with the digest %s", pull.ID, s.Digest).
				at(ref.Hash, pull.ID, ref.Name); b != nil {
				return b
			}
		}
	}
	return nil
}

// unkept reports a commit that a journal names without keeping it reachable: git may
// delete it, and the journal would prove nothing.
func unkept(events []journal.Event, activity forge.Activity) error {
	keeps := map[tree.Hash]bool{}
	for _, e := range events {
		for _, h := range e.Anchors {
			keeps[h] = true
		}
	}
	for _, p := range activity.Pushes {
		if !p.At.IsZero() && !keeps[p.New] { // a push that is not recorded has no time
			return fmt.Errorf("it names the head %s without keeping it", p.New.Short())
		}
	}
	for _, m := range activity.Merges {
		if !keeps[m.Commit] {
			return fmt.Errorf("it names the merge %s without keeping it", m.Commit.Short())
		}
	}
	return nil
}

// noteBranch notes an open proposal whose branch differs from its journal. Anyone may
// push, and the gate counts such a push as one by an unknown person.
func (v *journalReader) noteBranch(pull forge.Pull, activity forge.Activity) error {
	if pull.State != forge.Open {
		return nil
	}
	var recorded tree.Hash
	for _, p := range activity.Pushes {
		if !p.At.IsZero() {
			recorded = p.New
		}
	}
	at, err := v.w.Repo.Ref("refs/heads/" + pull.Branch)
	switch {
	case errors.Is(err, gitstore.ErrNoRef):
		v.res.Unrecorded = append(v.res.Unrecorded, Reservation{pull.ID, recorded, "its branch is gone; the next push or assent rebase brings it back"})
	case err != nil:
		return err
	case at != recorded:
		v.res.Unrecorded = append(v.res.Unrecorded, Reservation{pull.ID, at,
			fmt.Sprintf("its branch was moved from %s to %s by an unknown person", recorded.Short(), at.Short())})
	}
	return nil
}
