package proposals

import (
	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Commands are those of the heading, in the order of the help.
func Commands(c *console.Console) []*cobra.Command {
	return []*cobra.Command{
		newPropose(c), newUpdate(c), newFill(c), newRebase(c), newComment(c), newWithdraw(c), newReopen(c), newUndo(c),
		newAdopt(c), newStatus(c), newShow(c), newWhy(c), newReview(c), newMerge(c), newDiff(c), newPush(c), newPull(c),
	}
}
