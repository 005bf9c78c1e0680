package task

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Definitions finds the definitions of runs. Runs of one commit share what was read.
type Definitions struct {
	cur   workspace.Session
	now   []workflow.Workflow
	there map[tree.Hash][]workflow.Workflow // by the tree of workflow.Dir
	// active are the active runs, once they were read: each run of a concurrency group looks at all.
	active []run.State
}

// activeRuns returns the active runs, as they were at the first call.
func (d *Definitions) activeRuns() ([]run.State, error) {
	if d.active != nil {
		return d.active, nil
	}
	all, _, err := d.cur.Runs.Active()
	d.active = append([]run.State{}, all...)
	return d.active, err
}

// Again returns the same definitions, which look at the active runs again.
func (d *Definitions) Again() *Definitions {
	d.active = nil
	return d
}

// Definition is the version of a workflow that a run follows.
type Definition struct {
	workflow.Workflow
	// Found is set if the run can be followed. Otherwise Ends says why it has to end, or Waits
	// why it has to wait.
	Found       bool
	Ends, Waits string
	// Replaced is set if another version is in force now.
	Replaced bool
}

// DefinitionsOf reads the workflows in force.
func DefinitionsOf(cur workspace.Session) (*Definitions, error) {
	now, err := Workflows(cur)
	return DefinitionsAmong(cur, now), err
}

// DefinitionsAmong is DefinitionsOf for workflows in force that were read already.
func DefinitionsAmong(cur workspace.Session, now []workflow.Workflow) *Definitions {
	return &Definitions{cur: cur, now: now, there: map[tree.Hash][]workflow.Workflow{}}
}

// awaited is how long a run waits for the commit that defines it. Anyone who can push can name one that
// does not exist, and a run holds its proposal.
const awaited = 24 * time.Hour

// Of returns the definition of a run: the one at the commit that was in force when it started.
// Runs of older versions of this program recorded no commit; they follow what is in force.
func (d *Definitions) Of(ctx context.Context, s run.State) (Definition, error) {
	flow, there := named(d.now, s.Workflow)
	if !there {
		return Definition{Ends: fmt.Sprintf("the workflow %s is in force no longer", s.Workflow)}, nil
	}
	if s.Commit == "" {
		return Definition{Workflow: flow, Found: true}, nil
	}
	commit, err := tree.ParseHash(s.Commit)
	if err != nil {
		return Definition{Ends: "its record names no commit"}, nil
	}
	then, same, err := d.at(commit)
	switch {
	case errors.Is(err, gitstore.ErrNoObject) && d.cur.Now().Sub(s.Began).Abs() >= awaited:
		return Definition{Ends: "the commit " + commit.Short() + ", which defines the run, did not arrive"}, nil
	case errors.Is(err, gitstore.ErrNoObject):
		return Definition{Waits: "the commit " + commit.Short() + ", which defines the run, is not here: assent pull"}, nil
	case gitstore.IsContent(err):
		return Definition{Ends: "the commit " + commit.Short() + " defines no workflows"}, nil
	case err != nil:
		return Definition{}, err
	case same && commit != d.cur.InForce: // what is in force needs no proof; InForce itself is remembered below
		return Definition{Workflow: flow, Found: true}, nil
	}
	// Anyone who can write refs can write a journal with any commit.
	//defence:runs-follow-what-was-in-force
	if was, err := workspace.WasInForce(ctx, d.cur, commit); err != nil || !was {
		return Definition{Ends: "its definition at " + commit.Short() + " was never in force"}, err
	}
	if same {
		return Definition{Workflow: flow, Found: true}, nil
	}
	old, there := named(then, s.Workflow)
	if !there || old.Digest != s.Definition {
		return Definition{Ends: fmt.Sprintf("%s does not define the workflow %s as recorded", commit.Short(), s.Workflow)}, nil
	}
	return Definition{Workflow: old, Found: true, Replaced: true}, nil
}

// Superseded reports whether another version than the one that a run recorded is in force now, or none.
func (d *Definitions) Superseded(s run.State) bool {
	flow, there := named(d.now, s.Workflow)
	return !there || flow.Digest != s.Definition
}

// at reads the workflows at a commit; same is set if they are those in force.
func (d *Definitions) at(commit tree.Hash) (all []workflow.Workflow, same bool, err error) {
	if commit == d.cur.InForce {
		return d.now, true, nil
	}
	view, err := d.cur.Repo.Snapshot(commit)
	if err != nil {
		return nil, false, err
	}
	there, err := view.Lookup(workflow.Dir)
	if err != nil {
		return nil, false, err
	}
	if here, err := d.cur.View.Lookup(workflow.Dir); err == nil && here.Hash == there.Hash {
		return d.now, true, nil
	}
	if all, known := d.there[there.Hash]; known {
		return all, false, nil
	}
	if all, _, err = workflow.Load(view, workspace.Schedule); err == nil {
		d.there[there.Hash] = all
	}
	return all, false, err
}

// Recorded returns the workflow that a run recorded, to show it. It is not checked that it was
// ever in force. Without one, as in a run of an older version, it is the workflow in force, and
// found says whether that is the same.
func (d *Definitions) Recorded(s run.State) (flow workflow.Workflow, found bool) {
	all := d.now
	if commit, err := tree.ParseHash(s.Commit); err == nil {
		if all, _, err = d.at(commit); err != nil {
			return workflow.Workflow{}, false
		}
	}
	for _, f := range all {
		if f.Name == s.Workflow {
			return f, f.Digest == s.Definition
		}
	}
	return workflow.Workflow{}, false
}
