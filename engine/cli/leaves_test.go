package cli

import (
	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Leaves are the words of every command that runs something.
func Leaves() (out []string) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Runnable() {
			out = append(out, cmd.CommandPath()[len("assent "):])
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	for _, g := range commands(&console.Console{World: console.World{Getenv: func(string) string { return "" }}}) {
		for _, cmd := range g.commands {
			root := &cobra.Command{Use: "assent"}
			root.AddCommand(cmd)
			walk(cmd)
		}
	}
	return out
}
