package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

func newDoctor(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong with this workspace or machine",
		Long: `Doctor looks at the git program, the repository, what is in force, policies, keys,
locks and settings, and says for each what is wrong and what to do. It changes
nothing. The exit code is 1 when something fails; a warning is no failure.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), c) },
	}
}

// health is the outcome of one check.
type health string

const (
	healthy health = "ok"
	warns   health = "warn"
	fails   health = "fail"
)

// checkJSON is one thing that doctor looked at.
type checkJSON struct {
	Check   string `json:"check"`
	Status  health `json:"status"`
	Message string `json:"message"`
	// Fix says what to do; empty when there is nothing.
	Fix string `json:"fix"`
}

// examination collects what doctor finds.
type examination struct{ found []checkJSON }

func (e *examination) ok(check, format string, args ...any) {
	e.found = append(e.found, checkJSON{check, healthy, fmt.Sprintf(format, args...), ""})
}

func (e *examination) warn(check, fix, format string, args ...any) {
	e.found = append(e.found, checkJSON{check, warns, fmt.Sprintf(format, args...), fix})
}

func (e *examination) fail(check, fix, format string, args ...any) {
	e.found = append(e.found, checkJSON{check, fails, fmt.Sprintf(format, args...), fix})
}

// broke records a check that could not be made.
func (e *examination) broke(check string, err error) {
	e.fail(check, classify(err).hint, "%v", err)
}

func runDoctor(ctx context.Context, c *console) error {
	var e examination
	c.machine(ctx, &e)
	w, err := c.open()
	if err != nil {
		e.broke("repository", err)
		return c.diagnosis(e)
	}
	c.repositoryHealth(ctx, &e, w)
	cur, err := w.Current(ctx)
	if err != nil {
		e.broke("in force", err)
		return c.diagnosis(e)
	}
	c.workspaceHealth(ctx, &e, w, cur)
	return c.diagnosis(e)
}

// machine looks at what lies outside of the repository.
func (c *console) machine(ctx context.Context, e *examination) {
	version, err := c.git(ctx, ".", "version")
	switch {
	case errors.Is(err, gitstore.ErrNoGit):
		e.warn("git", "install git", "the git program is not installed: nothing can be cloned, and your checkout of main does not follow merges")
	case err != nil:
		e.broke("git", err)
	default:
		e.ok("git", "%s", version)
	}
	home, err := keys.Home()
	if err == nil {
		err = writable(home)
	}
	if err != nil {
		e.fail("state", "make the folder writable, or point ASSENT_HOME elsewhere", "keys and what was last in force cannot be kept: %v", err)
		return
	}
	e.ok("state", "keys and what was last in force are kept in %s", home)
}

// writable tries to write to a folder, which it makes when it is missing.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "doctor-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// workspaceHealth looks at what is in force and who may change it.
func (c *console) workspaceHealth(ctx context.Context, e *examination, w *workspace.Workspace, cur workspace.Current) {
	e.standing(cur)
	e.clock(c, w, cur)
	e.format(cur)
	e.policies(cur)
	e.people(cur)
	e.reviewer(w, cur)
	e.souls(cur)
	e.proposals(ctx, w)
}

// diagnosis shows what was found.
func (c *console) diagnosis(e examination) error {
	bad := 0
	for _, f := range e.found {
		if f.Status == fails {
			bad++
		}
	}
	if c.json {
		if err := c.emit(e.found); err != nil {
			return err
		}
	} else {
		c.checks(e.found)
	}
	if bad > 0 {
		return quiet(exitFindings)
	}
	return nil
}

func (c *console) checks(found []checkJSON) {
	for _, f := range found {
		mark := map[health]string{healthy: c.style.good("ok  "), warns: c.style.warn("warn"), fails: c.style.bad("FAIL")}[f.Status]
		c.printf("%s  %s%s %s\n", mark, c.style.bold(f.Check), strings.Repeat(" ", max(0, 12-len(f.Check))), oneLine(f.Message))
		if f.Fix != "" {
			c.printf("%s%s\n", strings.Repeat(" ", 19), c.style.dim("fix: "+oneLine(f.Fix)))
		}
	}
}
