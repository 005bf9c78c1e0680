package runs

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// tailLines and tailWidth bound the part of a script's output in the tree of its run.
const (
	tailLines = 5
	tailWidth = 200
)

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
		out = append(out, below+"    "+c.Style.Dim(fit(c, console.Cut("| "+console.OneLine(line), tailWidth), 8)))
	}
	return out
}

// showOutput shows all kept output of one job's script.
func showOutput(c *console.Console, w *workspace.Workspace, id, job string) error {
	s, err := w.Runs.Read(id)
	if err != nil {
		return ofTask(err)
	}
	j, known := s.Jobs[job]
	if !known || j.Output == nil {
		return ofTask(fmt.Errorf("%s/%s: there is no output of a script: %w", id, job, task.ErrNoTask))
	}
	if c.JSON {
		return c.Emit(j)
	}
	o := j.Output
	c.Field("ended", fmt.Sprintf("%s with %d after %d ms", o.Ended, o.Exit, o.MS))
	c.Field("saw", o.Commit)
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
			c.Printf("  | %s\n", console.OneLine(line))
		}
	}
	return nil
}
