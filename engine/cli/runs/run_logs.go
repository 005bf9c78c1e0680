package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace"
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
has its output until then, and one that runs in this clone the whole lines that it has
written so far.

With --follow it prints further lines as scripts write them, until the run ends, and itself
ends with 1 if the run failed or was cancelled. The output of a script that another clone
runs comes with its result. With --json it prints, at the end, what ended.`,
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

// logJSON is the output of one attempt of a script. Status is lost if it ended without a result,
// stopped if its run ended first, and running if it has not ended.
type logJSON struct {
	Job     string      `json:"job"`
	Attempt int         `json:"attempt"`
	Status  string      `json:"status"`
	Output  *run.Output `json:"output"`
	note    string
}

func runRunLogs(ctx context.Context, c *console.Console, o logOptions) error {
	if o.attempt < 0 {
		return console.Usage("--attempt %d: write the number of an attempt, from 1", o.attempt)
	}
	cur, defs, id, job, err := namedRun(ctx, c, o.name)
	if err != nil {
		return err
	}
	shown, found := map[string]*shownLog{}, []logJSON{}
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
			return ofTask(err, id)
		}
		all := o.logs(cur, s, records)
		chosen := o.chosen(all, steps)
		for _, l := range all {
			at := shown[l.key()]
			if at == nil && slices.Contains(chosen, l) {
				at = &shownLog{}
				shown[l.key()] = at
			}
			if at == nil || at.ended {
				continue
			}
			if !c.JSON {
				at.print(c, l)
			}
			if at.ended = l.Status != string(run.Running); l.Output != nil && (at.ended || !o.follow) {
				found = append(found, l)
			}
		}
		if job != "" && len(found) == 0 && !o.follow {
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

// logs returns the outputs of all attempts in the order of their ends, then the output so far of scripts of this
// clone. With --follow it includes scripts without output.
func (o logOptions) logs(cur workspace.Session, s run.State, records []run.Record) []logJSON {
	out := []logJSON{}
	for _, r := range records {
		l := logJSON{Job: r.Job, Attempt: max(r.Attempt, 1), Status: string(r.Kind), Output: r.Output}
		switch {
		case r.Output == nil && r.Kind == run.Lost && o.follow:
			l.note = r.Reason
		case r.Output == nil:
			continue
		case r.Kind == run.Kept:
			l.Status = "stopped"
		}
		out = append(out, l)
	}
	for _, name := range sorted(s.Jobs) {
		j := s.Jobs[name]
		kept := j.Output != nil && j.Output.Ended != ""
		if j.Status != run.Running || kept || j.Output == nil && (!o.follow || s.Outcome != "") {
			continue
		}
		l := logJSON{Job: name, Attempt: j.Attempt, Status: string(j.Status), Output: j.Output, note: task.Stalled(cur.Workspace, j)}
		if l.note == "" && j.Output == nil {
			l.note = "runs in another clone: its output comes with its result"
		}
		out = append(out, l)
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

// key distinguishes attempts.
func (l logJSON) key() string { return fmt.Sprint(l.Job, "/", l.Attempt) }

// shownLog is what was printed of the output of an attempt: bytes of standard output and of standard error.
type shownLog struct {
	bytes [2]int
	note  string
	ended bool
}

// print prints what of an output was not printed.
func (p *shownLog) print(c *console.Console, l logJSON) {
	line := func(text string) { c.Printf("%s | %s\n", c.Style.Bold(console.OneLine(l.Job)), text) }
	if l.Output != nil {
		for i, of := range []struct {
			text string
			cut  int
		}{{l.Output.Stdout, l.Output.StdoutCut}, {l.Output.Stderr, l.Output.StderrCut}} {
			if missing := of.cut - p.bytes[i]; missing > 0 {
				line(c.Style.Dim(fmt.Sprintf("(%d bytes before this are not kept)", missing)))
				p.bytes[i] = of.cut
			}
			rest := of.text[min(p.bytes[i]-of.cut, len(of.text)):]
			for text := range strings.Lines(rest) {
				line(outputLine(strings.TrimRight(text, "\r\n")))
			}
			p.bytes[i] += len(rest)
		}
		if l.Output.Ended != "" {
			line(c.Style.Dim(endOf(*l.Output)))
		}
	}
	if l.note != "" && l.note != p.note {
		line(c.Style.Dim("(" + console.OneLine(l.note) + ")"))
		p.note = l.note
	}
}
