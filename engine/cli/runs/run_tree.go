package runs

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// runTree is a run in lines, each narrower than the terminal.
func runTree(c *console.Console, f workflow.Workflow, found bool, v workJSON, steps []run.Step, now time.Time) []string {
	s := v.State
	head := fmt.Sprintf("%s  %s", c.Style.Bold(console.OneLine(s.ID)), console.OneLine(s.Workflow))
	if s.For != "" {
		head += " for " + console.OneLine(s.For)
	}
	if s.Proposal != "" && s.Proposal != s.ID {
		head += ", about " + console.OneLine(s.Proposal)
	}
	began := fmt.Sprintf("  %s, began %s, took %s", console.OneLine(s.Event), s.Began.UTC().Format(time.RFC3339), output.Lasted(runMS(s, now)))
	if s.Outcome == "" {
		began = strings.Replace(began, "took", "runs for", 1)
	}
	lines := []string{head, c.Style.Dim(began)}
	if commit := s.Commit; found && len(commit) > 10 {
		lines = append(lines, c.Style.Dim("  by "+f.Path+" of "+console.OneLine(commit[:10])))
	} else if !found {
		lines = append(lines, c.Style.Warn("  the version that it follows cannot be read here"))
	}
	switch {
	case v.Ends != "":
		lines = append(lines, "  "+c.Style.Warn(fit(c, console.OneLine(v.Ends)+"; assent reconcile ends the run", 2)))
	case v.Superseded:
		lines = append(lines, "  "+c.Style.Warn(fit(c, "a newer version of the workflow is in force; to use it: assent run cancel "+names.ShellWord(s.ID)+", then assent run retry "+names.ShellWord(s.ID), 2)))
	}
	if v.PassedOver != "" {
		lines = append(lines, "  "+c.Style.Bad(fit(c, "passed over: "+console.OneLine(v.PassedOver), 2)))
	}
	if waits := v.turn.String(); waits != "" {
		lines = append(lines, "  "+c.Style.Warn(fit(c, "waits: "+console.OneLine(waits), 2)))
	}
	for _, l := range v.Overridden {
		next := l.Next
		l.Next = ""
		lines = append(lines, "  "+c.Style.Warn(fit(c, console.OneLine(l.String()), 2)), "    "+fit(c, console.OneLine(next), 4))
	}
	if v.Elsewhere != "" {
		lines = append(lines, "  "+c.Style.Warn(fit(c, "its proposal is "+v.Elsewhere, 2)))
	}
	if v.Fails != "" {
		lines = append(lines, "  "+c.Style.Warn(fit(c, console.OneLine(v.Fails), 2)))
	}
	if why := s.Inputs["reason"]; why != "" { // such as the mission in which it was heard
		lines = append(lines, "  "+c.Style.Dim(fit(c, "reason: "+console.OneLine(why), 2)))
	}
	width := nameWidth(steps)
	for i, step := range steps {
		j, _ := f.Job(step.Name)
		branch, below := "├─ ", "│  "
		if i == len(steps)-1 {
			branch, below = "└─ ", "   "
		}
		state := s.Jobs[step.Name]
		at := slices.IndexFunc(v.Stalled, func(s stalledJSON) bool { return s.Job == step.Name })
		if at >= 0 {
			state.Until = time.Time{}
		}
		lines = append(lines, branch+stepMark(c, step)+" "+pad2(console.OneLine(step.Name), width)+" "+fit(c, console.OneLine(jobText(f, j, step, state, s, now)+calledBy(step)+when(step)), width+6))
		if step.Reason != "" && step.Status != run.Left {
			where := ""
			if step.Status == run.Gave && step.Where != "" {
				where = "  [" + step.Where + "]"
			}
			if step.Continued {
				where += "  continue-on-error: the run goes on"
			}
			lines = append(lines, below+"    "+c.Style.Dim(fit(c, console.OneLine(step.Reason), 8+len(where))+where))
		}
		if state.Status == run.Waiting && j.Approve != "" && j.Message != "" {
			lines = append(lines, below+"    "+fit(c, console.OneLine(j.Message), 8))
		}
		if r := state.Result; r != nil {
			for _, what := range sorted(r.Lacks) {
				lines = append(lines, below+"    "+c.Style.Warn(fit(c, console.OneLine("lacks "+what+": "+r.Lacks[what]), 8)))
			}
		}
		if vacancy, vacant := task.VacancyOf(v.Vacancies, step.Name); vacant {
			lines = append(lines, below+"    "+c.Style.Warn(console.OneLine(vacancy.String())))
		}
		if at >= 0 {
			lines = append(lines, below+"    "+c.Style.Warn(fit(c, console.OneLine(v.Stalled[at].String()), 8)))
		}
		lines = append(lines, outputTail(c, state, below)...)
	}
	if sum := s.Spent(now); sum != nil {
		lines = append(lines, c.Style.Dim("  "+output.SpentText(output.AgentsCommands, *sum)))
	}
	if s.Outcome != "" {
		lines = append(lines, string(s.Outcome)+after(fit(c, s.Reason, 12)))
	}
	return lines
}

