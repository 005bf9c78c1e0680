package clients

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Tell tells the people who are waited for in the workspace that a console opened last.
type Tell func(context.Context, *console.Console)

// Commands are those of the heading, in the order of the help.
func Commands(c *console.Console, tell Tell) []*cobra.Command {
	return []*cobra.Command{newConnect(c), newDisconnect(c), newSync(c), newMCP(c, tell), newHook(c)}
}
