package runs

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Refresh updates copies outside the workspace that a console opened last.
type Refresh func(context.Context, *console.Console)

// Commands returns the commands of the heading, in the order of the help. The daemon calls refresh
// after each pass.
func Commands(c *console.Console, refresh Refresh) []*cobra.Command {
	return []*cobra.Command{
		newReconcile(c), newServe(c, refresh), newGap(c), newRuns(c), newRun(c), newTask(c), newGC(c), newMaintenance(c),
		newMigrate(c), newNotify(c),
	}
}
