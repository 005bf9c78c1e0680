package cli

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/assent-dev/assent/engine/base/tree"
)

// fileDiff is how one file differs.
type fileDiff struct {
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

func differenceOf(before, after tree.View, ch tree.Change) (fileDiff, error) {
	f := fileDiff{Path: ch.Path, Change: "modified", OldBlob: ch.Old.Hash, NewBlob: ch.New.Hash, Hunks: []string{}}
	var old, now []byte
	var err error
	if ch.Added() {
		f.Change = "added"
	} else {
		f.OldMode = ch.Old.Mode.String()
		if old, err = contentOf(before, ch.Old); err != nil {
			return f, err
		}
	}
	if ch.Removed() {
		f.Change = "removed"
	} else {
		f.NewMode = ch.New.Mode.String()
		if now, err = contentOf(after, ch.New); err != nil {
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

func contentOf(v tree.View, e tree.Entry) ([]byte, error) {
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
func (f *fileDiff) compare(old, now string) {
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

func (f fileDiff) title() string { return f.Change + " " + oneLine(f.Path) }

// notes say what the hunks do not show.
func (f fileDiff) notes() []string {
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
		out = append(out, fmt.Sprintf("larger than %d KiB: git diff %s %s shows it", maxCompared>>10, f.OldBlob.Short(), f.NewBlob.Short()))
	}
	return out
}

// visible shows every character that could hide something from a reviewer: what
// clean shows, and joiners as well.
func visible(s string) string {
	var out strings.Builder
	for _, r := range clean(s) {
		if unicode.Is(unicode.Cf, r) {
			out.WriteString(escaped(r))
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
