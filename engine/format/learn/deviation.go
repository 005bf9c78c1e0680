package learn

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/soul"
)

// Deviation is a difference between a SOUL.md and the engine's version of it.
type Deviation struct {
	Path string
	// Foreign reports that the entries themselves differ: one is missing, moved, altered
	// or dated outside of the proposal's time. Otherwise only the form differs: blank
	// lines, the place of the list, the day of an entry, or an entry not written yet.
	Foreign bool
	// Bytes identifies the exact deviation.
	Bytes string
	// Before reports that nothing deviates now, and that the engine wrote the file: the
	// other fields describe the deviation before that.
	Before bool
}

// Deviations compares each SOUL.md of head with the engine's version for the change from
// base to head. The invariant: if it returns nothing for a file, its learned list and the
// blank lines around it follow from base, from the change outside of the list, and from
// the day. Anything else in a list was written by a person or an agent. A file that the
// engine wrote is returned too, with Before set.
//
// until is the newest day (yyyy-mm-dd) that an entry may have without being foreign.
// Lists by an earlier version, with entries of capabilities that were not usable yet, are
// judged by its rule.
func Deviations(base, head tree.View, l Lists, souls []string, until string) ([]Deviation, error) {
	l.Base = base
	found, err := deviations(base, head, l, souls, until)
	foreign := func(d Deviation) bool { return d.Foreign }
	if err != nil || !slices.ContainsFunc(found, foreign) {
		return found, err
	}
	l.Unready = true
	earlier, err := deviations(base, head, l, souls, until)
	if err != nil || slices.ContainsFunc(earlier, foreign) {
		return found, err
	}
	return earlier, nil
}

func deviations(base, head tree.View, l Lists, souls []string, until string) ([]Deviation, error) {
	c := comparing{base: base, head: head, stripped: map[string][]byte{}}
	for _, path := range souls {
		if err := c.prepare(path); err != nil {
			return nil, err
		}
	}
	l.View, l.Soul, l.Dated = head, c.soul, nil
	exact, err := l.Written()
	if err != nil {
		return nil, err
	}
	loose := sync.OnceValues(func() (map[string][]byte, error) {
		l.Dated = c.dated(l.Day, until)
		return l.Written()
	})
	for path := range exact {
		if !slices.Contains(souls, path) {
			souls = append(slices.Clone(souls), path)
		}
	}
	var out []Deviation
	for _, path := range slices.Sorted(slices.Values(souls)) {
		d, err := c.of(path, exact[path], loose)
		if err != nil {
			return nil, err
		}
		if d != nil {
			out = append(out, *d)
		}
	}
	return out, nil
}

// SoulsIn returns the SOUL.md files among changed paths that head still has.
func SoulsIn(changes []tree.Change) []string {
	out := map[string]bool{}
	for _, c := range changes {
		if names.Area(c.Path) == names.SoulArea && strings.HasSuffix(c.Path, "/SOUL.md") && !c.Removed() && c.New.Mode.IsFile() {
			out[c.Path] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

type comparing struct {
	base, head tree.View
	// stripped are the changed files with the list of the base instead of their own: the
	// engine's starting point.
	stripped map[string][]byte
}

func (c comparing) prepare(path string) error {
	now, err := c.head.Read(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	was, err := readIf(c.base, path)
	if err != nil {
		return err
	}
	c.stripped[path] = soul.WithList(now, was)
	return nil
}

func (c comparing) soul(file string) ([]byte, error) {
	if src, ok := c.stripped[file]; ok {
		return src, nil
	}
	return c.head.Read(file)
}

// dated returns the day of an entry in head, if it is within the proposal's time.
func (c comparing) dated(from, until string) func(file, name string) string {
	return func(file, name string) string {
		src, err := c.head.Read(file)
		if err != nil {
			return ""
		}
		if e, ok := entryOf(src, name); ok && from != "" && from <= e.Learned && e.Learned <= until {
			return e.Learned
		}
		return ""
	}
}

// of compares one file with the engine's versions: exact, nil if the engine leaves the
// file unchanged, and loose, the versions of other days by path.
func (c comparing) of(path string, exact []byte, loose func() (map[string][]byte, error)) (*Deviation, error) {
	was, err := readIf(c.base, path)
	if err != nil {
		return nil, err
	}
	now, err := c.head.Read(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	before, err := c.soul(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if exact == nil {
		exact = before
	}
	switch {
	case was == nil && isPlain(now): // a new identity is compared completely
		return nil, nil
	case bytes.Equal(now, exact) && (bytes.Equal(before, was) || soul.Frame(before) == soul.Frame(was)):
		if bytes.Equal(now, before) {
			return nil, nil
		}
		return &Deviation{Path: path, Before: true, Bytes: unwritten(before)}, nil
	case bytes.Equal(now, exact):
		return &Deviation{Path: path, Bytes: "frame " + tree.BlobHash([]byte(soul.Frame(before))).String()}, nil
	case bytes.Equal(now, before):
		return &Deviation{Path: path, Bytes: unwritten(before)}, nil
	}
	written, err := loose()
	if err != nil {
		return nil, err
	}
	want, wrote := written[path]
	if !wrote {
		want = before
	}
	items, wanted := soul.ListItems(now), soul.ListItems(want)
	same := slices.Equal(items, wanted) || len(items) == 0 && isEmpty(wanted)
	return &Deviation{Path: path, Foreign: !same, Bytes: fmt.Sprintf("%s %s", tree.BlobHash(was), tree.BlobHash(now))}, nil
}

// unwritten identifies a file whose entries the engine has not written yet: its list is
// that of the base, anywhere in the file.
func unwritten(before []byte) string {
	return "unwritten " + tree.BlobHash([]byte(soul.Frame(before))).String()
}

// isPlain reports whether a file has no list and ends with exactly one line end.
func isPlain(src []byte) bool {
	return soul.ListItems(src) == nil && soul.Frame(src) == soul.Frame(append(bytes.TrimRight(src, " \t\r\n"), '\n'))
}

// isEmpty reports whether a list has only a heading.
func isEmpty(items []string) bool { return len(items) == 1 && items[0] == "" }

// readIf reads a regular file; it returns nil if there is none.
func readIf(v tree.View, path string) ([]byte, error) {
	e, err := v.Lookup(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !e.Mode.IsFile() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for %s: %w", path, err)
	}
	data, err := v.Read(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}
