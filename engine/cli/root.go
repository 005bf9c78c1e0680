package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/cli/clients"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/runs"
)

// Run executes one command line and returns the exit code.
func Run(ctx context.Context, args []string, world console.World) int {
	c := console.New(world)
	defer c.Close()
	root := newRoot(c)
	root.SetArgs(args)
	root.SetIn(world.In)
	root.SetOut(c.World.Out)
	root.SetErr(c.World.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if ctx.Err() == nil {
		runs.NotifyAfter(ctx, c, cmd)
		clients.SyncAfter(ctx, c, cmd)
	}
	switch {
	case err != nil && ctx.Err() != nil && !errors.Is(err, console.ErrInterrupted):
		err = ctx.Err()
	case console.Unwritten(c) != nil && (err == nil || console.Classify(err).Err == nil):
		err = fmt.Errorf("write the answer: %w", console.Unwritten(c))
	}
	if err == nil {
		return console.ExitOK
	}
	code := console.Show(c, err)
	if clients.AnswersClient(cmd) {
		return console.ExitOK
	}
	return code
}

func newRoot(c *console.Console) *cobra.Command {
	root := &cobra.Command{
		Use:   "assent",
		Short: "AI agents extend themselves, under control, in ordinary Git",
		Long: `assent keeps what AI agents can do, who they are and what may change in a Git
repository. An agent's proposal becomes a branch and a pull request; it is
validated, approved by the right people with a signature, merged, and only then in
force. History is the audit log.`,
		Version:                    version.Engine,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		SilenceErrors:              true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmd.ValidateFlagGroups(); err != nil { // cobra asks later, and not as a wrong use
				return cmd.FlagErrorFunc()(cmd, err)
			}
			return moveTo(c)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				near := "assent help all lists the commands"
				if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
					near = "did you mean " + strings.Join(s, " or ") + "?"
				}
				return console.Usage("unknown command %q; %s", args[0], near)
			}
			return cmd.Help()
		},
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true}, // so that an unknown command is reported
	}
	root.PersistentFlags().StringVarP(&c.Dir, "directory", "C", ".", "run as if started in `DIR`")
	root.PersistentFlags().BoolVar(&c.JSON, "json", false, "answer in JSON, errors too")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &console.Failure{Code: console.ExitUsage, Err: err, Hint: cmd.CommandPath() + " --help"}
	})
	for _, g := range commands(c) {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.id
			usageOf(cmd)
			root.AddCommand(cmd)
		}
	}
	setCompletions(c, root)
	setHelp(root)
	return root
}

// moveTo enters the folder of -C, so that all paths of the command line are from there.
func moveTo(c *console.Console) error {
	if c.World.Chdir == nil || c.Dir == "." {
		return nil
	}
	if err := c.World.Chdir(c.Dir); err != nil {
		return console.Usage("-C %s: %v", c.Dir, err)
	}
	c.Dir = "."
	return nil
}

// group is a heading of the help text.
type group struct {
	id, title string
	commands  []*cobra.Command
}

// usageOf makes wrong arguments of a command and those below it a usage error.
func usageOf(cmd *cobra.Command) {
	if cmd.HasSubCommands() && !cmd.Runnable() { // the library answers any word with the help and exit code 0
		cmd.Args, cmd.RunE, cmd.SuggestionsMinimumDistance = cobra.ArbitraryArgs, withoutVerb, 2
	}
	inner := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if inner == nil {
			return nil
		}
		if err := inner(cmd, args); err != nil {
			return &console.Failure{Code: console.ExitUsage, Err: wrongArguments(inner, cmd, args, err), Hint: cmd.UseLine()}
		}
		return nil
	}
	for _, sub := range cmd.Commands() {
		usageOf(sub)
	}
}

// withoutVerb answers a command that needs one of those below it.
func withoutVerb(cmd *cobra.Command, args []string) error {
	var verbs []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			verbs = append(verbs, sub.Name())
		}
	}
	out := &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%s needs a verb: %s", cmd.CommandPath(), strings.Join(verbs, ", ")), Hint: cmd.CommandPath() + " --help"}
	if len(args) > 0 {
		out.Err = fmt.Errorf("%q is no verb of %s: %s", args[0], cmd.CommandPath(), strings.Join(verbs, ", "))
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			out.Hint = "did you mean " + cmd.CommandPath() + " " + strings.Join(near, " or ") + "?"
		}
	}
	return out
}

// wrongArguments says which argument is one too many, or that one is missing, where the
// library counts them.
func wrongArguments(fit cobra.PositionalArgs, cmd *cobra.Command, args []string, err error) error {
	if !strings.Contains(err.Error(), "arg(s)") {
		return err
	}
	for n := len(args) - 1; n >= 0; n-- {
		if fit(cmd, args[:n]) == nil {
			return fmt.Errorf("%q is one argument too many", args[n])
		}
	}
	return errors.New("an argument is missing")
}
