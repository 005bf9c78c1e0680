package inforce

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/linker"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// archivedJSON is an archived capability that fits words.
type archivedJSON struct {
	Name        string          `json:"name"`
	Kind        capability.Kind `json:"kind"`
	Path        string          `json:"path"`
	Description string          `json:"description"`
	// Share is the part of the words that it answers.
	Share float64 `json:"share"`
	// Proposal archived it, to reach Goal. Next proposes to restore it, or First, which has to come back before.
	Proposal string `json:"proposal"`
	Goal     string `json:"goal"`
	First    string `json:"first,omitempty"`
	Next     string `json:"next"`
}

func archivedOf(ctx context.Context, here discover.Here, a discover.Archived) (archivedJSON, error) {
	first, err := a.Record.First(ctx, here.Session)
	out := archivedJSON{Name: a.Name, Kind: a.Kind, Path: a.Path, Description: a.Description, Share: a.Share, Proposal: a.Record.Proposal, Goal: a.Record.Goal}
	if out.Next = "assent undo " + names.ShellWord(first.Proposal); first.Proposal != out.Proposal {
		out.First = first.Name
	}
	return out, err
}

// how says how it comes back.
func (a archivedJSON) how() string {
	if a.First != "" {
		return "it needs " + a.First + ", which comes back first: " + a.Next
	}
	return a.Next
}

// findArchived fills in archived capabilities that fit a search: all of them, or the best one if it fits
// better than all that can be used.
func (out *findJSON) findArchived(ctx context.Context, c *console.Console, here discover.Here, r discover.Request, all bool) error {
	old, err := here.Archive(ctx, r.Words)
	if err != nil || old == nil {
		return err
	}
	out.Unread = unread(c, old.Unread)
	if !all {
		best, err := old.Best(r, linker.Enough)
		if best == nil || err != nil {
			return err
		}
		one, err := archivedOf(ctx, here, *best)
		out.Archived = append(out.Archived, one)
		return err
	}
	found, err := old.Find(r)
	for _, a := range found[:min(len(found), r.Limit)] {
		one, err := archivedOf(ctx, here, a)
		if err != nil {
			return err
		}
		out.Archived = append(out.Archived, one)
	}
	return err
}

// unread names the archived capabilities that cannot be read, also to a person.
func unread(c *console.Console, all []*archive.Unread) (out []string) {
	for _, u := range all {
		c.Complain("%s %s", c.Style.Warn("warning:"), console.OneLine(u.Error()))
		out = append(out, u.Error())
	}
	return out
}

func printArchived(c *console.Console, found []archivedJSON, all bool, asked string) {
	if all && len(found) == 0 {
		c.Printf("no archived capability fits %q\n", console.OneLine(asked))
	}
	var rows [][]string
	for _, a := range found {
		rows = append(rows, []string{fmt.Sprintf("%6.2f", a.Share), c.Style.Bold(console.OneLine(a.Name)), string(a.Kind), "archived", console.OneLine(a.Description)}, []string{"", "", "", "", console.OneLine(a.Goal + ": " + a.how())})
	}
	c.Table(rows)
}
