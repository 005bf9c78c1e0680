package gc

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/registry/index"
)

// areas are the folders whose files are looked through for names: all that agents are
// given, and all that governs them. proposals/ is history.
func areas() []string {
	return []string{capability.Root, string(names.SoulArea), string(names.PoliciesArea), string(names.WorkflowsArea)}
}

// most is how many bytes of a file are searched. A larger file keeps every candidate, as the rest
// may name it.
const most = 4 << 20

// mentioned keeps the candidates that a file in force names, in either spelling.
func mentioned(v tree.View, all []*candidate) error {
	for _, area := range areas() {
		err := tree.Files(v, area, func(e tree.Entry) error {
			waiting := slices.DeleteFunc(slices.Clone(all), func(c *candidate) bool { return len(c.kept) > 0 || c.own(e.Path) })
			if len(waiting) == 0 || !e.Mode.IsFile() {
				return nil
			}
			src, err := v.Read(e.Path)
			if err != nil {
				return err
			}
			for _, c := range waiting {
				if len(src) > most {
					c.keep("%s is too large to be looked through for its name", e.Path)
				} else if line := c.in(e.Path, src); line > 0 {
					c.keep("%s:%d names it", e.Path, line)
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("look through %s: %w", area, err)
		}
	}
	return nil
}

// own reports whether a file may name the candidate without needing it: its own files,
// and the words in which those that supersede it say so.
func (c *candidate) own(file string) bool {
	if below(file, c.Path) {
		return true
	}
	for _, e := range c.line {
		if below(file, e.Path) && (path.Ext(file) == ".md" || path.Base(file) == capability.RecordFile) {
			return true // their records' requirements are checked separately
		}
	}
	return false
}

func below(file, dir string) bool { return strings.HasPrefix(file, dir+"/") }

// in is the line of a file that names the candidate, 0 for none.
func (c *candidate) in(file string, src []byte) int {
	if path.Base(file) == "SOUL.md" {
		src = c.unlearned(src)
	}
	text := strings.ToLower(string(src))
	for _, spelling := range []string{c.Name, names.Callable(c.Name)} {
		if at := word(text, strings.ToLower(spelling)); at >= 0 {
			return 1 + strings.Count(text[:at], "\n")
		}
	}
	return 0
}

// unlearned returns a SOUL.md without the engine's own entries: the candidate's, which goes with
// it, and those of its successors, which repeat the words that say so.
func (c *candidate) unlearned(src []byte) []byte {
	for _, e := range append([]index.Entry{c.Entry}, c.line...) {
		if without, ds := soul.RemoveLearned(src, e.Name); !ds.HasErrors() {
			src = without
		}
	}
	return src
}

// word finds a name where it does not stand inside of a longer one, -1 for nowhere.
func word(text, name string) int {
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(name)
		if (at == 0 || !inName(text[at-1])) && (end == len(text) || !inName(text[end])) {
			return at
		}
		from = at + 1
	}
}

func inName(b byte) bool {
	return b == '-' || b == '_' || 'a' <= b && b <= 'z' || '0' <= b && b <= '9'
}
