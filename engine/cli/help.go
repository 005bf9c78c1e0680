package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// firstDay are the commands of a first day, by task. `assent help all` shows every command.
var firstDay = []struct {
	task     string
	commands []string
}{
	{"See it work", []string{"demo"}},
	{"Begin", []string{"init", "clone"}},
	{"Write and propose", []string{"new", "check", "propose"}},
	{"Decide", []string{"status", "review", "merge"}},
	{"Use what is in force", []string{"find"}},
}

// setHelp gives the program two helps: the first day without arguments, and all with `help all`.
func setHelp(root *cobra.Command) {
	full := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			writeFirstDay(cmd.OutOrStdout(), root)
			return
		}
		full(cmd, args)
	})
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND...]",
		Short: "Help about a command; help all lists every command",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			at, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, sub := range at.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			if len(args) == 0 {
				names = append(names, "all\tEvery command")
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "all" {
				root.InitDefaultHelpFlag()
				root.InitDefaultVersionFlag()
				full(root, nil)
				return nil
			}
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return console.Usage("there is no command %q; assent help all lists them", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	})
	root.InitDefaultHelpCmd()
}

func writeFirstDay(out io.Writer, root *cobra.Command) {
	var b strings.Builder
	b.WriteString(root.Long + "\n")
	for _, t := range firstDay {
		fmt.Fprintf(&b, "\n%s:\n", t.task)
		for _, name := range t.commands {
			if cmd, _, err := root.Find([]string{name}); err == nil {
				fmt.Fprintf(&b, "  assent %-8s  %s\n", name, cmd.Short)
			}
		}
	}
	b.WriteString("\nassent COMMAND --help   how to use a command\nassent help all         every command, by task\n\nFlags:\n" + root.LocalFlags().FlagUsages())
	_, _ = io.WriteString(out, b.String())
}
