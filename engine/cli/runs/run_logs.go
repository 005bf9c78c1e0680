package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// logOptions are the flags of printing output.
type logOptions struct {
	name    string
	follow  bool
	attempt int
}

func newRunLogs(c *console.Console) *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use:   "logs ID | ID/JOB",
		Short: "Print the output of a run's scripts",
		Long: `Logs prints what was kept of the output of each script of a run, in the order in which
they ended: the last 16 KiB of standard output and of standard error, without secrets. Each
line begins with its job. Of a script that was started several times it prints the last
attempt, or the one that --attempt names. A script that was stopped, as by assent run cancel,
has its output until then.

With --follow it prints the output of each further script when it has ended, until the run
ends, and itself ends with 1 if the run failed or was cancelled.`,
		Example: `  assent run logs checks-k3v9q2mt/look --attempt 1`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runRunLogs(cmd.Context(), c, o)
		},
	}
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on until the run ends")
	cmd.Flags().IntVar(&o.attempt, "attempt", 0, "print the attempt number `N`, from 1; 0 is the last")
	return cmd
}

// logJSON is the output of one attempt of a script. Status is lost if it ended without a result, and
// stopped if its run ended first.
type logJSON struct {
	Job     string      `json:"job"`
	Attempt int         `json:"attempt"`
	Status  string      `json:"status"`
	Output  *run.Output `json:"output"`
}

func runRunLogs(ctx context.Context, c *console.Console, o logOptions) error {
	if o.attempt < 0 {
		return console.Usage("--attempt %d: write the number of an attempt, from 1", o.attempt)
	}
	cur, defs, id, job, err := namedRun(ctx, c, o.name)
	if err != nil {
		return err
	}
	printed, found := 0, []logJSON{}
	err = eachChange(ctx, c, cur, id, o.follow, func(s run.State) error {
		var steps []run.Step
		if job != "" {
			var err error
			if steps, err = stepsNamed(defs, s, job, cur.Now()); err != nil {
				return err
			}
		}
		records, err := cur.Runs.Records(id)
		if err != nil {
			return ofTask(err)
		}
		all := logs(records)
		for _, l := range o.chosen(all[printed:], steps) {
			if found = append(found, l); !c.JSON {
				printLog(c, l)
			}
		}
		if printed = len(all); job != "" && len(found) == 0 && !o.follow {
			return noOutput(id, steps[0], o.attempt)
		}
		switch {
		case len(found) > 0 || o.follow:
		case o.attempt > 0:
			return console.Usage("no script of %s has output of an attempt %d", id, o.attempt)
		default:
			c.Complain("no script of %s has ended; assent run show %s says where it is", console.OneLine(id), names.ShellWord(id))
		}
		return nil
	})
	if c.JSON && (err == nil || len(found) > 0) {
		if shown := c.Emit(found); shown != nil {
			return shown
		}
	}
	return err
}

// logs returns the outputs of all attempts, in the order of their ends.
func logs(records []run.Record) []logJSON {
	out := []logJSON{}
	for _, r := range records {
		if r.Output == nil {
			continue
		}
		status := string(r.Kind)
		if r.Kind == run.Kept {
			status = "stopped"
		}
		out = append(out, logJSON{r.Job, max(r.Attempt, 1), status, r.Output})
	}
	return out
}

// chosen returns the outputs of one attempt, or of the last of each job; only of the given steps, if
// there are any.
func (o logOptions) chosen(all []logJSON, only []run.Step) []logJSON {
	var out []logJSON
	for i, l := range all {
		again := slices.ContainsFunc(all[i+1:], func(later logJSON) bool { return later.Job == l.Job })
		if o.attempt == l.Attempt || o.attempt == 0 && !again {
			if len(only) == 0 || slices.ContainsFunc(only, func(s run.Step) bool { return s.Name == l.Job }) {
				out = append(out, l)
			}
		}
	}
	return out
}

func printLog(c *console.Console, l logJSON) {
	name := c.Style.Bold(console.OneLine(l.Job))
	for _, of := range []struct {
		text string
		cut  int
	}{{l.Output.Stdout, l.Output.StdoutCut}, {l.Output.Stderr, l.Output.StderrCut}} {
		if of.cut > 0 {
			c.Printf("%s | %s\n", name, c.Style.Dim(fmt.Sprintf("(%d bytes before this are not kept)", of.cut)))
		}
		for line := range strings.Lines(of.text) {
			c.Printf("%s | %s\n", name, outputLine(strings.TrimRight(line, "\r\n")))
		}
	}
	c.Printf("%s | %s\n", name, c.Style.Dim(endOf(*l.Output)))
}
