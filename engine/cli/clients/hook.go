package clients

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/hook"
	"github.com/assent-dev/assent/engine/agents/skillsync"
	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
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
		Short: "Answer an event of an agent client: identity at the start, and files that are not to be edited",
		Long: `Hook is started by Claude Code, for which assent connect sets it up. It reads one event on
standard input.

At the start of a session the answer is the agent's SOUL.md in force and what waits for it.
Before a tool writes a file that assent sync keeps, the answer refuses that; before one
writes a governed file of the workspace, it says that the edit has no effect until it is
proposed. Other events have no answer.

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
	data, err := io.ReadAll(io.LimitReader(c.World.In, hook.MaxEvent+1))
	if err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	e, err := hook.Parse(data)
	if err != nil {
		return err
	}
	out, err := o.answer(ctx, c, e)
	if out != nil {
		_, wrong := c.Raw().Write(append(out, '\n'))
		err = errors.Join(err, wrong)
	}
	return err
}

// answer may return an answer beside an error: the part that succeeded.
func (o hookOptions) answer(ctx context.Context, c *console.Console, e hook.Event) ([]byte, error) {
	switch file := e.Writes(); {
	case e.Name == hook.SessionStart:
		return o.welcome(ctx, c, e)
	case file != "":
		return within(ctx, patience, func(context.Context) ([]byte, error) { return o.beforeWrite(e, file) })
	}
	return nil, nil
}

// welcome answers the start of a session. A workspace that cannot be read is part of the answer, and
// an error.
func (o hookOptions) welcome(ctx context.Context, c *console.Console, e hook.Event) ([]byte, error) {
	at := *c
	at.Dir = o.workspace
	a := &toolset.Agent{Name: o.agent, Program: toolset.Program{Look: at.Looked}}
	type greeting struct {
		soul string
		news []string
	}
	g, unread := within(ctx, patience, func(ctx context.Context) (g greeting, err error) {
		g.soul, g.news, err = a.Welcome(ctx)
		return g, err
	})
	if unread != nil {
		what, next := explain(unread)
		g = greeting{news: []string{"Tell the person that the workspace cannot be read: " + what, next}}
	}
	out, err := e.Tell(hook.Start(o.agent, g.soul, g.news))
	return out, errors.Join(unread, err)
}

// beforeWrite answers for a file that a tool is about to write.
func (o hookOptions) beforeWrite(e hook.Event, file string) ([]byte, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(e.Dir, file)
	}
	file = filepath.Clean(file)
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(dir, filepath.Base(file))
	}
	skill, damage := keeper(file)
	if skill != "" {
		out, err := e.Deny(fmt.Sprintf("%s is a copy of the skill %s in force, and assent sync replaces it. Propose the change instead: the tool propose of the server assent, with goal and files.", file, skill))
		return out, errors.Join(damage, err)
	}
	if in, err := o.governed(file); err != nil || !in {
		return nil, errors.Join(damage, err)
	}
	out, err := e.Tell(file + " is governed by assent: the edit has no effect until it is proposed, approved and merged. Propose it with the tool propose of the server assent.")
	return out, errors.Join(damage, err)
}

// keeper returns the synced skill whose folder contains a file, "" if none does. A folder whose
// manifest is damaged hides no other one.
func keeper(file string) (skill string, damage error) {
	dir, err := keys.Home()
	if err != nil {
		return "", err
	}
	targets, err := skillsync.Targets(home.At(dir))
	for _, t := range targets {
		skill, kept, wrong := t.Keeps(home.At(dir), file)
		if err = errors.Join(err, wrong); kept {
			return skill, err
		}
	}
	return "", err
}

// governed reports whether only a merge can bring a change of a file into force.
func (o hookOptions) governed(file string) (bool, error) {
	top, err := filepath.Abs(o.workspace)
	if err == nil {
		top, err = filepath.EvalSymlinks(top)
	}
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find the workspace: %w", err)
	}
	rel, err := filepath.Rel(top, file)
	return err == nil && filepath.IsLocal(rel) && names.Governed(filepath.ToSlash(rel)), nil
}
