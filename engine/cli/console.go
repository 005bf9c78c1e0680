package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/flows/connect"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
)

// console is one run of the program: its surroundings and the flags that every
// command has.
type console struct {
	world World
	dir   string // -C
	json  bool   // --json
	style palette
	// opened is the workspace that the command works on.
	opened *workspace.Workspace
	// attesting is the key that signs what is recorded of merges.
	attesting *attestingKey
	// proposing are the keys of agents that signed proposals, nil for an agent without one.
	proposing map[string]*keys.Signer
	// unasked is why the service was not asked, by a command that only looks.
	unasked string
	// log takes what is said beside an answer, where the command has no end.
	log *slog.Logger
}

// open finds the workspace of -C or the current folder, and talks to nobody.
func (c *console) open() (*workspace.Workspace, error) {
	w, err := workspace.Open(c.dir, workspace.Surroundings{
		Now: c.world.Now, Random: c.world.Random, Say: c.progress,
		Attester: c.attester, Proposer: c.proposalKey, Second: c.secondOpinion, Prove: c.proveHere,
		Sandbox: func(ctx context.Context) (sandbox.Runner, error) { return sandbox.New(ctx) },
		Secret:  func(name string) (string, bool, error) { return keys.Secret(name, c.world.Getenv) },
	})
	if err != nil {
		return nil, err
	}
	c.opened = w
	if _, err := connect.Offline(w, c.world.Getenv); err != nil {
		return nil, err
	}
	return w, nil
}

// join is open for commands that change what others share: on a service, it logs in
// and takes notice of what others did.
func (c *console) join(ctx context.Context) (*workspace.Workspace, error) {
	w, err := c.open()
	if err != nil {
		return nil, err
	}
	_, err = connect.Online(ctx, w, c.world.Getenv)
	return w, err
}

// reach is open for commands that exchange with the remote by Git alone.
func (c *console) reach(ctx context.Context) (*workspace.Workspace, error) {
	w, err := c.open()
	if err != nil {
		return nil, err
	}
	s, err := connect.ServiceOf(w.Repo)
	if err != nil {
		return nil, err
	}
	return w, connect.Admit(ctx, w.Repo, s, c.world.Getenv)
}

// watch is join for commands that only look: when the service cannot be asked, they
// show what is known here, and say so.
func (c *console) watch(ctx context.Context) (*workspace.Workspace, error) {
	w, err := c.open()
	if err != nil {
		return nil, err
	}
	if _, err := connect.Online(ctx, w, c.world.Getenv); err != nil {
		c.offline(err)
	}
	return w, nil
}

// offline says why an answer holds what is known here and nothing of the service's, and
// what to do about it.
func (c *console) offline(err error) {
	f := classify(err)
	c.unasked = sentence(f)
	c.complain("%s", c.style.warn("this is what is known here; the service was not asked: "+c.unasked))
	if f.hint != "" {
		c.complain("%s %s", c.style.dim("hint:"), oneLine(f.hint))
	}
}

// printf writes to standard output.
func (c *console) printf(format string, args ...any) { fmt.Fprintf(c.world.Out, format, args...) }

// progress tells a person on standard error what goes on; machines are not told.
func (c *console) progress(format string, args ...any) {
	switch {
	case c.log != nil:
		c.logged(slog.LevelInfo, format, args)
	case !c.json:
		fmt.Fprintf(c.world.Err, "%s\n", c.style.dim(inset(fmt.Sprintf(format, args...))))
	}
}

// complain tells a person on standard error what is wrong beside the answer;
// machines find it in the answer.
func (c *console) complain(format string, args ...any) {
	switch {
	case c.log != nil:
		c.logged(slog.LevelWarn, format, args)
	case !c.json:
		fmt.Fprintf(c.world.Err, format+"\n", args...)
	}
}

// emit writes v as JSON on standard output.
func (c *console) emit(v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	if err == nil {
		_, err = io.WriteString(c.world.Out, clean(text.String())) // it means the same, and no screen obeys it
	}
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// palette is the look of the output; colours vanish when it is piped.
type palette struct{}

func (palette) bad(s string) string {
	return lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red).Render(s)
}
func (palette) warn(s string) string {
	return lipgloss.NewStyle().Foreground(lipgloss.Yellow).Render(s)
}
func (palette) good(s string) string { return lipgloss.NewStyle().Foreground(lipgloss.Green).Render(s) }
func (palette) bold(s string) string { return lipgloss.NewStyle().Bold(true).Render(s) }

// dim renders line by line: as one block, each line is filled up to the longest one.
func (palette) dim(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = lipgloss.NewStyle().Faint(true).Render(l)
	}
	return strings.Join(lines, "\n")
}

// diagnostics shows findings, one line each, with what to do below.
func (c *console) diagnostics(w io.Writer, ds diag.List) {
	for _, d := range ds {
		place := oneLine(d.Pos.String())
		if place != "" {
			place = c.style.bold(place) + ": "
		}
		fmt.Fprintf(w, "  %s%s: %s %s\n", place, c.severity(d.Severity), oneLine(d.Message), c.style.dim("["+d.Rule+"]"))
		if d.Evidence != "" {
			fmt.Fprintf(w, "      %s\n", c.style.dim("| "+oneLine(d.Evidence)))
		}
		if d.Fix != "" {
			fmt.Fprintf(w, "      %s\n", c.style.dim("fix: "+oneLine(d.Fix)))
		}
	}
}

func (c *console) severity(s diag.Severity) string {
	switch s {
	case diag.Error:
		return c.style.bad("error")
	case diag.Warning:
		return c.style.warn("warning")
	}
	return c.style.dim("note")
}

// acting is who runs the command, for records of the forge.
func (c *console) acting(cur workspace.Session) forge.Actor {
	name, email := cur.Repo.User()
	if id, ok := cur.Policies.Roles.ByEmail(email); ok {
		return forge.Actor{Name: id.Name, Email: email}
	}
	if agent := c.world.Getenv("ASSENT_AGENT"); agent != "" {
		return forge.Actor{Name: agent}
	}
	if email == "" && name == "" {
		return forge.Actor{Name: "unknown"}
	}
	return forge.Actor{Login: "", Name: strings.Join(strings.Fields(name), " "), Email: email}
}
