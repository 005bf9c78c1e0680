package tracked

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/proposals/importer"
)

const (
	maxWalked = 300 // commits of the source that are looked at, the newest first
	maxListed = 20  // of anything in a proposal's text
)

// history finds the source's commits that changed the skill since it was taken. Subjects are text of
// strangers.
func (c *checker) history(i *Item) error {
	if c.source == nil || c.source.drawn == nil {
		return nil
	}
	repo := c.source.drawn.Repo
	then, err := tree.ParseHash(i.Record.Commit)
	known := false
	if err == nil {
		known, err = repo.IsAncestor(then, c.source.drawn.Commit)
	}
	if err != nil || !known { // it is not there, or not behind the ref
		i.Rewritten = true
		return nil
	}
	between, err := repo.Between(then, c.source.drawn.Commit)
	if err != nil {
		return err
	}
	for _, o := range between[:min(len(between), maxWalked)] {
		commit, err := repo.Commit(o.Hash)
		if err != nil || len(i.Commits) == maxListed {
			break // the list is for people; what is proposed does not depend on it
		}
		before := ""
		if len(commit.Parents) > 0 {
			before = objectAt(repo.Snapshot, commit.Parents[0], i.Path)
		}
		if before != objectAt(repo.Snapshot, o.Hash, i.Path) {
			i.Commits = append(i.Commits, Commit{o.Hash.String(), cut(commit.Subject())})
		}
	}
	return nil
}

func objectAt[V tree.View](snapshot func(tree.Hash) (V, error), commit tree.Hash, dir string) string {
	view, err := snapshot(commit)
	if err != nil {
		return ""
	}
	e, err := view.Lookup(dir)
	if err != nil {
		return ""
	}
	return e.Hash.String()
}

// body is the text of the proposal: what changed upstream, and what stays.
func body(i Item, theirs importer.Fitted, take string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Why\n\nThe source of %s changed.\n\n- source: %s\n", i.Name, quoted(i.Source))
	if i.Path != "" {
		fmt.Fprintf(&b, "- folder: %s\n", quoted(i.Path))
	}
	if i.Now != "" {
		fmt.Fprintf(&b, "- commit: %.12s, was %.12s\n", i.Now, i.Record.Commit)
	}
	if i.Rewritten {
		b.WriteString("- the source's history was rewritten: the commit that was taken is not in it\n")
	}
	section(&b, "Commits of the source", i.Commits, func(c Commit) string { return c.Commit[:12] + " " + quoted(c.Subject) })
	section(&b, "Files that the source changed", i.Files, func(f File) string { return f.Change + " " + quoted(f.Path) })
	section(&b, "Local edits that stay", i.Edited, quoted)
	if take != "" {
		section(&b, "Conflicts, settled by taking "+take, i.Conflicts, quoted)
	}
	section(&b, "Changed to fit the format", theirs.Changes, func(s string) string { return strings.Join(strings.Fields(s), " ") })
	section(&b, "New findings", i.Findings, func(f Finding) string {
		return fmt.Sprintf("%s %s in %s:%d", f.Severity, f.Rule, quoted(f.File), f.Line)
	})
	if len(i.Findings) == 0 {
		b.WriteString("\nThe checks find nothing new in it.\n")
	}
	return b.String()
}

func section[T any](b *strings.Builder, title string, all []T, line func(T) string) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, one := range all[:min(len(all), maxListed)] {
		fmt.Fprintf(b, "- %s\n", line(one))
	}
	if n := len(all) - maxListed; n > 0 {
		fmt.Fprintf(b, "- and %d more\n", n)
	}
}

// quoted shows untrusted text as one code span: nothing in it is markup, and nothing is invisible.
func quoted(s string) string {
	return "`" + strings.ReplaceAll(strings.Trim(strconv.QuoteToGraphic(cut(s)), `"`), "`", "'") + "`"
}

func cut(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