// calledBy says which workflow a step belongs to, if that is called.
func calledBy(s run.Step) string {
	if s.Calls == "" {
		return ""
	}
	return ", of " + s.Calls
}

// when says when a step began and how long it took.
func when(s run.Step) string {
	if s.Began.IsZero() || s.Ended.IsZero() || s.Status == run.Left {
		return ""
	}
	return "  [" + s.Began.UTC().Format("15:04:05") + " " + output.Lasted(s.MS) + "]"
}

// runMS is how long a run took so far, in milliseconds.
func runMS(s run.State, now time.Time) int64 {
	if s.Outcome != "" {
		now = s.At
	}
	return max(now.Sub(s.Began).Milliseconds(), 0)
}

// fit cuts plain text to the rest of a terminal's line.
func fit(c *console.Console, s string, taken int) string {
	if !c.Terminal() {
		return s
	}
	return console.Cut(s, max(c.World.Width()-taken, 20))
}

func pad2(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// nameWidth is the width of the column of names.
func nameWidth(steps []run.Step) int {
	const least, most = 12, 40
	width := least
	for _, s := range steps {
		width = max(width, min(most, utf8.RuneCountInString(console.OneLine(s.Name))))
	}
	return width
}

func stepMark(c *console.Console, s run.Step) string {
	if s.Uncounted != "" {
		return c.Style.Bad("✗")
	}
	return jobMark(c, s.Status)
}

func jobMark(c *console.Console, status run.Status) string {
	switch status {
	case run.Did:
		return c.Style.Good("✓")
	case run.Gave:
		return c.Style.Bad("✗")
	case run.Waiting:
		return c.Style.Warn("…")
	case run.Running:
		return c.Style.Warn("▸")
	case run.Stopped:
		return c.Style.Warn("■")
	case run.Left:
		return c.Style.Dim("-")
	}
	return c.Style.Dim("·")
}

func jobText(f workflow.Workflow, j workflow.Job, step run.Step, state run.Job, s run.State, now time.Time) string {
	attempt := ""
	if state.Attempt > 1 {
		attempt = fmt.Sprintf(", attempt %d", state.Attempt)
	}
	switch {
	case step.Uncounted != "" && step.Status == run.Left:
		return "recorded as skipped; that does not count: " + step.Uncounted
	case step.Uncounted != "":
		return "recorded as approved by " + state.By + "; that does not count: " + step.Uncounted
	case step.Status == run.Left:
		return "skipped: " + step.Reason
	case step.Status == run.Stopped:
		return "cancelled" + attempt
	case state.Status == run.Did && j.Approve != "":
		return "approved by " + state.By
	case state.Status == run.Did && j.Agent != "":
		out := "done by " + state.Doer() + attempt
		if r := state.Result; r != nil && r.Confidence > 0 {
			out += fmt.Sprintf(", confidence %.2f", r.Confidence)
		}
		return out
	case state.Status == run.Did && state.Report != nil:
		return state.Report.Summary + ", risk " + state.Report.Risk
	case state.Status == run.Did:
		return "done" + attempt
	case step.Status == run.Gave:
		return "failed" + attempt
	case state.Status == run.Running && now.Before(state.Until):
		return "runs since " + state.Asked.UTC().Format(time.RFC3339) + attempt
	case state.Status == run.Running:
		return "was begun at " + state.Asked.UTC().Format(time.RFC3339) + ", and no outcome was reported" + attempt
	case state.Held(now):
		return "with " + state.Claimant + " until " + state.Until.UTC().Format(time.RFC3339) + attempt
	case state.Status == run.Waiting && j.Approve != "":
		return "waits until " + run.Due(f, s, j).Format(time.RFC3339) + " for " + state.Role + ": assent run approve " + names.ShellWord(s.ID) + " " + names.ShellWord(step.Name)
	case state.Status == run.Waiting:
		return "waits for " + state.Role + " since " + state.Asked.UTC().Format(time.RFC3339) + attempt
	case j.Agent != "":
		return "for " + run.RoleFor(j, s.Inputs) + needing(j)
	}
	if j.Approve != "" {
		return "an approval by " + j.Approve + needing(j)
	}
	if j.Uses == workflow.Merge && s.Proposal != "" && s.Outcome == "" && s.Ripe(j) {
		return "merge, waits for its proposal: assent why " + names.ShellWord(s.Proposal)
	}
	if j.Script != nil {
		return "a script for " + j.Script.Runtime + needing(j)
	}
	return j.Uses + needing(j)
}

func needing(j workflow.Job) string {
	if len(j.Needs) == 0 {
		return ""
	}
	return ", after " + strings.Join(j.Needs, ", ")
}
