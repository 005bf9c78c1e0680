package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// agentFlag adds --agent, which defaults to ASSENT_AGENT.
func (c *console) agentFlag(cmd *cobra.Command, agent *string) {
	cmd.Flags().StringVar(agent, "agent", c.world.Getenv("ASSENT_AGENT"), "act as this `AGENT` (default $ASSENT_AGENT)")
	c.completeFlag(cmd, "agent", c.agents)
}

// who is who acts on a proposal: the agent that is named, else whoever Git knows.
func (c *console) who(cur workspace.Session, agent string) forge.Actor {
	if agent == "" {
		return c.acting(cur)
	}
	by, _, err := propose.Who(cur, agent)
	if err != nil {
		return forge.Actor{Name: agent}
	}
	return by
}

// proposer begins a request by who makes it.
func (c *console) proposer(cur workspace.Session, agent string, dryRun bool) (propose.Request, error) {
	r := propose.Request{DryRun: dryRun}
	var err error
	r.By, r.Author, err = propose.Who(cur, agent)
	var unknown *propose.Unknown
	if errors.As(err, &unknown) {
		return r, &failure{code: exitUsage, err: err, hint: unknownHint(cur, *unknown)}
	}
	return r, err
}

// unknownHint says how somebody becomes known.
func unknownHint(cur workspace.Session, u propose.Unknown) string {
	if u.Agent != "" {
		return "assent whoami tells who you are to this workspace"
	}
	var ways []string
	me := whoamiJSON{}
	if me.byKey(cur, "") == nil && me.ByKey != "" {
		ways = append(ways, "your key stands for "+me.ByKey)
		if id, _ := cur.Policies.Roles.ByName(me.ByKey); len(id.Emails) > 0 {
			ways = append(ways, "to propose as "+me.ByKey+": git config user.email "+id.Emails[0])
		}
	}
	if u.Email != "" {
		ways = append(ways, "to have "+u.Email+" listed: assent roles add --self")
	}
	return strings.Join(ways, "; ")
}
