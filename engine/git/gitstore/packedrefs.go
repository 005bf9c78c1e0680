package gitstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// packedRefs is the parsed packed-refs file.
type packedRefs struct {
	header string
	lines  []packedLine // sorted by name
}

type packedLine struct {
	name string
	hash tree.Hash
	// peeled is the object that an annotated tag points to, zero if not recorded.
	peeled tree.Hash
}

// parsePackedRefs parses the file strictly: a damaged file must not read as a repository with
// fewer refs.
func parsePackedRefs(text string) (*packedRefs, error) {
	p := &packedRefs{}
	if text != "" && !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("packed-refs: the last line is truncated: %w", ErrCorrupt)
	}
	for n := 1; text != ""; n++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		switch {
		case strings.HasPrefix(line, "#"):
			if n == 1 {
				p.header = line
			}
		case strings.HasPrefix(line, "^"):
			h, err := tree.ParseHash(line[1:])
			if err != nil || len(p.lines) == 0 {
				return nil, fmt.Errorf("packed-refs line %d: %w", n, ErrCorrupt)
			}
			p.lines[len(p.lines)-1].peeled = h
		default:
			hash, name, ok := strings.Cut(line, " ")
			h, err := tree.ParseHash(hash)
			if !ok || err != nil || name == "" {
				return nil, fmt.Errorf("packed-refs line %d: %w", n, ErrCorrupt)
			}
			p.lines = append(p.lines, packedLine{name: name, hash: h})
		}
	}
	if !slices.IsSortedFunc(p.lines, comparePacked) {
		order.Stable(p.lines, comparePacked)
	}
	return p, nil
}

func comparePacked(a, b packedLine) int { return strings.Compare(a.name, b.name) }

// without encodes the file as Git does, without the named refs.
func (p *packedRefs) without(names map[string]bool) string {
	var b strings.Builder
	if strings.Contains(p.header, "pack-refs") {
		b.WriteString(p.header + "\n")
	}
	for _, l := range p.lines {
		if names[l.name] {
			continue
		}
		b.WriteString(l.hash.String() + " " + l.name + "\n")
		if !l.peeled.IsZero() {
			b.WriteString("^" + l.peeled.String() + "\n")
		}
	}
	return b.String()
}

func (p *packedRefs) search(name string) int {
	return sort.Search(len(p.lines), func(i int) bool { return p.lines[i].name >= name })
}

func (p *packedRefs) find(name string) (tree.Hash, bool) {
	i := p.search(name)
	if i == len(p.lines) || p.lines[i].name != name {
		return tree.Hash{}, false
	}
	return p.lines[i].hash, true
}

// from yields the refs that start with prefix, sorted by name.
func (p *packedRefs) from(prefix string) iter.Seq2[string, tree.Hash] {
	return func(yield func(string, tree.Hash) bool) {
		for i := p.search(prefix); i < len(p.lines) && strings.HasPrefix(p.lines[i].name, prefix); i++ {
			if !yield(p.lines[i].name, p.lines[i].hash) {
				return
			}
		}
	}
}

// packedCache keeps the parsed file while the file's inode number, size and time stay the same.
// That is not safe enough for changes: a transaction calls forget under its lock. Two files of
// one clock tick may look alike even to readers, so a file younger than racy is not cached.
type packedCache struct {
	mu     sync.Mutex
	info   fs.FileInfo
	parsed *packedRefs
}

// racy is longer than the coarsest timestamp granularity of a file system that Git runs on.
const racy = 2 * time.Second

// forget makes the next load read the file.
func (c *packedCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.info = nil
}

func (c *packedCache) load(commonDir string) (*packedRefs, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := filepath.Join(commonDir, "packed-refs")
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		c.info, c.parsed = nil, &packedRefs{}
		return c.parsed, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading packed refs: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading packed refs: %w", err)
	}
	if c.info != nil && os.SameFile(info, c.info) && info.Size() == c.info.Size() && info.ModTime().Equal(c.info.ModTime()) {
		return c.parsed, nil
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("reading packed refs: %w", err)
	}
	parsed, err := parsePackedRefs(string(text))
	if err != nil {
		return nil, err
	}
	if c.info, c.parsed = info, parsed; time.Since(info.ModTime()) < racy {
		c.info = nil
	}
	return parsed, nil
}
