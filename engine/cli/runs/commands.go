package runs

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/workspace"
)

// Clients serves agents' clients over HTTP, each by its token in a file. notify is called after each
// change.
type Clients func(c *console.Console, cur workspace.Session, file string, notify func(context.Context, *console.Console)) (http.Handler, error)

// Commands returns the commands of the heading, in the order of the help.
func Commands(c *console.Console, clients Clients) []*cobra.Command {
	return []*cobra.Command{
		newReconcile(c), newServe(c, clients), newGap(c), newHear(c), newPlan(c), newCritic(c), newRuns(c), newRun(c), newTask(c), newWork(c), newGC(c), newMaintenance(c),
		newMigrate(c), newNotify(c),
	}
}
