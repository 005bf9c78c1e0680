package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// showOptions are the flags of showing a run.
type showOptions struct {
	name, graph string
	watch       bool
}

func newRunShow(c *console.Console) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show ID | ID/JOB",
		Short: "Show a run as a tree of its jobs, or the output of one job's script",
		Long: `Show draws a run by the version of the workflow that it follows: the state of each
job, when it began, how long it took, its attempt, why it failed or was skipped, and the
last lines of its script. A job that had begun when its run ended is cancelled. --json
has the same under steps.

With ID/JOB it prints all output that was kept: the last 16 KiB of standard output and
of standard error, without secrets; of a script that runs in this clone, its output so
far.

With --watch it ends with 1 if the run failed or was cancelled.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runRunShow(cmd.Context(), c, o)
		},
	}
	cmd.Flags().BoolVarP(&o.watch, "watch", "w", false, "show every change until the run ends")
	cmd.Flags().StringVar(&o.graph, "graph", "", "draw the jobs as a graph instead, in `FORM`: terminal, mermaid or dot")
	complete.Flag(cmd, "graph", complete.Fixed(graphForms()))
	return cmd
}

// lookAgain is how often a run that is watched is looked at.
const lookAgain = time.Second

// looksThere is the number of looks between two requests to the service or remote.
const looksThere = 15

func runRunShow(ctx context.Context, c *console.Console, o showOptions) error {
	if o.graph != "" && (!slices.Contains(graphForms(), o.graph) || c.JSON) {
		return console.Usage("--graph is one of %s, and not for --json", strings.Join(graphForms(), ", "))
	}
	cur, defs, id, job, err := namedRun(ctx, c, o.name)
	if err != nil {
		return err
	}
	if job != "" {
		return showOutput(c, cur, defs, id, job)
	}
	shown := 0
	return eachChange(ctx, c, cur, id, o.watch, func(s run.State) error {
		flow, found := defs.Recorded(s)
		if c.JSON && o.watch && s.Outcome == "" {
			return nil
		}
		v, err := fullView(ctx, cur, defs.Again(), s)
		steps := defs.Steps(s)
		over, overErr := reconcile.PassedOver(cur, s)
		void, voidErr := overridden(cur, s)
		v.Overridden, v.PassedOver, v.Elsewhere = void, over[s.ID], output.MergesElsewhere(ctx, c, cur, s)
		switch err := errors.Join(err, overErr, voidErr); {
		case err != nil:
			return err
		case c.JSON:
			return c.Emit(showJSON{workJSON: v, Path: flow.Path, Defined: found, Steps: steps, Spent: s.Spent(cur.Now())})
		}
		text := strings.Join(runTree(c, flow, found, v, steps, cur.Now()), "\n") + "\n"
		if o.graph != "" {
			text = graph(c, o.graph, steps)
		}
		if shown > 0 && c.Terminal() {
			c.Printf("\x1b[%dA\x1b[J", shown)
		}
		c.Printf("%s", text)
		shown = strings.Count(text, "\n")
		return nil
	})
}

// namedRun opens the workspace to show ID or ID/JOB.
func namedRun(ctx context.Context, c *console.Console, name string) (cur workspace.Session, defs *task.Definitions, id, job string, err error) {
	if cur, err = c.Consulted(ctx); err != nil {
		return cur, nil, "", "", err
	}
	if defs, err = task.DefinitionsOf(cur); err != nil {
		return cur, nil, "", "", err
	}
	id, job, one := strings.Cut(bare(name), "/")
	if one && job == "" {
		return cur, nil, "", "", console.Usage("%q names no job: write RUN/JOB", console.OneLine(name))
	}
	id, err = cur.Runs.Resolve(id, false)
	return cur, defs, id, job, ofTask(err, "")
}

// eachChange calls show with a run, and if follow is set again after each change until it ends. The
// end of a run that was followed and did not complete is exit code 1.
func eachChange(ctx context.Context, c *console.Console, cur workspace.Session, id string, follow bool, show func(run.State) error) error {
	seen := ""
	for look := 1; ; look++ {
		s, err := task.ReadLive(cur.Workspace, id)
		if err != nil {
			return ofTask(err, id)
		}
		live := 0
		for _, j := range s.Jobs {
			if j.Status == run.Running && j.Output != nil {
				live += len(j.Output.Stdout) + len(j.Output.Stderr)
			}
		}
		if now := fmt.Sprint(s.Records, live, stalled(cur, s)); now != seen {
			if err := show(s); err != nil {
				return err
			}
			seen = now
		}
		if !follow {
			return nil
		}
		if s.Outcome != "" {
			return endedBadly(s)
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

// endedBadly is exit code 1 for a run that ended and did not complete.
func endedBadly(s run.State) error {
	if s.Outcome == "" || s.Outcome == run.Completed {
		return nil
	}
	return console.Quiet(console.ExitFindings)
}

// showJSON is the JSON of one run. Steps are its jobs in order; Defined is false if the version
// that it follows cannot be read here.
type showJSON struct {
	workJSON
	Path    string     `json:"path"`
	Defined bool       `json:"defined"`
	Steps   []run.Step `json:"steps"`
	// Spent is what the commands of agents used for it.
	Spent *run.Spent `json:"spent,omitempty"`
}

// overridden returns the decisions about a run that people took here and that do not count.
func overridden(cur workspace.Session, s run.State) (void []output.OverriddenDecision, err error) {
	decisions, err := runlog.AsideDecisions(cur.Repo, s.ID)
	for _, r := range decisions {
		if l := output.OverriddenDecisionOf(s, r); l != nil {
			void = append(void, *l)
		}
	}
	return void, err
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
