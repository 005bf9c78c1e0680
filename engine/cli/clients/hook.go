package clients

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

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

It never keeps a client from working: whatever goes wrong, the exit code is 0.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := runHook(cmd.Context(), c, o); err != nil {
				c.Complain("assent hook: %s", console.OneLine(err.Error()))
			}
			return nil
		},
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
	var out []byte
	switch file := e.Writes(); {
	case e.Name == hook.SessionStart:
		out, err = e.Tell(o.welcome(ctx, c))
	case file != "":
		out, err = o.beforeWrite(e, file)
	}
	if err != nil || out == nil {
		return err
	}
	_, err = c.Raw().Write(append(out, '\n'))
	return err
}

// patience bounds how long a session waits for its start, such as for a service that does not answer.
const patience = 5 * time.Second

// welcome is the text for the start of a session. A workspace that cannot be read is part of it.
func (o hookOptions) welcome(ctx context.Context, c *console.Console) string {
	at := *c
	at.Dir = o.workspace
	a := &toolset.Agent{Name: o.agent, Program: toolset.Program{Look: at.Looked}}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	soul, news, err := a.Welcome(ctx)
	if err != nil {
		what, next := explain(err)
		news = []string{"Tell the person that the workspace cannot be read: " + what, next}
	}
	return hook.Start(o.agent, soul, news)
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
	dir, err := keys.Home()
	if err != nil {
		return nil, err
	}
	targets, err := skillsync.Targets(home.At(dir))
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		skill, kept, err := t.Keeps(home.At(dir), file)
		if err != nil {
			return nil, err
		}
		if kept {
			return e.Deny(fmt.Sprintf("%s is a copy of the skill %s in force, and assent sync replaces it. Propose the change instead: the tool propose of the server assent, with goal and files.", file, skill))
		}
	}
	if in, err := o.governed(file); err != nil || !in {
		return nil, err
	}
	return e.Tell(file + " is governed by assent: the edit has no effect until it is proposed, approved and merged. Propose it with the tool propose of the server assent.")
}

// governed reports whether a file belongs to what only a merge brings into force.
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
