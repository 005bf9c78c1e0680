package transfer

import (
	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Commands are those of the heading, in the order of the help.
func Commands(c *console.Console) []*cobra.Command {
	return []*cobra.Command{
		newImport(c), newExport(c), newUpstream(c), newContribute(c),
	}
}
