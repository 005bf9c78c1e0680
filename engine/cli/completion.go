package cli

import (
	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/format/schema"
)

// setCompletions sets the completions of every command's arguments and flags.
func setCompletions(c *console.Console, root *cobra.Command) {
	arguments := map[string]cobra.CompletionFunc{
		"status": complete.First(complete.AnyProposal(c)), "show": complete.First(complete.AnyProposal(c)), "diff": complete.First(complete.AnyProposal(c)),
		"review": complete.Then(complete.OpenProposals(c), complete.Fixed(review.Decisions())), "merge": complete.First(complete.OpenProposals(c)),
		"update": complete.First(complete.OpenProposals(c)), "rebase": complete.First(complete.OpenProposals(c)), "withdraw": complete.First(complete.OpenProposals(c)),
		"comment": complete.First(complete.AnyProposal(c)), "reopen": complete.First(complete.Both(complete.ClosedProposals(c), complete.OpenProposals(c))), "undo": complete.First(complete.MergedProposals(c)),
		"why": complete.First(complete.Both(complete.OpenProposals(c), complete.Names(c))), "log": complete.First(complete.Both(complete.AnyProposal(c), complete.Names(c))),
		"test": complete.First(complete.Both(complete.Names(c), complete.OpenProposals(c))), "inspect": complete.First(complete.Names(c)), "cat": complete.First(complete.Names(c)), "health": complete.First(complete.Names(c)), "export": complete.First(complete.Names(c)), "schema": complete.First(complete.Fixed(schema.Kinds())),
	}
	flags := map[string]complete.Completer{
		"agent": complete.Agents(c), "group": complete.Groups(c), "kind": complete.Fixed(capability.Kinds()), "status": complete.Fixed(capability.Statuses()),
	}
	for _, cmd := range root.Commands() {
		if f, ok := arguments[cmd.Name()]; ok && cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = f
		}
		for name, list := range flags {
			if cmd.Flags().Lookup(name) != nil {
				complete.Flag(cmd, name, list)
			}
		}
	}
}
