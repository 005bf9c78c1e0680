package inforce

import (
	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Commands are those of the heading, in the order of the help.
func Commands(c *console.Console) []*cobra.Command {
	return []*cobra.Command{
		newList(c), newFind(c), newLink(c), newInspect(c), newCat(c), newRunTool(c), newStop(c), newHealth(c), newMission(c), newTrial(c), newStats(c), newLog(c), newAudit(c),
		newSoul(c),
	}
}
