package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/format/schema"
	"github.com/assent-dev/assent/engine/workspace"
)

// What the shell offers while somebody types. Whatever goes wrong, nothing is
// offered: a completion must not print.

// completer lists what an argument or flag can be, with a description after a tab.
type completer func(cmd *cobra.Command) []string

// first completes the first argument and none after it.
func first(list completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return list(cmd), cobra.ShellCompDirectiveNoFileComp
	}
}

// then completes the first argument with one list, the second with another.
func then(list, second completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return second(cmd), cobra.ShellCompDirectiveNoFileComp
		}
		return first(list)(cmd, args, typed)
	}
}

// completions says of every command what its arguments and flags can be.
func (c *console) completions(root *cobra.Command) {
	arguments := map[string]cobra.CompletionFunc{
		"status": first(c.anyProposal), "show": first(c.anyProposal), "diff": first(c.anyProposal),
		"review": then(c.openProposals, fixed(review.Decisions())), "merge": first(c.openProposals),
		"update": first(c.openProposals), "rebase": first(c.openProposals), "withdraw": first(c.openProposals),
		"comment": first(c.anyProposal), "reopen": first(both(c.closedProposals, c.openProposals)), "undo": first(c.mergedProposals),
		"why": first(both(c.openProposals, c.names)), "log": first(both(c.anyProposal, c.names)),
		"test": first(both(c.names, c.openProposals)), "inspect": first(c.names), "cat": first(c.names), "health": first(c.names), "export": first(c.names), "schema": first(fixed(schema.Kinds())),
	}
	flags := map[string]completer{
		"agent": c.agents, "group": c.groups, "kind": fixed(capability.Kinds()), "status": fixed(capability.Statuses()),
	}
	for _, cmd := range root.Commands() {
		if f, ok := arguments[cmd.Name()]; ok && cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = f
		}
		for name, list := range flags {
			if cmd.Flags().Lookup(name) != nil {
				c.completeFlag(cmd, name, list)
			}
		}
	}
}

// completeFlag completes the value of a flag that cmd has.
func (c *console) completeFlag(cmd *cobra.Command, flag string, list completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, offer(list)) // fails only where one is registered
}

// offer completes with one list, whatever came before.
func offer(list completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(cmd), cobra.ShellCompDirectiveNoFileComp
	}
}

// fixed offers the same words always.
func fixed[T ~string](list []T) completer {
	return func(*cobra.Command) []string {
		var out []string
		for _, w := range list {
			out = append(out, string(w))
		}
		return out
	}
}

// both offers two lists.
func both(a, b completer) completer {
	return func(cmd *cobra.Command) []string { return append(a(cmd), b(cmd)...) }
}

// openProposals and the like offer ids of proposals in one state.
func (c *console) openProposals(cmd *cobra.Command) []string { return c.proposals(cmd, forge.Open) }

func (c *console) closedProposals(cmd *cobra.Command) []string { return c.proposals(cmd, forge.Closed) }

func (c *console) mergedProposals(cmd *cobra.Command) []string { return c.proposals(cmd, forge.Merged) }

func (c *console) anyProposal(cmd *cobra.Command) []string { return c.proposals(cmd, "") }

func (c *console) proposals(cmd *cobra.Command, state forge.State) []string {
	w, err := c.open()
	if err != nil {
		return nil
	}
	pulls, _ := w.Record.List(cmd.Context(), forge.Filter{State: state}) // damaged ones are left out
	var out []string
	for _, p := range pulls {
		out = append(out, p.ID+"\t"+oneLine(p.Title))
	}
	return out
}

// names offers the capabilities in force.
func (c *console) names(cmd *cobra.Command) []string {
	var out []string
	for _, f := range c.folders(cmd) {
		out = append(out, f.Name+"\t"+f.Path)
	}
	return out
}

func (c *console) groups(cmd *cobra.Command) []string {
	var out []string
	for _, f := range c.folders(cmd) {
		if f.Group != "" && !slices.Contains(out, f.Group) {
			out = append(out, f.Group)
		}
	}
	return out
}

func (c *console) folders(cmd *cobra.Command) []capability.Folder {
	cur, err := c.current(cmd.Context())
	if err != nil {
		return nil
	}
	folders, err := cur.Capabilities.Folders()
	if err != nil {
		return nil
	}
	return folders
}

// agents offers the agents that the workspace knows.
func (c *console) agents(cmd *cobra.Command) []string {
	cur, err := c.current(cmd.Context())
	if err != nil {
		return nil
	}
	out, err := agentsIn(cur)
	if err != nil {
		return nil
	}
	return out
}

// agentsIn lists the agents of a workspace: those with a soul, and those that
// roles.yaml names; sorted.
func agentsIn(cur workspace.Session) ([]string, error) {
	var out []string
	for _, id := range cur.Policies.Roles.All() {
		if id.Kind == "agent" {
			out = append(out, id.Name)
		}
	}
	entries, err := cur.View.List(string(names.SoulArea))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the souls: %w", err)
	}
	for _, e := range entries {
		if name := strings.TrimPrefix(e.Path, "soul/"); e.Mode == tree.Dir && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// words joins names for a help text or a message.
func words[T ~string](list []T) string {
	var out []string
	for _, w := range list {
		out = append(out, string(w))
	}
	return strings.Join(out, ", ")
}

// unknown says that nothing has this name.
func unknown(what, name, where string) error {
	return fmt.Errorf("no %s is called %q %s", what, name, where)
}
