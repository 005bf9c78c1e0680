package runs

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/agents/mission"
	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// missionWatch shows what a mission is at: on a terminal in a region that changes in place, elsewhere by a line for
// each change.
type missionWatch struct {
	c      *console.Console
	region *console.Region // nil if it is no terminal
	agent  *toolset.Agent
	head   string
	since  time.Time         // when head changed
	said   map[string]string // the newest line about each subject
}

// watchLine is one thing that a mission waits for, with the command to type.
type watchLine struct{ subject, mark, text, next string }

// String is the line without its mark.
func (l watchLine) String() string {
	text := l.subject + " " + l.text
	if l.next != "" {
		text += ": " + l.next
	}
	return console.OneLine(text)
}

// start redraws the region each second until the function is called.
func (m *missionWatch) start() (stop func()) {
	if m.region == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Second):
				m.region.Redraw()
			}
		}
	}()
	return func() {
		close(done)
		m.clear()
	}
}

// clear removes what is shown of a step that has ended.
func (m *missionWatch) clear() {
	if m.region != nil {
		m.region.Show(nil)
	}
}

// show is the Watch of a mission's runner.
func (m *missionWatch) show(ctx context.Context, s mission.State, step mission.Step) {
	if m.c.JSON {
		return
	}
	head, lines := fmt.Sprintf("round %d: the command runs", s.Spent().Rounds+1), []watchLine(nil)
	if len(step.Preflight) > 0 {
		m.clear()
		m.c.Progress("preflight: %s", preflightText(step.Preflight))
	}
	if len(step.Given) > 0 {
		head += ", linked with " + strings.Join(step.Given, ", ")
	}
	if step.Kind == mission.Asked {
		w := waiting{c: m.c}
		if err := w.all(ctx, m.agent, &s, step); err != nil && ctx.Err() == nil {
			w.add("what it waits for", run.Gave, "cannot be read: "+err.Error(), "")
		}
		head, lines = "waits for what it lacks", w.lines
		switch {
		case w.works == 0 && s.Stalled() != "": // an approval of what the run left brings no more
			head, lines = "waits in vain", []watchLine{{"what it waits for", jobMark(m.c, run.Gave), "has ended: " + s.Stalled(), s.Repair()}}
		case w.approvals > 0 && w.works == 0:
			head = "waits for an approval only"
		}
	}
	if head != m.head {
		m.head, m.since = head, time.Now()
	}
	if m.region == nil {
		m.say(append([]watchLine{{subject: s.ID, text: head}}, lines...))
		return
	}
	id, since := console.OneLine(s.ID), m.since
	m.region.Show(func() []string {
		out := []string{fmt.Sprintf("%s %s, %s", m.c.Style.Bold(id), console.OneLine(head), time.Since(since).Truncate(time.Second))}
		for _, l := range lines {
			next := l.next
			l.next = ""
			if out = append(out, "  "+l.mark+" "+l.String()); next != "" { // on a line of its own, or a narrow terminal would cut it
				out = append(out, "      "+console.OneLine(next))
			}
		}
		return out
	})
}

// say writes the lines that changed.
func (m *missionWatch) say(lines []watchLine) {
	for _, l := range lines {
		if m.said[l.subject] != l.text {
			m.said[l.subject] = l.text
			m.c.Progress("%s", l)
		}
	}
}

// waiting is what a mission waits for: works that others do, and approvals.
type waiting struct {
	lines            []watchLine
	works, approvals int
	c                *console.Console
}

func (w *waiting) add(subject string, status run.Status, text, next string) {
	w.lines = append(w.lines, watchLine{subject, jobMark(w.c, status), text, next})
}

