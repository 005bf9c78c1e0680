package tracked

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
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
	if i.Record.Commit == "" {
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
			before = objectAt(repo, commit.Parents[0], i.Path)
		}
		if before != objectAt(repo, o.Hash, i.Path) {
			i.Commits = append(i.Commits, Commit{o.Hash.String(), cut(commit.Subject())})
		}
	}
	return nil
}

func objectAt(repo *gitstore.Repo, commit tree.Hash, dir string) string {
	view, err := repo.Snapshot(commit)
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
		fmt.Fprintf(&b, "- commit: %.12s, was %.12s\n", i.Now, cmp.Or(i.Record.Commit, "not recorded"))
	}
	if i.Rewritten {
		b.WriteString("- the source's history was rewritten: the commit that was taken is not in it\n")
	}
	section(&b, "Commits of the source", len(i.Commits), func(n int) string { return i.Commits[n].Commit[:12] + " " + quoted(i.Commits[n].Subject) })
	section(&b, "Files that the source changed", len(i.Files), func(n int) string { return i.Files[n].Change + " " + quoted(i.Files[n].Path) })
	section(&b, "Local edits that stay", len(i.Edited), func(n int) string { return quoted(i.Edited[n]) })
	if take != "" {
		section(&b, "Conflicts, settled by taking "+take, len(i.Conflicts), func(n int) string { return quoted(i.Conflicts[n]) })
	}
	section(&b, "Changed to fit the format", len(theirs.Changes), func(n int) string { return strings.Join(strings.Fields(theirs.Changes[n]), " ") })
	section(&b, "New findings", len(i.Findings), func(n int) string {
		f := i.Findings[n]
		if f.File == "" {
			return f.Severity + " " + f.Rule
		}
		return fmt.Sprintf("%s %s in %s:%d", f.Severity, f.Rule, quoted(f.File), f.Line)
	})
	if len(i.Findings) == 0 {
		b.WriteString("\nThe checks find nothing new in it.\n")
	}
	return b.String()
}

func section(b *strings.Builder, title string, count int, line func(n int) string) {
	if count == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for n := range min(count, maxListed) {
		fmt.Fprintf(b, "- %s\n", line(n))
	}
	if more := count - maxListed; more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
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
