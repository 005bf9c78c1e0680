package inforce

import (
	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Commands are those of the heading, in the order of the help.
func Commands(c *console.Console, runMission *cobra.Command) []*cobra.Command {
	return []*cobra.Command{
		newList(c), newFind(c), newLink(c), newInspect(c), newCat(c), newRunTool(c), newStop(c), newHealth(c), newMission(c, runMission), newTrial(c), newStats(c), newGraph(c), newLog(c), newAudit(c),
		newSoul(c),
	}
}
