package inforce

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/machine"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

type runToolOptions struct {
	input, agent, session, context string
	model, mission                 string
	timeout                        time.Duration
	dryRun, methods                bool
}

func newRunTool(c *console.Console) *cobra.Command {
	var o runToolOptions
	cmd := &cobra.Command{
		Use:   "run-tool NAME",
		Short: "Call a capability that is in force, by name, in the sandbox",
		Long: `Run-tool calls a tool, or a method of a server, as it is in force: with an input that
fits its schema, inside of the sandbox, within what the session may still use up. It
prints the answer; with --json it says {success, result or error, error_type, ms}.

A specification runs as the implementation that did best here, and where --context says
what the call is for, as the best one for that; --json says which and why. What calls come
to is counted by these tags. Each call that ran is a trial: assent stats adds them up.

A session is what caps are counted by: --session, $ASSENT_SESSION, or your own of today.
Secrets come from $ASSENT_SECRET_<NAME> or the file secrets/<NAME> in your assent folder.`,
		Example: `  assent run-tool parse_csv --input '{"text": "a,b\n1,2\n"}'
  assent run-tool parse-csv --input @payload.json --json
  assent run-tool parse-csv --input @payload.json --context eu,quoted-fields
  assent run-tool files__read_file --input '{"path": "notes.txt"}' --agent scout`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runRunTool(cmd.Context(), c, o, args[0]) },
	}
	cmd.Flags().StringVar(&o.input, "input", "", "the input: a JSON object, `@FILE`, or - for standard input")
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().StringVar(&o.session, "session", c.World.Getenv("ASSENT_SESSION"), "count it to this session, a `NAME` (default $ASSENT_SESSION)")
	cmd.Flags().StringVar(&o.context, "context", c.World.Getenv("ASSENT_CONTEXT"), "what it is for, as `TAGS` with commas between (default $ASSENT_CONTEXT)")
	cmd.Flags().StringVar(&o.model, "model", c.World.Getenv("ASSENT_MODEL"), "the `MODEL` that calls (default $ASSENT_MODEL)")
	cmd.Flags().StringVar(&o.mission, "mission", c.World.Getenv("ASSENT_MISSION"), "the `MISSION` that it is for (default $ASSENT_MISSION)")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "give it less `TIME` than its record does, such as 5s")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would run and with what, but start nothing")
	cmd.Flags().BoolVar(&o.methods, "methods", false, "list the methods of a server; one without methods.yaml is started for that")
	return cmd
}

func runRunTool(ctx context.Context, c *console.Console, o runToolOptions, name string) error {
	if o.timeout < 0 {
		return console.Usage("--timeout %s: a time above nothing", o.timeout)
	}
	if o.methods && o.input != "" {
		return console.Usage("--methods takes no --input: it calls no method")
	}
	if err := console.CheckSession(o.session); err != nil {
		return err
	}
	for flag, word := range map[string]string{"model": o.model, "mission": o.mission} {
		if !trial.IsWord(word) {
			return console.Usage("--%s %q: letters, digits and . _ : / @ + -, 128 at most", flag, word)
		}
	}
	tags, err := contextTags(o.context)
	if err != nil {
		return err
	}
	input, err := console.ReadInput(ctx, c, o.input)
	if err != nil {
		return err
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	if o.agent != "" && !propose.Known(cur, o.agent) {
		unknown := propose.Unknown{Agent: o.agent, Agents: propose.Agents(cur)}
		return &console.Failure{Code: console.ExitUsage, Err: &unknown, Hint: console.UnknownHint(cur, unknown)}
	}
	engine, err := machine.Engine(cur, machine.Caller{
		Agent: o.agent, Session: o.session, Model: o.model, Mission: o.mission, Getenv: c.World.Getenv,
		Unrecorded: func(err error) {
			c.Complain("%s this call is in no trial: %s", c.Style.Warn("warning:"), console.OneLine(err.Error()))
		},
	})
	if err != nil {
		return err
	}
	engine.Context = tags
	call := tool.Call{Name: name, Input: input, Timeout: o.timeout}
	switch {
	case o.methods && !o.dryRun:
		return showMethods(ctx, c, engine, call)
	case o.dryRun:
		look := engine.Plan
		if o.methods {
			look = engine.PlanMethods
		}
		plan, err := look(call)
		if err != nil {
			return err
		}
		return printPlan(c, plan)
	}
	var turned []tool.Turned
	engine.Turned = func(t tool.Turned) { turned = append(turned, t) }
	res, err := engine.Do(ctx, call)
	tell := follow(ctx, c, cur, cur.Now(), o.agent, turned) // before anything is written: a closed pipe ends the process
	if err == nil {
		err = printAnswer(c, keepFailure(ctx, c, cur, res))
	}
	tell()
	return err
}

// maxContext is how many tags a call can be for.
const maxContext = 16

// contextTags reads the value of --context: tags, each once, sorted.
func contextTags(given string) ([]string, error) {
	var out []string
	for tag := range strings.SplitSeq(given, ",") {
		switch tag = strings.TrimSpace(tag); {
		case tag == "":
		case !capability.IsTag(tag):
			return nil, console.Usage("--context: %q is no tag: a lower-case word such as eu or quoted-fields, of 64 characters at most", tag)
		default:
			out = append(out, tag)
		}
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) > maxContext {
		return nil, console.Usage("--context: %d tags, and a call can be for %d", len(out), maxContext)
	}
	return out, nil
}

// keepFailure keeps a call that ran and gave no result. That it could not be kept changes
// nothing about the call.
func keepFailure(ctx context.Context, c *console.Console, cur workspace.Session, res tool.Result) tool.Result {
	id, err := machine.Keep(ctx, cur, res)
	switch {
	case err != nil:
		c.Progress("the failure could not be kept: %v", err)
	case id != "":
		res.Failure = id
		c.Progress("if it should have answered: assent test add %s --from %s --succeeds makes a test of it; with --expect JSON instead it says what the answer has to be", names.ShellWord(res.Tool), names.ShellWord(id))
	}
	return res
}
