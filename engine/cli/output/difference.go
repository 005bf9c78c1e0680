package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// FileDiff is how one file differs.
type FileDiff struct {
	Path    string `json:"path"`
	Change  string `json:"change"` // added, modified or removed
	OldMode string `json:"old_mode"`
	NewMode string `json:"new_mode"`
	// OldBlob and NewBlob are empty where there is no such file.
	OldBlob tree.Hash `json:"old_blob"`
	NewBlob tree.Hash `json:"new_blob"`
	// Binary files, and those too large to compare, have no hunks.
	Binary   bool `json:"binary"`
	TooLarge bool `json:"too_large"`
	Added    int  `json:"added"`
	Removed  int  `json:"removed"`
	// Hunks are parts of a unified diff, each beginning with its @@ line.
	Hunks []string `json:"hunks"`
}

// maxCompared bounds the files that are compared line by line, in bytes.
const maxCompared = 1 << 20

// DifferenceOf compares one file of two trees.
func DifferenceOf(before, after tree.View, ch tree.Change) (FileDiff, error) {
	f := FileDiff{Path: ch.Path, Change: "modified", OldBlob: ch.Old.Hash, NewBlob: ch.New.Hash, Hunks: []string{}}
	var old, now []byte
	var err error
	if ch.Added() {
		f.Change = "added"
	} else {
		f.OldMode = ch.Old.Mode.String()
		if old, err = ContentOf(before, ch.Old); err != nil {
			return f, err
		}
	}
	if ch.Removed() {
		f.Change = "removed"
	} else {
		f.NewMode = ch.New.Mode.String()
		if now, err = ContentOf(after, ch.New); err != nil {
			return f, err
		}
	}
	f.Binary = isBinary(old) || isBinary(now)
	f.TooLarge = len(old) > maxCompared || len(now) > maxCompared
	if !f.Binary && !f.TooLarge {
		f.compare(string(old), string(now))
	}
	return f, nil
}

// ContentOf returns the content of a tree's entry; a submodule is named by its commit.
func ContentOf(v tree.View, e tree.Entry) ([]byte, error) {
	if e.Mode == tree.Submodule {
		return []byte("submodule " + e.Hash.String() + "\n"), nil
	}
	data, err := v.Read(e.Path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", e.Path, err)
	}
	return data, nil
}

func isBinary(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) }

// compare fills in the hunks and counts the lines.
func (f *FileDiff) compare(old, now string) {
	text := udiff.Unified("a", "b", old, now)
	at := strings.Index(text, "@@ ")
	if at < 0 {
		return
	}
	var hunk strings.Builder
	for line := range strings.Lines(text[at:]) {
		switch line[0] {
		case '@':
			if hunk.Len() > 0 {
				f.Hunks = append(f.Hunks, hunk.String())
				hunk.Reset()
			}
		case '+':
			f.Added++
		case '-':
			f.Removed++
		}
		hunk.WriteString(line)
	}
	f.Hunks = append(f.Hunks, hunk.String())
}

func (f FileDiff) title() string { return f.Change + " " + console.OneLine(f.Path) }

// notes describes the changes that hunks do not show.
func (f FileDiff) notes() []string {
	var out []string
	switch {
	case f.Change == "modified" && f.OldMode != f.NewMode:
		out = append(out, "mode "+f.OldMode+" becomes "+f.NewMode)
	case f.Change == "added" && f.NewMode != tree.Regular.String():
		out = append(out, "mode "+f.NewMode)
	}
	if f.Binary {
		out = append(out, "binary: its bytes differ and cannot be shown")
	} else if f.TooLarge {
		out = append(out, fmt.Sprintf("larger than %d KiB: git diff %s %s shows it", maxCompared>>10, names.ShellWord(f.OldBlob.String()), names.ShellWord(f.NewBlob.String())))
	}
	return out
}

// Visible shows every character that could hide something from a reviewer: those that Clean shows,
// and joiners as well.
func Visible(s string) string {
	var out strings.Builder
	for _, r := range console.Clean(s) {
		if unicode.Is(unicode.Cf, r) {
			out.WriteString(console.Escaped(r))
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// Sides are the trees that a proposal's difference is between.
func Sides(ctx context.Context, cur workspace.Session, pull forge.Pull) (before, after *gitstore.Snapshot, conflicts []string, err error) {
	from := cur.InForce
	var to tree.Hash
	if pull.State == forge.Merged {
		to = pull.Merge
		from, err = judgedFrom(ctx, cur.Workspace, pull)
	} else {
		var r workspace.Result
		r, err = cur.Result(cur.Main, pull.Head)
		to = r.Tree
		for _, f := range r.Conflicts {
			from, to = r.MergeBase, pull.Head
			conflicts = append(conflicts, f.Path)
		}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if before, err = cur.Repo.Snapshot(from); err != nil {
		return nil, nil, nil, fmt.Errorf("read what is in force: %w", err)
	}
	if after, err = cur.Repo.Snapshot(to); err != nil {
		return nil, nil, nil, fmt.Errorf("read the result of merging %s: %w", pull.ID, err)
	}
	return before, after, conflicts, nil
}

// judgedFrom returns the commit that was in force when a proposal was merged.
func judgedFrom(ctx context.Context, w *workspace.Workspace, pull forge.Pull) (tree.Hash, error) {
	activity, err := w.Record.Activity(ctx, pull.ID)
	if err != nil {
		return tree.Hash{}, err
	}
	for _, m := range activity.Merges {
		if m.Commit == pull.Merge {
			att, err := attest.Decode(m.Attestation)
			return att.From, err
		}
	}
	return tree.Hash{}, errors.New("the merge of " + pull.ID + " has no attestation")
}

// PrintFiles shows differences.
func PrintFiles(c *console.Console, files []FileDiff, stat bool) {
	added, removed := 0, 0
	for _, f := range files {
		added, removed = added+f.Added, removed+f.Removed
		if stat {
			continue
		}
		c.Printf("%s\n", c.Style.Bold(f.title()))
		for _, note := range f.notes() {
			c.Printf("%s\n", c.Style.Dim(note))
		}
		for _, hunk := range f.Hunks {
			printHunk(c, hunk)
		}
	}
	if stat {
		printStat(c, files)
	}
	c.Printf("%s, %d added and %d removed lines\n", console.Plural(len(files), "file"), added, removed)
}

func printStat(c *console.Console, files []FileDiff) {
	var rows [][]string
	for _, f := range files {
		count := fmt.Sprintf("+%d -%d", f.Added, f.Removed)
		if f.Binary {
			count = "binary"
		}
		rows = append(rows, []string{f.Change, count, console.OneLine(f.Path) + strings.Join(prefixed("; ", f.notes()), "")})
	}
	c.Table(rows)
}

func prefixed(prefix string, list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, prefix+s)
	}
	return out
}

func printHunk(c *console.Console, text string) {
	for line := range strings.Lines(text) {
		line = Visible(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "@@"):
			line = c.Style.Dim(line)
		case strings.HasPrefix(line, "+"):
			line = c.Style.Good(line)
		case strings.HasPrefix(line, "-"):
			line = c.Style.Bad(line)
		}
		c.Printf("%s\n", line)
	}
}
