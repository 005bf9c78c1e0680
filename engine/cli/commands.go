package cli

import (
	"github.com/assent-dev/assent/engine/cli/begin"
	"github.com/assent-dev/assent/engine/cli/clients"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/inforce"
	"github.com/assent-dev/assent/engine/cli/judging"
	"github.com/assent-dev/assent/engine/cli/proposals"
	"github.com/assent-dev/assent/engine/cli/runs"
	"github.com/assent-dev/assent/engine/cli/transfer"
	"github.com/assent-dev/assent/engine/cli/you"
)

// commands lists every command under the heading that the help text shows.
func commands(c *console.Console) []group {
	return []group{
		{"begin", "To begin with:", begin.Commands(c)},
		{"life", "The life of a proposal:", proposals.Commands(c)},
		{"judge", "Judging content:", judging.Commands(c)},
		{"force", "What is in force, and why:", inforce.Commands(c, runs.NewMissionRun(c, clients.ForMission))},
		{"clients", "Agent clients:", clients.Commands(c, runs.NotifyWaiting)},
		{"others", "Bringing skills in and handing them out:", transfer.Commands(c)},
		{"engine", "What runs by itself:", runs.Commands(c, clients.OverHTTP)},
		{"you", "You and your tools:", you.Commands(c)},
	}
}
