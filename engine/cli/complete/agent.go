package complete

import (
	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// AgentFlag adds --agent, which defaults to ASSENT_AGENT.
func AgentFlag(cmd *cobra.Command, c *console.Console, agent *string) {
	cmd.Flags().StringVar(agent, "agent", c.World.Getenv("ASSENT_AGENT"), "act as this `AGENT` (default $ASSENT_AGENT)")
	Flag(cmd, "agent", Agents(c))
}
