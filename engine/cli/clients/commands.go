package clients

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Notify sends the new notices of the workspace that a console opened last.
type Notify func(context.Context, *console.Console)

// Commands returns the commands of the heading, in the order of the help.
func Commands(c *console.Console, notify Notify) []*cobra.Command {
	return []*cobra.Command{newConnect(c), newDisconnect(c), newSync(c), newTrust(c), newMCP(c, notify), newHook(c)}
}
