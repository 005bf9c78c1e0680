package clients

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/mcpserver"
	"github.com/assent-dev/assent/engine/agents/mission"
	"github.com/assent-dev/assent/engine/agents/respond"
	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/machine"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

type mcpOptions struct{ agent, session string }

func newMCP(c *console.Console, notify Notify) *cobra.Command {
	var o mcpOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an agent client over the Model Context Protocol, on standard input and output",
		Long: `Mcp is started by an agent client such as Claude Code or Codex. It offers six tools: find
and load what is in force, call a tool in the sandbox, propose a change, see the status,
and report a gap; and the skills in force as resources. Each answer is by what is in force
at that moment: what is merged meanwhile can be used without a restart.

What a client does counts as --agent. Its calls have the caps of one session, the client's
process, whatever number of servers it starts. No tool approves or merges, and no key of a
person signs here.`,
		Example: `  assent mcp --agent scout
  assent -C ~/agents mcp --agent scout`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runMCP(cmd.Context(), c, o, notify) },
	}
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().StringVar(&o.session, "session", c.World.Getenv("ASSENT_SESSION"), "count calls to this session, a `NAME` (default $ASSENT_SESSION, else the client's process)")
	return cmd
}

func runMCP(ctx context.Context, c *console.Console, o mcpOptions, notify Notify) error {
	if c.World.Interactive {
		return &console.Failure{Code: console.ExitUsage, Err: errNoClient, Hint: "name it in the client's settings: command assent, arguments mcp --agent NAME"}
	}
	if err := console.CheckSession(o.session); err != nil {
		return err
	}
	if o.session == "" {
		o.session = clientSession(o.agent)
	}
	c.World.Unattended = nil // no person's key signs for a client, even if their settings allow it
	log := console.Logger(c)
	warm := &tool.Warm{}
	defer warm.Close()
	a := &toolset.Agent{Name: o.agent, Session: o.session, Program: programOf(c, notify, warm)}
	hooks := respond.Responder{Agent: a, Workspace: c.Dir}
	return mcpserver.Serve(ctx, mcpserver.Settings{Agent: a, Hooks: hooks.Answer, Log: log}, c.World.In, c.Raw())
}

// ForMission connects the agent that does a mission.
func ForMission(c *console.Console, name, id string) *toolset.Agent {
	one := *c
	one.World.Getenv = func(variable string) string {
		if variable == "ASSENT_MISSION" {
			return id
		}
		return c.World.Getenv(variable)
	}
	one.World.Unattended = nil // as in assent mcp
	return &toolset.Agent{Name: name, Session: id, Program: programOf(&one, func(context.Context, *console.Console) {}, nil)}
}

// programOf opens the workspace for each operation, each with a console of its own: several run
// concurrently. warm keeps the servers of its client running; nil ends each with its call.
func programOf(c *console.Console, notify Notify, warm *tool.Warm) toolset.Program {
	read := new(workspace.PolicyCache)
	fresh := func(ctx context.Context) *console.Console {
		one := console.New(c.World)
		one.Dir, one.Log, one.PolicyCache = c.Dir, console.Logger(c), read
		context.AfterFunc(ctx, one.Close)
		return one
	}
	unrecorded := func(err error) {
		c.Complain("%s a use is in no trial: %s", c.Style.Warn("warning:"), console.OneLine(err.Error()))
	}
	model, id := c.World.Getenv("ASSENT_MODEL"), c.World.Getenv("ASSENT_MISSION")
	return toolset.Program{
		Model: model, Mission: id, Lacked: mission.Reported,
		Open: func(ctx context.Context) (workspace.Session, error) { return console.Served(fresh(ctx).Current(ctx)) },
		Join: func(ctx context.Context) (workspace.Session, error) { return console.Served(fresh(ctx).Joined(ctx)) },
		Look: func(ctx context.Context) (workspace.Session, error) { return console.Served(fresh(ctx).Looked(ctx)) },
		Engine: func(cur workspace.Session, agent, session string) (*tool.Engine, error) {
			return machine.Engine(cur, machine.Caller{
				Agent: agent, Session: session, Model: model, Mission: id, Getenv: c.World.Getenv, Unrecorded: unrecorded, Warm: warm,
			})
		},
		Record: func(ctx context.Context, cur workspace.Session, uses ...trial.Observation) {
			if _, err := workspace.TrialsOf(cur).Record(ctx, uses...); err != nil {
				unrecorded(err)
			}
		},
		Called: func(ctx context.Context, cur workspace.Session, agent string, res tool.Result, turned []tool.Turned) {
			called(ctx, fresh(ctx), cur, agent, res, turned)
		},
		Changed: func(ctx context.Context, cur workspace.Session) {
			one := fresh(ctx)
			one.Opened = cur.Workspace
			notify(ctx, one)
		},
		Explain: explain,
	}
}

// called keeps a failed call, and opens the proposals about capabilities that calls put into
// quarantine.
func called(ctx context.Context, c *console.Console, cur workspace.Session, agent string, res tool.Result, turned []tool.Turned) {
	ctx = context.WithoutCancel(ctx)
	if _, err := machine.Keep(ctx, cur, res); err != nil {
		c.Complain("the failure could not be kept: %v", err)
	}
	opened, err := quarantine.FollowOwed(ctx, cur, quarantine.Keeper{Store: workspace.HealthOf(cur), Agent: agent}, cur.Now(), c.Joined)
	if len(turned) > 0 && err != nil { // earlier failures were reported then
		c.Complain("no proposal about the quarantine: %v", err)
	}
	for _, id := range opened {
		c.Progress("opened %s about the quarantine", id)
	}
}

// explain gives an error of the environment the sentence and the hint that every command gives it.
func explain(err error) (what, next string) {
	f := console.Classify(err)
	if f.Err == nil {
		return err.Error(), ""
	}
	lines := []string{console.Sentence(f)}
	for _, d := range f.Diags {
		lines = append(lines, d.String())
	}
	if f.Hint != "" {
		next = "tell the person: " + f.Hint
	}
	return strings.Join(lines, "\n"), next
}
