package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

// Console is one run of the program: its surroundings and the flags that every
// command has.
type Console struct {
	World World
	Dir   string // -C
	JSON  bool   // --json
	Style Style
	// Local keeps what a command records about a run in this clone.
	Local bool
	// Workers is the number of scripts of workflows that run side by side; 0 is chosen.
	Workers int
	// Opened is the workspace that the command works on.
	Opened *workspace.Workspace
	// Project is the top of the project whose configuration named Opened; "" if it was found in Dir.
	Project string
	// attesting is the key that signs records of merges, running the one that signs results of
	// scripts.
	attesting, running *attestingKey
	// proposing are the keys of agents that signed proposals, nil for an agent without one.
	proposing map[string]*keys.Signer
	// Unasked is why the service was not asked, by a read-only command.
	Unasked string
	// PolicyCache keeps policies that earlier operations of the program read; may be nil.
	PolicyCache *workspace.PolicyCache
	// Log takes messages beside the answer, for commands that run without end.
	Log *slog.Logger
}

// New begins a run of the program. From here on both outputs make control sequences visible, even
// if a program reads them: it may show them, or pass them to a model. Only Raw and Overwrite
// bypass that.
func New(world World) *Console {
	world.Out, world.Err = &answer{to: world.Out}, Filtered(world.Err)
	return &Console{World: world, attesting: &attestingKey{}, running: &attestingKey{}, proposing: map[string]*keys.Signer{}}
}

// Unwritten returns the first error of standard output: a truncated answer is no success.
func Unwritten(c *Console) error {
	if out, ok := c.World.Out.(*answer); ok {
		return out.failed
	}
	return nil
}

// answer is standard output behind the screen filter. It keeps the first error, so that printing
// code need not check for one.
type answer struct {
	to     io.Writer
	failed error
}

// Write shows p and keeps the first error.
func (a *answer) Write(p []byte) (int, error) {
	n, err := screen{a.to}.Write(p)
	if err != nil && a.failed == nil {
		a.failed = err
	}
	return n, err
}

// Printf writes to standard output.
func (c *Console) Printf(format string, args ...any) { fmt.Fprintf(c.World.Out, format, args...) }

// Progress reports progress to a person on standard error, but not to machines.
func (c *Console) Progress(format string, args ...any) {
	switch {
	case c.Log != nil:
		log(c, slog.LevelInfo, format, args)
	case !c.JSON:
		fmt.Fprintf(c.World.Err, "%s\n", c.Style.Dim(inset(fmt.Sprintf(format, args...))))
	}
}

// Complain reports a problem beside the answer to a person on standard error; machines find it in
// the answer.
func (c *Console) Complain(format string, args ...any) {
	switch {
	case c.Log != nil:
		log(c, slog.LevelWarn, format, args)
	case !c.JSON:
		fmt.Fprintf(c.World.Err, format+"\n", args...)
	}
}

// Overwrite shows how far something is on the present line of standard error.
func (c *Console) Overwrite(format string, args ...any) {
	fmt.Fprintf(unfiltered(c.World.Err), "\r%s", Clean(fmt.Sprintf(format, args...)))
}

// Emit writes v as JSON on standard output.
func (c *Console) Emit(v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	if err == nil {
		_, err = c.World.Out.Write(text.Bytes()) // escaped, it means the same
	}
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// Style is the look of the output; colours vanish when it is piped.
type Style struct{}

// Bad marks failures and refusals.
func (Style) Bad(s string) string {
	return lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red).Render(s)
}

// Warn marks warnings.
func (Style) Warn(s string) string {
	return lipgloss.NewStyle().Foreground(lipgloss.Yellow).Render(s)
}

// Good marks success.
func (Style) Good(s string) string { return lipgloss.NewStyle().Foreground(lipgloss.Green).Render(s) }

// Bold marks a name or a heading.
func (Style) Bold(s string) string { return lipgloss.NewStyle().Bold(true).Render(s) }

// Dim renders line by line: as one block, each line is filled up to the longest one.
func (Style) Dim(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = lipgloss.NewStyle().Faint(true).Render(l)
	}
	return strings.Join(lines, "\n")
}

// Diagnostics shows findings, one line each, with the fix below.
func (c *Console) Diagnostics(w io.Writer, ds diag.List) {
	for _, d := range ds {
		place := OneLine(d.Pos.String())
		if place != "" {
			place = c.Style.Bold(place) + ": "
		}
		fmt.Fprintf(w, "  %s%s: %s %s\n", place, c.Style.severity(d.Severity), OneLine(d.Message), c.Style.Dim("["+d.Rule+"]"))
		if d.Evidence != "" {
			fmt.Fprintf(w, "      %s\n", c.Style.Dim("| "+OneLine(d.Evidence)))
		}
		if d.Fix != "" {
			fmt.Fprintf(w, "      %s\n", c.Style.Dim("fix: "+OneLine(d.Fix)))
		}
	}
}

// severity is the word of a severity in its colour.
func (p Style) severity(s diag.Severity) string {
	switch s {
	case diag.Error:
		return p.Bad("error")
	case diag.Warning:
		return p.Warn("warning")
	}
	return p.Dim("note")
}

// State is the state of a proposal in its colour.
func (p Style) State(s string) string {
	switch s {
	case "merged", "approved":
		return p.Good(s)
	case "refused", "rejected", "conflicted":
		return p.Bad(s)
	case "waiting", "changes_requested", "expired":
		return p.Warn(s)
	}
	return s
}
