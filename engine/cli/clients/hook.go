package clients

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/hook"
	"github.com/assent-dev/assent/engine/agents/respond"
	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
)

type hookOptions struct{ workspace, agent string }

const answersClient = "answers a client"

// AnswersClient reports whether a command is a client's hook, whose exit code is 0 even after an
// error. A client takes exit code 2, which is also that of wrong usage, as a refusal.
func AnswersClient(cmd *cobra.Command) bool {
	return cmd != nil && cmd.Annotations[answersClient] != ""
}

func newHook(c *console.Console) *cobra.Command {
	var o hookOptions
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Answer an event of an agent client: identity, what fits a prompt, files that are not to be edited",
		Long: `Hook is started by Claude Code, Codex and Gemini CLI, for which assent connect sets it up.
It reads one event on standard input.

At the start of a session the answer is the agent's SOUL.md in force and what waits for it.
A prompt is answered with the capabilities in force that fit it. Before a tool writes a file
that assent sync keeps, the answer refuses that; before one writes a governed file of the
workspace, it says that the edit has no effect until it is proposed. A command that runs
code around a tool in force is answered with the tool's name. After a tool has read a skill
that assent sync keeps, a trial is recorded. The end of a turn in which the agent
lacked something is answered with what serves it. Other events have no answer.

It never keeps a client from working: whatever goes wrong is said on standard error, and
the exit code is 0.`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{answersClient: "true"},
		RunE:        func(cmd *cobra.Command, _ []string) error { return runHook(cmd.Context(), c, o) },
	}
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().StringVar(&o.workspace, "workspace", ".", "the workspace is in `DIR`")
	return cmd
}

func runHook(ctx context.Context, c *console.Console, o hookOptions) error {
	in := console.Open(ctx, c, "-")
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, hook.MaxEvent+1))
	if err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	e, err := hook.Parse(data)
	if err != nil {
		return err
	}
	at := *c
	at.Dir = o.workspace
	a := &toolset.Agent{Name: o.agent, Program: programOf(&at, nil, nil)}
	out, err := respond.Responder{Agent: a, Workspace: o.workspace}.Answer(ctx, e)
	if out != nil {
		_, wrong := c.Raw().Write(append(out, '\n'))
		err = errors.Join(err, wrong)
	}
	return err
}
