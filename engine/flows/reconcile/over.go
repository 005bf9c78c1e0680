package reconcile

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// foreign says why a run with the id of a scheduled time is not the run of it, "" if it may be.
func foreign(s run.State, f workflow.Workflow, fired, now time.Time) string {
	latest := now.Add(policy.ClockSkew)
	switch {
	case s.Workflow != f.Name || s.Event != workflow.Schedule:
		return fmt.Sprintf("it has the id of a scheduled run of %s, and is one of %s by the event %s", f.Name, s.Workflow, s.Event)
	case s.Began.Before(fired):
		return fmt.Sprintf("it has the id of the run of %s, and began before that", fired.Format(time.RFC3339))
	case s.Began.After(latest), s.At.After(latest):
		return fmt.Sprintf("it has the id of the run of %s, and is dated ahead", fired.Format(time.RFC3339))
	}
	return ""
}

// successors is how many journals passed over in a row PassedOver finds beside the first.
const successors = 4

// PassedOver says of runs that have the id of a scheduled time, and are not the run of that time, why: anyone who can push
// can write them, and a pass begins that run under another id. It knows the schedules in force, 31 days before and after now.
func PassedOver(cur workspace.Session, states ...run.State) (map[string]string, error) {
	flows, err := task.Workflows(cur)
	out, now := map[string]string{}, cur.Now()
	for _, f := range flows {
		b := task.Beginning{Workflow: f, Event: workflow.Schedule, Inputs: task.Defaults(f)}
		if head, _, _ := names.ParseProposalID(task.ID(b)); f.On.Schedule != "" && !f.Direct() {
			scheduled{b, now, out}.search(states, head+"-")
		}
	}
	return out, err
}

// scheduled looks for the runs of one workflow that are passed over.
type scheduled struct {
	begin task.Beginning
	now   time.Time
	out   map[string]string
}

// search looks at the runs whose ids begin so. Most began within an hour after their schedule fired; the others are looked
// for together, as a schedule may fire each minute.
func (s scheduled) search(states []run.State, head string) {
	left := map[string]run.State{}
	for _, one := range states {
		if alone := map[string]run.State{one.ID: one}; strings.HasPrefix(one.ID, head) {
			s.between(one.Began.Add(-time.Hour), one.Began.Add(time.Second), alone)
			maps.Copy(left, alone)
		}
	}
	if len(left) > 0 {
		s.between(s.now.Add(-task.Late), s.now.Add(task.Late), left)
	}
}

// between judges the runs of a period, and removes those that it found.
func (s scheduled) between(from, to time.Time, left map[string]run.State) {
	flow := s.begin.Workflow
	for at, ever := cronNext(flow.On.Schedule, from); ever && at.Before(to) && len(left) > 0; at, ever = cronNext(flow.On.Schedule, at) {
		key := at.UTC().Format(time.RFC3339)
		for n := range successors + 1 {
			if s.begin.Key = key; n > 0 {
				s.begin.Key += replaced + strconv.Itoa(n)
			}
			one, there := left[task.ID(s.begin)]
			if !there {
				continue
			}
			delete(left, one.ID)
			if why := foreign(one, flow, at.UTC(), s.now); why != "" {
				s.out[one.ID] = why
			}
		}
	}
}
