package runs

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// localFlag adds the flag that keeps what a command records in this clone.
func localFlag(cmd *cobra.Command, c *console.Console) {
	cmd.Flags().BoolVar(&c.Local, "local", false, "record it in this clone only, and ask no remote")
}

// joined is Joined for a command that records a step of a run.
func joined(ctx context.Context, c *console.Console, dryRun bool) (workspace.Session, error) {
	cur, err := c.Joined(ctx)
	return withRemote(ctx, c, cur, err, dryRun)
}

// withRemote takes in what a remote without a service has, and has it take each step of a run first. If it cannot be
// reached, the command goes on here, and says so.
func withRemote(ctx context.Context, c *console.Console, cur workspace.Session, err error, dryRun bool) (workspace.Session, error) {
	if err != nil || dryRun {
		return cur, err
	}
	w, err := onHub(ctx, c, cur.Workspace)
	if err != nil || w == cur.Workspace {
		return cur, err
	}
	return w.Session(ctx)
}

// onHub returns a workspace whose steps the remote takes first, or own if no remote takes them. It prints each reason once.
func onHub(ctx context.Context, c *console.Console, own *workspace.Workspace) (*workspace.Workspace, error) {
	if c.Local || own.Forge.Traits().Remote != "" || !console.HasRemote(own) {
		return own, nil
	}
	w, err := exchange.First(ctx, own, console.DefaultRemote)
	switch {
	case ctx.Err() != nil:
		return own, err
	case err != nil:
		if why := console.Sentence(console.Classify(console.ExchangeFailed(err))); why != c.Unasked {
			c.Unasked = why
			c.Complain("%s %s", c.Style.Warn("this stays in this clone, because "+console.DefaultRemote+" cannot take it:"), console.OneLine(why))
		}
		return own, nil
	}
	c.Unasked = ""
	return w, nil
}

// shared reports whether a remote without a service has what the command recorded.
func shared(cur workspace.Session) bool {
	return runlog.IsAgreed(cur.Runs) && !cur.Forge.Traits().Agreed
}

// placed adds which clones see what the command recorded.
func (v workJSON) placed(c *console.Console, cur workspace.Session) workJSON {
	v.Shared, v.Unasked = shared(cur), c.Unasked
	return v
}

// printWhere says which clones see what the command recorded.
func printWhere(c *console.Console, cur workspace.Session, dryRun bool) {
	switch {
	case dryRun || cur.Forge.Traits().Agreed:
	case shared(cur):
		c.Field("published", "on "+console.DefaultRemote+" as well")
	case console.HasRemote(cur.Workspace):
		c.Field("next", "assent push: other clones see it only then, and a conflicting earlier push overrides it")
	}
}
