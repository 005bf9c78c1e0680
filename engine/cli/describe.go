package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Description is one command as its help shows it.
type Description struct {
	// Path is the command with those above it: "assent soul edit".
	Path string
	// Use is the command line's form.
	Use string
	// Short is a one-line description.
	Short string
	// Flags are the names that may be given, with their dashes; inherited ones too.
	Flags []string
}

// Commands describes every command that the program has, in the order of its
// help, so that documents can be held against them.
func Commands() []Description {
	var all []Description
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Hidden {
			return
		}
		d := Description{Path: cmd.CommandPath(), Use: cmd.UseLine(), Short: cmd.Short, Flags: []string{"-h", "--help"}}
		note := func(f *pflag.Flag) {
			d.Flags = append(d.Flags, "--"+f.Name)
			if f.Shorthand != "" {
				d.Flags = append(d.Flags, "-"+f.Shorthand)
			}
		}
		cmd.LocalFlags().VisitAll(note)
		cmd.InheritedFlags().VisitAll(note)
		if cmd.Version != "" {
			d.Flags = append(d.Flags, "--version")
		}
		all = append(all, d)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	nowhere := console.World{Getenv: func(string) string { return "" }}
	walk(newRoot(&console.Console{World: nowhere}))
	return all
}
