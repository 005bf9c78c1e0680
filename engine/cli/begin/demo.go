package begin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/demo"
)

type demoOptions struct {
	dir, skill, poison string
}

func newDemo(c *console.Console) *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See the whole life of a proposal, in a minute",
		Long: `Demo plays the main job in a fresh folder: a skill that is approved and merged, an
edit of a SOUL.md, a poisoned skill and a protected section that are refused, a
commit that goes past the gate, an undo, and the history of it all.

It runs this program and git, shows every command line with its exit code, needs no
network and no account, and touches nothing outside its folder, which it keeps. What
it prints is a shell script that plays the same again in another folder.`,
		Example: `  assent demo
  assent demo --skill ./my-skill --poison ./suspicious.md
  assent demo --dir /tmp/tour`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), c, o) },
	}
	cmd.Flags().StringVar(&o.dir, "dir", "", "play in `DIR`, new or empty (default a new temporary folder)")
	cmd.Flags().StringVar(&o.skill, "skill", "", "let the agent propose the skill in the folder `DIR`")
	cmd.Flags().StringVar(&o.poison, "poison", "", "let the agent propose `FILE` (text, a program, a draft, or a skill) where something bad is refused")
	return cmd
}

// demoJSON is demo's JSON.
type demoJSON struct {
	Dir    string        `json:"dir"`
	Passed bool          `json:"passed"`
	Steps  []demo.Result `json:"steps"`
}

func runDemo(ctx context.Context, c *console.Console, o demoOptions) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program itself: %w", err)
	}
	d, err := demo.Start(demo.Options{
		Dir: within(c, o.dir), Skill: within(c, o.skill), Poison: within(c, o.poison), Program: program, Env: os.Environ(),
	})
	var bad *demo.BadInput
	if errors.As(err, &bad) {
		return &console.Failure{Code: console.ExitUsage, Err: err, Hint: bad.Hint}
	}
	if err != nil {
		return err
	}
	var audience demo.Audience = silent{}
	if !c.JSON {
		audience = &stalls{Console: c}
		c.Printf("%s\n", c.Style.Dim("# assent demo. Everything happens in "+console.Clean(d.Dir())+", which is kept."))
	}
	results, err := d.Play(ctx, audience)
	if c.JSON {
		if failed := c.Emit(demoJSON{Dir: d.Dir(), Passed: err == nil, Steps: results}); err == nil {
			err = failed
		}
	} else if err == nil {
		printFarewell(c, d.Dir())
	}
	if err != nil {
		return &console.Failure{Code: console.ExitWorld, Err: fmt.Errorf("the demo stopped: %w", err), Hint: "everything is kept as it was then, in " + d.Dir()}
	}
	return nil
}

// within makes a path that is relative to -C relative to here.
func within(c *console.Console, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Dir, path)
}

// silent is the audience of a machine, which gets the results at the end.
type silent struct{}

func (silent) Scene(string, string) {}

func (silent) Note(string) {}

func (silent) Command(string) {}

func (silent) Result(demo.Result) {}

// stalls is the audience of a person: a shell script with everything but the
// commands in comments.
type stalls struct {
	*console.Console
	scenes int
	last   string // the output that was shown last
}

func (a *stalls) Scene(title, why string) {
	head := fmt.Sprintf("# %d. %s ", a.scenes, title)
	a.scenes++
	a.Printf("\n%s\n", a.Style.Bold(head+strings.Repeat("-", max(3, a.World.Width()-len(head)))))
	a.Note(why)
}

func (a *stalls) Note(text string) {
	for _, l := range demo.Comment(text, a.World.Width()) {
		a.Printf("%s\n", l)
	}
}

// Command shows a line to type. A here document is shown unstyled: styles would change its spaces.
func (a *stalls) Command(line string) {
	body := false
	for l := range strings.SplitSeq(console.Clean(line), "\n") {
		if body {
			a.Printf("%s\n", l)
			continue
		}
		a.Printf("%s\n", a.Style.Good(l))
		body = strings.Contains(l, " <<'")
	}
}

// maxShown is how many lines of an output are shown.
const maxShown = 30

func (a *stalls) Result(r demo.Result) {
	if n := strings.Count(r.Stdout, "\n"); n > 1 && r.Stdout == a.last {
		a.Printf("%s\n", a.Style.Dim(fmt.Sprintf("#> ... the same %d lines as above", n)))
	} else {
		a.output(r.Stdout)
	}
	a.output(r.Stderr)
	a.last = r.Stdout
	what := fmt.Sprintf("exit code %d", r.Exit)
	switch {
	case !slices.Contains(r.Expected, r.Exit):
		what = a.Style.Bad(what + ", which it should not be")
	case r.Exit != console.ExitOK:
		what = a.Style.Warn(what + ", as it should be")
	default:
		what = a.Style.Dim(what)
	}
	a.Printf("%s\n", a.Style.Dim("#=")+" "+what)
}

func (a *stalls) output(text string) {
	if text == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		if i == maxShown && len(lines) > maxShown+3 {
			a.Printf("%s\n", a.Style.Dim(fmt.Sprintf("#> ... %d more lines, left out here", len(lines)-i)))
			break
		}
		a.Printf("%s\n", strings.TrimRight(a.Style.Dim("#>")+" "+console.Clean(l), " "))
	}
}

// printFarewell sums up the demo and names the next steps.
func printFarewell(c *console.Console, dir string) {
	a := &stalls{Console: c}
	a.Printf("\n%s\n", c.Style.Bold("# What you saw"))
	a.Note("Nothing came into force without a proposal, a validation and a signed approval, and each refusal named its rule, file and line. It was ordinary Git all along: look around in " +
		filepath.Join(dir, "agents") + ".")
	a.Printf("%s\n", c.Style.Bold("# What next"))
	for _, l := range []string{
		"assent init my-agents --agent scout    a workspace of your own",
		"assent propose ./my-skill --agent scout    your first proposal",
		"assent demo --skill DIR --poison FILE    this demo with your own files",
	} {
		a.Printf("#   %s\n", l)
	}
}
