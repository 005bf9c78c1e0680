package inforce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/workspace"
)

func newSoul(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "soul",
		Short: "Who the agents are: show, edit, history, restore",
		Long: `Soul lists the agents whose SOUL.md is in force. Its commands show one, propose to
edit a section, list the versions it had on main, and propose to bring one back.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSouls(cmd.Context(), c) },
	}
	for _, sub := range []*cobra.Command{newSoulShow(c), newSoulEdit(c), newSoulHistory(c), newSoulRestore(c)} {
		sub.Args = asUsage(sub.Args)
		cmd.AddCommand(sub)
	}
	return cmd
}

// asUsage makes a wrong number of arguments a mistake of usage.
func asUsage(inner cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := inner(cmd, args); err != nil {
			return &console.Failure{Code: console.ExitUsage, Err: err, Hint: cmd.UseLine()}
		}
		return nil
	}
}

// soulJSON is one agent's soul in a list.
type soulJSON struct {
	Agent    string    `json:"agent"`
	Path     string    `json:"path"`
	Blob     tree.Hash `json:"blob"`
	Sections int       `json:"sections"`
	Learned  int       `json:"learned"`
}

func runSouls(ctx context.Context, c *console.Console) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	entries, err := cur.View.List(string(names.SoulArea))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list souls: %w", err)
	}
	souls := []soulJSON{}
	for _, e := range entries {
		file := e.Path + "/SOUL.md"
		at, err := cur.View.Lookup(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		src, err := cur.View.Read(file)
		if err != nil {
			return err
		}
		s, _ := soul.Parse(file, src)
		souls = append(souls, soulJSON{e.Path[len("soul/"):], file, at.Hash, len(s.Sections), len(s.Learned)})
	}
	if c.JSON {
		return c.Emit(souls)
	}
	if len(souls) == 0 {
		c.Printf("no agent has a SOUL.md in force; begin one with: assent new soul NAME\n")
	}
	var rows [][]string
	for _, s := range souls {
		rows = append(rows, []string{c.Style.Bold(console.OneLine(s.Agent)), console.Plural(s.Sections, "section"), console.Plural(s.Learned, "learned capability")})
	}
	c.Table(rows)
	return nil
}

func newSoulShow(c *console.Console) *cobra.Command {
	var section string
	cmd := &cobra.Command{
		Use:               "show AGENT",
		Short:             "A soul as it is in force, or one section of it",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.Agents(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSoulShow(cmd.Context(), c, args[0], section)
		},
	}
	cmd.Flags().StringVar(&section, "section", "", "only this `SECTION`, by title or slug")
	return cmd
}

// sectionJSON is one section of a soul.
type sectionJSON struct {
	Title     string `json:"title"`
	Slug      string `json:"slug"`
	Level     int    `json:"level"`
	Line      int    `json:"line"`
	Protected bool   `json:"protected"`
}

// soulShowJSON is one soul, or one section of it.
type soulShowJSON struct {
	Agent    string        `json:"agent"`
	Path     string        `json:"path"`
	InForce  tree.Hash     `json:"in_force"`
	Sections []sectionJSON `json:"sections"`
	Learned  []string      `json:"learned"`
	// Stopped lists the learned capabilities that a human stopped.
	Stopped []stop.Held `json:"stopped"`
	// Verified has, of the learned capabilities by name, what the newest merge showed.
	Verified map[string]*verifiedJSON `json:"verified"`
	Content  string                   `json:"content"`
}

func runSoulShow(ctx context.Context, c *console.Console, agent, section string) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	s, err := soulOf(cur, agent)
	if err != nil {
		return err
	}
	stops, err := cur.Stops(ctx)
	if err != nil {
		return err
	}
	stopped := []stop.Held{}
	for _, e := range s.Learned {
		if held, is := stops.Of(names.Fold(e.Name)); is {
			stopped = append(stopped, held)
			c.Complain("%s", console.OneLine(held.Refusal(e.Name)))
		}
	}
	content := s.Source
	if section != "" {
		if content, err = sectionText(s, section); err != nil {
			return err
		}
	}
	verified, err := verifiedEntries(ctx, cur, s.Learned)
	if err != nil {
		return err
	}
	if c.JSON {
		out := soulShowJSON{Agent: agent, Path: s.File, InForce: cur.InForce, Sections: []sectionJSON{}, Learned: []string{}, Stopped: stopped, Verified: verified, Content: string(content)}
		for _, sec := range s.Sections {
			out.Sections = append(out.Sections, sectionJSON{sec.Title, sec.Slug, sec.Level, sec.Line, soul.IsProtected(sec.Title, cur.Policies.Security.Protected)})
		}
		for _, e := range s.Learned {
			out.Learned = append(out.Learned, e.Name)
		}
		return c.Emit(out)
	}
	if c.Terminal() {
		c.Printf("%s", console.Clean(string(content)))
		printEvidence(c, verified)
		return nil
	}
	_, err = c.Raw().Write(content)
	return err
}

// soulOf reads an agent's soul in force.
func soulOf(cur workspace.Session, agent string) (*soul.Soul, error) {
	if bad := names.CheckAgent(agent, diag.Pos{}); bad.HasErrors() {
		return nil, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%q cannot be an agent's name", agent), Diags: bad}
	}
	file := "soul/" + agent + "/SOUL.md"
	src, err := cur.View.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("agent %s has no SOUL.md in force", agent), Hint: "assent soul lists them; assent new soul " + names.ShellWord(agent) + " begins one"}
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	s, _ := soul.Parse(file, src)
	return s, nil
}

func sectionText(s *soul.Soul, section string) ([]byte, error) {
	var slugs []string
	for _, sec := range s.Sections {
		if sec.Slug == markup.Slug(section) {
			return sec.Extent().Of(s.Source), nil
		}
		if !slices.Contains(slugs, sec.Slug) {
			slugs = append(slugs, sec.Slug)
		}
	}
	return nil, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%s has no section %q", s.File, section), Hint: "its sections: " + console.Words(slugs)}
}
