package judging

import (
	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

func newPolicy(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "The policies: their facts, their scenarios, what a change of them would change",
		Long: `Policy answers questions about the files in policies/, which say who must agree to
what. They change by proposal: assent propose.`,
	}
	cmd.AddCommand(newPolicyFacts(c), newPolicyTest(c), newPolicySimulate(c))
	return cmd
}
