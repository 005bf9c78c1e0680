package runs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// tailLines and tailWidth bound the part of a script's output in the tree of its run.
const (
	tailLines = 5
	tailWidth = 200
)

// colors are the escape sequences by which programs color their output; every other one is shown.
var colors = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// outputLine is a line of a script's output for the terminal.
func outputLine(s string) string { return console.OneLine(colors.ReplaceAllString(s, "")) }

// outputTail returns the last lines of a job's script's output.
func outputTail(c *console.Console, j run.Job, below string) []string {
	if j.Output == nil {
		return nil
	}
	text := strings.TrimRight(j.Output.Stdout, "\n")
	if errs := strings.TrimRight(j.Output.Stderr, "\n"); errs != "" {
		text = strings.TrimLeft(text+"\n"+errs, "\n")
	}
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	var out []string
	for _, line := range lines[max(0, len(lines)-tailLines):] {
		out = append(out, below+"    "+c.Style.Dim(fit(c, console.Cut("| "+outputLine(line), tailWidth), 8)))
	}
	return out
}

// stepsNamed returns the jobs of a run that a name means: one, or each combination of its matrix.
func stepsNamed(defs *task.Definitions, s run.State, name string, now time.Time) ([]run.Step, error) {
	flow, _ := defs.Recorded(s)
	all := run.Steps(flow, s, now)
	named := slices.DeleteFunc(slices.Clone(all), func(step run.Step) bool {
		j, _ := flow.Job(step.Name)
		return step.Name != name && j.Of != name
	})
	if len(named) == 0 {
		err := console.Unknown("job", console.OneLine(name), "in the run "+s.ID)
		return nil, &console.Failure{Code: console.ExitUsage, Err: err, Hint: "its jobs are " + listed(all)}
	}
	return named, nil
}

func listed(steps []run.Step) string {
	var out []string
	for _, s := range steps {
		out = append(out, console.OneLine(s.Name))
	}
	return strings.Join(out, ", ")
}

// noOutput says why there is no output of a job, or of one attempt of it.
func noOutput(id string, s run.Step, attempt int) error {
	why := "kept no output"
	switch {
	case attempt > 0 && s.Attempt > 0:
		why = fmt.Sprintf("kept no output of attempt %d; its last attempt is %d", attempt, s.Attempt)
		s.Reason = ""
	case s.Kind != "" && s.Kind != "script":
		why = "has no script"
	case s.Status == "":
		why = "has not begun"
	case s.Status == run.Running:
		why = "runs in another clone; its output comes with its result"
	case s.Status == run.Left:
		why = "was skipped"
	}
	err := fmt.Errorf("%s/%s %s%s", id, console.OneLine(s.Name), why, after(s.Reason))
	return &console.Failure{Code: console.ExitUsage, Err: err, Hint: about(id, "assent run show ID lists the jobs of a run")}
}

// endOf says how a script ended. One that was stopped has no exit code.
func endOf(o run.Output) string {
	how := o.Ended
	if how == "" {
		return "not yet: it runs"
	}
	if how == sandbox.Exited.String() {
		how += fmt.Sprintf(" with %d", o.Exit)
	}
	return how + " after " + output.Lasted(o.MS)
}

// showOutput shows all kept output of one job's script.
func showOutput(c *console.Console, cur workspace.Session, defs *task.Definitions, id, job string) error {
	s, err := task.ReadLive(cur.Workspace, id)
	if err != nil {
		return ofTask(err, id)
	}
	steps, err := stepsNamed(defs, s, job, cur.Now())
	if err != nil {
		return err
	}
	if len(steps) > 1 {
		return &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%s/%s means several jobs: %s", id, job, listed(steps)), Hint: "assent run logs prints all of them"}
	}
	j := s.Jobs[steps[0].Name]
	if j.Output == nil {
		return noOutput(id, steps[0], 0)
	}
	if c.JSON {
		return c.Emit(j)
	}
	o := j.Output
	c.Field("ended", endOf(*o))
	if o.Commit != "" {
		c.Field("saw", o.Commit)
	}
	if j.Reason != "" {
		c.Field("because", console.OneLine(j.Reason))
	}
	for _, of := range []struct {
		name, text string
		cut        int
	}{{"standard output", o.Stdout, o.StdoutCut}, {"standard error", o.Stderr, o.StderrCut}} {
		if of.text == "" {
			continue
		}
		c.Printf("%s:\n", of.name)
		if of.cut > 0 {
			c.Printf("  %s\n", c.Style.Dim(fmt.Sprintf("(%d bytes before this are not kept)", of.cut)))
		}
		for line := range strings.SplitSeq(strings.TrimRight(of.text, "\n"), "\n") {
			c.Printf("  | %s\n", outputLine(line))
		}
	}
	return nil
}
