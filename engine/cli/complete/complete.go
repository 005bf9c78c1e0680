package complete

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/review"
)

// Completer lists the possible values of an argument or flag, with a description after a tab.
type Completer func(cmd *cobra.Command) []string

// First completes only the first argument.
func First(list Completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return list(cmd), cobra.ShellCompDirectiveNoFileComp
	}
}

// Then completes the first argument with one list, the second with another.
func Then(list, second Completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return second(cmd), cobra.ShellCompDirectiveNoFileComp
		}
		return First(list)(cmd, args, typed)
	}
}

// Flag completes the value of a flag that cmd has.
func Flag(cmd *cobra.Command, flag string, list Completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, offer(list)) // fails only where one is registered
}

// offer completes with one list, independent of earlier arguments.
func offer(list Completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(cmd), cobra.ShellCompDirectiveNoFileComp
	}
}

// Reviewed completes open proposals, and after the first one the decisions, too.
func Reviewed(c *console.Console) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		out := OpenProposals(c)(cmd)
		if len(args) > 0 {
			out = append(Fixed(review.Decisions())(cmd), out...)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// Fixed always offers the same words.
func Fixed[T ~string](list []T) Completer {
	return func(*cobra.Command) []string {
		var out []string
		for _, w := range list {
			out = append(out, string(w))
		}
		return out
	}
}

// Both offers two lists.
func Both(a, b Completer) Completer {
	return func(cmd *cobra.Command) []string { return append(a(cmd), b(cmd)...) }
}

// OpenProposals offers the open proposals.
func OpenProposals(c *console.Console) Completer { return proposalIDs(c, forge.Open) }

// ClosedProposals offers those that were withdrawn or rejected.
func ClosedProposals(c *console.Console) Completer { return proposalIDs(c, forge.Closed) }

// MergedProposals offers those that were merged.
func MergedProposals(c *console.Console) Completer { return proposalIDs(c, forge.Merged) }

// AnyProposal offers all proposals.
func AnyProposal(c *console.Console) Completer { return proposalIDs(c, "") }

func proposalIDs(c *console.Console, state forge.State) Completer {
	return func(cmd *cobra.Command) []string {
		w, err := c.Open()
		if err != nil {
			return nil
		}
		pulls, _ := w.Record.List(cmd.Context(), forge.Filter{State: state}) // damaged ones are left out
		var out []string
		for _, p := range pulls {
			out = append(out, p.ID+"\t"+console.OneLine(p.Title))
		}
		return out
	}
}

// Names offers the capabilities in force.
func Names(c *console.Console) Completer {
	return func(cmd *cobra.Command) []string {
		var out []string
		for _, f := range folders(cmd, c) {
			out = append(out, f.Name+"\t"+f.Path)
		}
		return out
	}
}

// Groups offers the groups of the capabilities in force.
func Groups(c *console.Console) Completer {
	return func(cmd *cobra.Command) []string {
		var out []string
		for _, f := range folders(cmd, c) {
			if f.Group != "" && !slices.Contains(out, f.Group) {
				out = append(out, f.Group)
			}
		}
		return out
	}
}

func folders(cmd *cobra.Command, c *console.Console) []capability.Folder {
	cur, err := c.Current(cmd.Context())
	if err != nil {
		return nil
	}
	folders, err := cur.Capabilities.Folders()
	if err != nil {
		return nil
	}
	return folders
}

// Agents offers the agents that the workspace knows.
func Agents(c *console.Console) Completer {
	return func(cmd *cobra.Command) []string {
		cur, err := c.Current(cmd.Context())
		if err != nil {
			return nil
		}
		out, err := console.AgentsIn(cur)
		if err != nil {
			return nil
		}
		return out
	}
}
