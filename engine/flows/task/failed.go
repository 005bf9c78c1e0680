package task

import (
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// FailedAbout returns failed runs about the present version of an open proposal: of each workflow in
// force the newest one, if that failed.
func FailedAbout(cur workspace.Session, pull forge.Pull, pushes []forge.Push) (out []run.State, err error) {
	if pull.State != forge.Open {
		return nil, nil
	}
	all, err := Workflows(cur)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.Direct() || !failedRun(cur, f, pull, pushes) {
			continue
		}
		states, _, err := cur.Runs.Standing() // with those that repeat it
		if err != nil {
			return nil, err
		}
		var newest run.State
		for _, s := range states {
			if s.Workflow == f.Name && s.About == pull.ID && s.Began.After(newest.Began) {
				newest = s
			}
		}
		if newest.Outcome == run.Broke && !elsewhere(newest, pull.Head) {
			out = append(out, newest)
		}
	}
	return out, nil
}

// failedRun reports whether a run that an event of an open proposal started failed. The event determines the
// run's id, so that no list of all runs is read.
func failedRun(cur workspace.Session, f workflow.Workflow, pull forge.Pull, pushes []forge.Push) bool {
	heads := map[string]bool{"": true, pull.Head.String(): true}
	for _, p := range pushes {
		if !p.Engine {
			heads[p.New.String()] = true
		}
	}
	for _, event := range f.On.Proposal {
		for key := range heads {
			s, err := cur.Runs.Read(ID(Beginning{Workflow: f, Event: event, About: pull.ID, Key: key, Inputs: Defaults(f)}))
			if err == nil && s.Outcome == run.Broke {
				return true
			}
		}
	}
	return false
}

// elsewhere reports whether the scripts of a run saw another version of its proposal.
func elsewhere(s run.State, head tree.Hash) bool {
	for _, j := range s.Jobs {
		if j.Output != nil && j.Output.Commit != head.String() {
			return true
		}
	}
	return false
}
