package output

import (
	"cmp"
	"slices"
	"strings"

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
		case provenance.Worktree:
			if v.Branch != "" { // the files may be in another worktree, or nowhere any more
				return command + ", after you edit its files here, or on its branch: git switch " + names.ShellWord(v.Branch)
			}
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

// checkSteps returns the commands that bring the required checks that did not pass nearer to a result, those of
// failed ones first: a pass runs only those that have none, and only where a runner's key is.
func (v Proposal) checkSteps() (steps []string) {
	var missing []string
	for _, failed := range []bool{true, false} {
		for _, s := range v.Checks {
			if s.State == policy.CheckPassed || (s.State == policy.CheckFailed) != failed {
				continue
			}
			step := s.Fix
			switch {
			case step != "":
			case s.State == policy.CheckWaiting && len(s.Runs) > 0:
				step = "assent run show " + names.ShellWord(s.Runs[0])
			case s.State == policy.CheckFailed && len(s.Runs) > 0:
				step = "assent run retry " + names.ShellWord(s.Runs[len(s.Runs)-1])
			default:
				missing = append(missing, s.Name)
				continue
			}
			if !slices.Contains(steps, step) {
				steps = append(steps, step)
			}
		}
	}
	what := "checks "
	switch len(missing) {
	case 0:
		return steps
	case 1:
		what = "check "
	}
	return append(steps, "assent reconcile: it runs the "+what+strings.Join(missing, ", ")+" where the key of "+cmp.Or(strings.Join(v.runners, " or "), "a runner")+" is")
}

// blocking returns the names of the required checks that did not pass.
func (v Proposal) blocking() (out []string) {
	for _, s := range v.Checks {
		if s.State != policy.CheckPassed {
			out = append(out, s.Name)
		}
	}
	return out
}
