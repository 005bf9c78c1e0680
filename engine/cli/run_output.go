package cli

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// tailLines and tailWidth are how much of what a script said stands in the tree of its run.
const (
	tailLines = 5
	tailWidth = 200
)

// outputTail are the last lines of what a job's script said.
func (c *console) outputTail(j run.Job, below string) []string {
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
		out = append(out, below+"    "+c.style.dim(c.fit(cut("| "+oneLine(line), tailWidth), 8)))
	}
	return out
}

// showOutput shows all that is kept of what one job's script said.
func (c *console) showOutput(w *workspace.Workspace, id, job string) error {
	s, err := w.Runs.Read(id)
	if err != nil {
		return ofTask(err)
	}
	j, known := s.Jobs[job]
	if !known || j.Output == nil {
		return ofTask(fmt.Errorf("%s/%s: nothing was said by a script: %w", id, job, task.ErrNoTask))
	}
	if c.json {
		return c.emit(j)
	}
	o := j.Output
	c.field("ended", fmt.Sprintf("%s with %d after %d ms", o.Ended, o.Exit, o.MS))
	c.field("saw", o.Commit)
	if j.Reason != "" {
		c.field("because", oneLine(j.Reason))
	}
	for _, of := range []struct {
		name, text string
		cut        int
	}{{"standard output", o.Stdout, o.StdoutCut}, {"standard error", o.Stderr, o.StderrCut}} {
		if of.text == "" {
			continue
		}
		c.printf("%s:\n", of.name)
		if of.cut > 0 {
			c.printf("  %s\n", c.style.dim(fmt.Sprintf("(%d bytes before this are not kept)", of.cut)))
		}
		for line := range strings.SplitSeq(strings.TrimRight(of.text, "\n"), "\n") {
			c.printf("  | %s\n", oneLine(line))
		}
	}
	return nil
}