// all finds out about the runs and proposals of a step.
func (w *waiting) all(ctx context.Context, agent *toolset.Agent, s *mission.State, step mission.Step) error {
	cur, err := agent.Look(ctx)
	if err != nil {
		return err
	}
	if err := s.See(cur); err != nil {
		return err
	}
	defs, err := task.DefinitionsOf(cur)
	if err != nil {
		return err
	}
	for _, id := range step.Runs {
		if err := w.run(ctx, cur, defs, id); err != nil {
			return err
		}
	}
	for _, id := range step.Proposals {
		if err := w.proposal(ctx, cur, id); err != nil {
			return err
		}
	}
	if step.Reason != "" {
		w.works++
		w.add("not asked for yet:", run.Waiting, step.Reason, "")
	}
	return nil
}

// run adds the jobs of a run that have begun, and its proposal.
func (w *waiting) run(ctx context.Context, cur workspace.Session, defs *task.Definitions, id string) error {
	s, err := cur.Runs.Read(id)
	if err != nil {
		return err
	}
	flow, _ := defs.Recorded(s)
	merges := false
	for _, step := range defs.Steps(s) {
		j, _ := flow.Job(step.Name)
		if merges = merges || j.Uses == workflow.Merge && s.Ripe(j); step.Status == "" || step.Status == run.Left {
			continue
		}
		text, next := w.job(cur.Policies.Roles, flow, j, step, s, cur.Now())
		w.add(id+"/"+step.Name, step.Status, text, next)
	}
	pull, err := task.PullOf(ctx, cur.Workspace, s)
	switch {
	case err != nil || pull.ID == "" || pull.State != forge.Open:
		return err
	case merges:
		return w.proposal(ctx, cur, pull.ID)
	}
	w.add("proposal/"+pull.ID, run.Running, "has what is built so far", "")
	return nil
}

// job says what becomes of a job that has begun, without what changes with each look, and what to type.
func (w *waiting) job(roles policy.Roles, f workflow.Workflow, j workflow.Job, step run.Step, s run.State, now time.Time) (text, next string) {
	state := s.Jobs[step.Name]
	switch {
	case step.Status == run.Waiting && j.Approve != "":
		w.approvals++
		return "waits for an approval by " + state.Role, "assent run approve " + names.ShellWord(s.ID) + " " + names.ShellWord(step.Name)
	case step.Status == run.Waiting && state.Held(now):
		w.works++
		return "is under way: " + state.Claimant + " is at work on it as " + state.Role, ""
	case step.Status == run.Waiting:
		w.works++
		next = "assent work --role " + names.ShellWord(state.Role)
		if who := roles.Named(state.Role, task.Takers(roles, task.Task{Run: s, Flow: f, Job: j}, now)); who != state.Role {
			next += " --agent " + names.ShellWord(who)
		}
		return "waits for " + state.Role, next + " --command LINE"
	case step.Status == run.Running:
		w.works++
	case step.Status == run.Gave:
		return "failed" + after(step.Reason), ""
	}
	return jobText(f, j, step, state, s, now), ""
}

// proposal says whose approval an open proposal waits for, and the command that gives it.
func (w *waiting) proposal(ctx context.Context, cur workspace.Session, id string) error {
	v, ex, err := output.ExaminedProposal(ctx, w.c, cur, id)
	if err != nil {
		return err
	}
	text := cmp.Or(v.Elsewhere, "is "+v.State)
	if v.State == string(proposal.ChangesRequested) {
		text = v.Agent + " has to change it: " + strings.Join(ex.Verdict.ReasonsOf(policy.RuleChangesRequested), "; ")
		w.works++
	} else if len(v.WaitingFor) > 0 {
		w.approvals++
		var from []string
		for _, one := range v.WaitingFor {
			from = append(from, output.WaitText(one))
		}
		text = "waits for an approval by " + strings.Join(from, " and ")
	} else if v.State != string(proposal.Approved) {
		w.works++
	}
	w.add("proposal/"+id, run.Waiting, text, v.Next)
	return nil
}

// preflightText is the result of the smoke tests before a command, in one line.
func preflightText(all []tool.Tested) string {
	var out []string
	for _, t := range all {
		text := t.Name + ": " + console.Plural(t.Cases, "smoke test") + " ran"
		if t.Why != "" {
			text += ": " + t.Why
		}
		out = append(out, console.OneLine(text))
	}
	return strings.Join(out, "; ")
}
