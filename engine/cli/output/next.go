package output

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// update returns the command that updates the proposal. It names the folder or draft that the newest
// content came from, and a folder for what was no file of the user's. Without one, assent update takes the
// worktree's changes.
func (v Proposal) update() string {
	command := "assent update " + names.ShellWord(v.ID)
	for _, o := range slices.Backward(v.Provenance.Origins) {
		switch o.Way {
		case provenance.Edit, provenance.Rebase: // its goal, for example
			continue
		case provenance.Folder, provenance.Import, provenance.Task, provenance.History, provenance.Migration:
			return command + " FOLDER"
		case provenance.Draft, provenance.Stdin:
			return command + " -f DRAFT"
		}
		return command
	}
	return command
}

// refusedNext returns the step out of a refusal, by the events that could change it: other
// content, unless that would be refused as well.
func refusedNext(v Proposal, events []string) string {
	switch {
	case slices.Contains(events, policy.OnPush):
		return v.update()
	case slices.Contains(events, policy.OnOthers):
		return "wait until others of " + v.Agent + " are merged, or withdraw one: assent status --agent " + names.ShellWord(v.Agent)
	}
	return "propose other policies (assent why " + names.ShellWord(v.ID) + " says which rule refuses it), or assent withdraw " + names.ShellWord(v.ID)
}

// blockingCheck returns a required check that did not pass, one that failed before others.
func (v Proposal) blockingCheck() (found policy.CheckStatus, is bool) {
	for _, s := range v.Checks {
		switch {
		case s.State == policy.CheckFailed:
			return s, true
		case s.State != policy.CheckPassed && !is:
			found, is = s, true
		}
	}
	return found, is
}

// checkNext returns the command that brings a check nearer to a result: a pass runs only those
// that have none.
func checkNext(s policy.CheckStatus) string {
	switch {
	case s.Fix != "":
		return s.Fix
	case len(s.Runs) == 0:
	case s.State == policy.CheckWaiting:
		return "assent run show " + names.ShellWord(s.Runs[0])
	case s.State == policy.CheckFailed:
		return "assent run retry " + names.ShellWord(s.Runs[len(s.Runs)-1])
	}
	return "assent reconcile: it runs the check " + s.Name
}
