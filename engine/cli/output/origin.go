package output

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Origin is the run that made a proposal, with those that repeated what failed in it: who lacked what, who did each
// task, and what that cost. All of it is from the runs' journals, which anyone who can push can write.
type Origin struct {
	Run      string `json:"run"`
	Workflow string `json:"workflow"`
	// Repeated are later runs that went on with the proposal; Jobs has the jobs of all of them. Repeats are earlier
	// runs that the run repeats, which ended without the proposal. Spent counts these, too.
	Repeated []string `json:"repeated,omitempty"`
	Repeats  []string `json:"repeats,omitempty"`
	// For asked for the run. Missing are the words in which the lack was heard, Reason says where, such as in a mission.
	For        string     `json:"for,omitempty"`
	Capability string     `json:"capability,omitempty"`
	Goal       string     `json:"goal,omitempty"`
	Missing    string     `json:"missing,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Jobs       []DoneBy   `json:"jobs"`
	Spent      *run.Spent `json:"spent,omitempty"`
}

// DoneBy is a task or approval that was done. Lacks are the kinds of tests that are left out, with the reasons.
type DoneBy struct {
	Job   string            `json:"job"`
	Role  string            `json:"role"`
	By    string            `json:"by"`
	At    time.Time         `json:"at"`
	Lacks map[string]string `json:"lacks,omitempty"`
}

// NameOrigin finds the run that made the proposal, if one did and can be read.
func (v *Proposal) NameOrigin(cur workspace.Session) error {
	all, err := task.Continued(cur, v.ID) // a proposal of a run has its id
	if err != nil || len(all) == 0 {
		return err
	}
	s := all[0]
	in := s.Inputs
	v.Origin = &Origin{Run: s.ID, Workflow: s.Workflow, For: s.For, Capability: in["capability"], Goal: in["goal"], Missing: in["missing"], Reason: in["reason"], Jobs: []DoneBy{}}
	for _, s := range task.Before(cur, s) {
		v.Origin.Repeats, v.Origin.Spent = append(v.Origin.Repeats, s.ID), v.Origin.Spent.Plus(s.Spent(cur.Now()))
	}
	done := map[string]DoneBy{}
	for i, s := range all {
		v.Origin.Spent = v.Origin.Spent.Plus(s.Spent(cur.Now()))
		if i > 0 {
			v.Origin.Repeated = append(v.Origin.Repeated, s.ID)
		}
		for name, j := range s.Jobs {
			if j.Status != run.Did || j.Role == "" { // one that another run did has no role
				continue
			}
			one := DoneBy{Job: name, Role: j.Role, By: j.By, At: j.At}
			if j.Result != nil {
				one.Lacks = j.Result.Lacks
			}
			done[name] = one
		}
	}
	for _, one := range done {
		v.Origin.Jobs = append(v.Origin.Jobs, one)
	}
	order.Sort(v.Origin.Jobs, func(a, b DoneBy) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Job, b.Job)) })
	return nil
}

// NameMaker finds the run that makes the proposal, or made it. While that is at work the next step is to wait for it.
func (v *Proposal) NameMaker(cur workspace.Session) (err error) {
	v.Maker, err = task.MakerOf(cur, v.ID)
	switch m := v.Maker; {
	case m == nil:
	case v.State == "merged" || !v.Pull.open:
		m.Open = nil
	case len(m.Open) > 0 && v.Next == strings.ReplaceAll(proposal.Approved.Next(), "ID", v.ID):
		v.Next = "wait for it: " + m.Show()
	}
	return err
}

// PrintMaker says that a proposal is still being made, or that the run that made it failed or was cancelled.
func PrintMaker(c *console.Console, v Proposal) {
	if text := v.Maker.Text(); text != "" {
		c.Field("run", c.Style.Warn(console.OneLine(text)+": "+v.Maker.Show()))
	}
}

// PrintOrigin shows why a proposal was made, and by whom.
func PrintOrigin(c *console.Console, o *Origin) {
	if o == nil {
		return
	}
	c.Field("asked for", console.OneLine(strings.TrimPrefix(o.For+", "+cmp.Or(o.Reason, o.Goal), ", "))+": assent run show "+names.ShellWord(o.Run))
	c.Optional("repeats", strings.Join(o.Repeats, ", "))
	c.Optional("repeated in", strings.Join(o.Repeated, ", "))
	c.Optional("lacked", o.Missing)
	for _, j := range o.Jobs {
		text := "by " + j.By + " as " + j.Role
		for _, what := range slices.Sorted(maps.Keys(j.Lacks)) {
			text += "; lacks " + what + ": " + j.Lacks[what]
		}
		c.Field(console.OneLine(j.Job), console.OneLine(text))
	}
	if o.Spent != nil {
		c.Field("spent", SpentText(AgentsCommands, *o.Spent))
	}
}
