package runs

import (
	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Commands are those of the heading, in the order of the help.
func Commands(c *console.Console) []*cobra.Command {
	return []*cobra.Command{
		newReconcile(c), newServe(c), newGap(c), newRuns(c), newRun(c), newTask(c), newGC(c), newMaintenance(c),
		newMigrate(c), newNotify(c),
	}
}
