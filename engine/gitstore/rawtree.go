package gitstore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/tree"
)

// treeEntry is one name of a tree object.
type treeEntry struct {
	name string
	mode tree.Mode
	hash tree.Hash
}

// parseTree reads a tree object. Names share one copy of the raw bytes.
// Order is checked, because lookups and comparisons rely on it.
func parseTree(raw []byte) ([]treeEntry, error) {
	text := string(raw)
	out := make([]treeEntry, 0, len(raw)/40)
	for at := 0; at < len(text); {
		space := strings.IndexByte(text[at:], ' ')
		if space <= 0 || space > 6 {
			return nil, fmt.Errorf("tree entry at byte %d: mode: %w", at, ErrCorrupt)
		}
		mode, ok := parseMode(text[at : at+space])
		end := strings.IndexByte(text[at+space+1:], 0)
		if !ok || end <= 0 {
			return nil, fmt.Errorf("tree entry at byte %d: %w", at, ErrCorrupt)
		}
		start := at + space + 1
		at = start + end + 1 + idxHash
		if at > len(text) {
			return nil, fmt.Errorf("tree entry at byte %d: cut short: %w", start, ErrCorrupt)
		}
		e := treeEntry{name: text[start : start+end], mode: mode, hash: tree.Hash(raw[at-idxHash : at])}
		if n := len(out); n > 0 && compareEntries(out[n-1], e) >= 0 {
			return nil, fmt.Errorf("tree entry %q: out of order: %w", e.name, ErrCorrupt)
		}
		if strings.IndexByte(e.name, '/') >= 0 {
			return nil, fmt.Errorf("tree entry %q: slash in a name: %w", e.name, ErrCorrupt)
		}
		// The order lets a file and a directory share a name; checkouts do not.
		if _, twice := named(out, e.name); twice && e.mode == tree.Dir {
			return nil, fmt.Errorf("tree entry %q: a file and a directory of one name: %w", e.name, ErrCorrupt)
		}
		out = append(out, e)
	}
	return out, nil
}

func parseMode(digits string) (tree.Mode, bool) {
	if digits[0] == '0' {
		return 0, false
	}
	var m tree.Mode
	for _, c := range []byte(digits) {
		if c < '0' || c > '7' {
			return 0, false
		}
		m = m<<3 | tree.Mode(c-'0')
	}
	return m, true
}

func compareEntries(a, b treeEntry) int { return tree.Compare(a.name, a.mode, b.name, b.mode) }

// encodeTree is the inverse of parseTree.
func encodeTree(entries []treeEntry) []byte {
	size := 0
	for _, e := range entries {
		size += 7 + len(e.name) + 1 + idxHash
	}
	b := bytes.NewBuffer(make([]byte, 0, size))
	for _, e := range entries {
		appendEntry(b, e)
	}
	return b.Bytes()
}

func appendEntry(b *bytes.Buffer, e treeEntry) {
	fmt.Fprintf(b, "%o %s\x00", uint32(e.mode), e.name)
	b.Write(e.hash[:])
}

// named finds the entry called name, whatever its mode: as a file it sorts
// elsewhere than as a directory.
func named(entries []treeEntry, name string) (treeEntry, bool) {
	for _, mode := range []tree.Mode{tree.Regular, tree.Dir} {
		i, ok := slices.BinarySearchFunc(entries, treeEntry{name: name, mode: mode}, compareEntries)
		if ok && entries[i].name == name {
			return entries[i], true
		}
	}
	return treeEntry{}, false
}

// tree returns the parsed tree object h, from the cache when possible. The
// caller must not change it.
func (r *Repo) tree(h tree.Hash) ([]treeEntry, error) {
	if v, ok := r.trees.get(h); ok {
		return v.([]treeEntry), nil
	}
	if h == emptyTree() {
		return nil, nil
	}
	raw, err := r.typed(h, kindTree)
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(raw)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", h, err)
	}
	r.trees.put(h, entries, len(raw)+64*len(entries))
	return entries, nil
}

func emptyTree() tree.Hash { return hashObject(kindTree, nil) }
