package runs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func newRunShow(c *console.Console) *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:   "show ID | ID/JOB",
		Short: "Show a run as a tree of its jobs, or what one job's script said",
		Long: `Show tells where each job of a run is, with the last lines that a script said. With
ID/JOB it is all that was kept: the last 16 KiB of standard output and of standard error,
without secrets.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runRunShow(cmd.Context(), c, args[0], watch) },
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "on a terminal, show it again on every change, until the run ends")
	return cmd
}

// lookAgain is how often a run that is watched is looked at.
const lookAgain = time.Second

// looksThere is the number of looks between two requests to the service or remote.
const looksThere = 15

func runRunShow(ctx context.Context, c *console.Console, id string, watch bool) error {
	cur, err := c.Consulted(ctx)
	if err != nil {
		return err
	}
	all, err := task.Workflows(cur)
	if err != nil {
		return err
	}
	id, job, one := strings.Cut(id, "/")
	if id, err = cur.Runs.Resolve(id); err != nil {
		return ofTask(err)
	}
	if one {
		return showOutput(c, cur.Workspace, id, job)
	}
	shown, seen := 0, -1
	for look := 1; ; look++ {
		s, err := cur.Runs.Read(id)
		if err != nil {
			return ofTask(err)
		}
		if c.JSON {
			return c.Emit(runView(s, cur.Now()))
		}
		if s.Records != seen {
			lines := runTree(c, flowOf(all, s), s, cur.Now())
			if shown > 0 {
				c.Printf("\x1b[%dA\x1b[J", shown)
			}
			c.Printf("%s\n", strings.Join(lines, "\n"))
			shown, seen = len(lines), s.Records
		}
		if !watch || !c.Terminal() || s.Outcome != "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookAgain):
		}
		if look%looksThere == 0 {
			if err := cur.Forge.Refresh(ctx); err != nil && ctx.Err() == nil {
				c.Offline(err)
				return nil
			}
		}
	}
}

// runTree is a run in lines, each narrower than the terminal.
func runTree(c *console.Console, f workflow.Workflow, s run.State, now time.Time) []string {
	head := fmt.Sprintf("%s  %s", c.Style.Bold(console.OneLine(s.ID)), console.OneLine(s.Workflow))
	if s.For != "" {
		head += " for " + console.OneLine(s.For)
	}
	if s.Proposal != "" && s.Proposal != s.ID {
		head += ", about " + console.OneLine(s.Proposal)
	}
	lines := []string{head}
	jobs := f.Jobs
	if f.Name == "" { // no longer in force: show the recorded jobs
		for _, name := range sorted(s.Jobs) {
			jobs = append(jobs, workflow.Job{Name: name})
		}
	} else if f.Digest != s.Definition {
		lines = append(lines, c.Style.Warn("  the workflow was changed since the run began; it continues by the definition in force"))
	}
	for i, j := range jobs {
		branch, below := "├─ ", "│  "
		if i == len(jobs)-1 {
			branch, below = "└─ ", "   "
		}
		state := s.Jobs[j.Name]
		lines = append(lines, branch+jobMark(c, state)+" "+pad2(j.Name, 12)+" "+fit(c, console.OneLine(jobText(j, state, s, now)), 20))
		if state.Reason != "" && state.Status != run.Left {
			lines = append(lines, below+"    "+c.Style.Dim(fit(c, console.OneLine(state.Reason), 8)))
		}
		lines = append(lines, outputTail(c, state, below)...)
	}
	if s.Outcome != "" {
		lines = append(lines, string(s.Outcome)+after(fit(c, s.Reason, 12)))
	}
	return lines
}

// fit cuts plain text to the rest of a terminal's line.
func fit(c *console.Console, s string, taken int) string {
	if !c.Terminal() {
		return s
	}
	return console.Cut(s, max(c.World.Width()-taken, 20))
}

func pad2(s string, width int) string { return s + strings.Repeat(" ", max(0, width-len(s))) }

func jobMark(c *console.Console, j run.Job) string {
	switch j.Status {
	case run.Did:
		return c.Style.Good("✓")
	case run.Gave:
		return c.Style.Bad("✗")
	case run.Waiting:
		return c.Style.Warn("…")
	case run.Left:
		return c.Style.Dim("-")
	}
	return c.Style.Dim("·")
}

func jobText(j workflow.Job, state run.Job, s run.State, now time.Time) string {
	attempt := ""
	if state.Attempt > 1 {
		attempt = fmt.Sprintf(", attempt %d", state.Attempt)
	}
	switch {
	case state.Status == run.Did && j.Agent != "":
		out := "done by " + state.By + attempt
		if r := state.Result; r != nil && r.Confidence > 0 {
			out += fmt.Sprintf(", confidence %.2f", r.Confidence)
		}
		return out
	case state.Status == run.Did && state.Report != nil:
		return state.Report.Summary + ", risk " + state.Report.Risk
	case state.Status == run.Did:
		return "done" + attempt
	case state.Status == run.Gave:
		return "failed" + attempt
	case state.Status == run.Left:
		return "left out: " + state.Reason
	case state.Status == run.Running && now.Before(state.Until):
		return "runs since " + state.Asked.UTC().Format(time.RFC3339) + attempt
	case state.Status == run.Running:
		return "was begun at " + state.Asked.UTC().Format(time.RFC3339) + ", and no outcome was reported" + attempt
	case state.Held(now):
		return "with " + state.Claimant + " until " + state.Until.UTC().Format(time.RFC3339) + attempt
	case state.Status == run.Waiting:
		return "waits for " + state.Role + " since " + state.Asked.UTC().Format(time.RFC3339) + attempt
	case j.Agent != "":
		return "for " + run.RoleFor(j, s.Inputs) + needing(j)
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

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
