package gitstore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// treeEntry is one entry of a tree object.
type treeEntry struct {
	name string
	mode tree.Mode
	hash tree.Hash
}

// parseTree parses a tree object. It requires canonical modes, names that git can check out,
// and unique entries in git's order, on which lookups and comparisons rely. Names share one
// copy of the raw bytes.
func parseTree(raw []byte) ([]treeEntry, error) {
	text := string(raw)
	out := make([]treeEntry, 0, len(raw)/40)
	for at := 0; at < len(text); {
		e, end, err := parseEntry(text, at)
		if err != nil {
			return nil, err
		}
		if n := len(out); n > 0 && compareEntries(out[n-1], e) >= 0 {
			return nil, bad(kindTree, "has the entry %q twice or out of order", clip(e.name))
		}
		// Git's order admits a file and a directory of one name; checkouts do not.
		if _, twice := named(out, e.name); twice && e.mode == tree.Dir {
			return nil, bad(kindTree, "has a file and a directory called %q", clip(e.name))
		}
		out, at = append(out, e), end
	}
	return out, nil
}

// parseEntry parses the entry that starts at byte at, and returns its end.
func parseEntry(text string, at int) (e treeEntry, end int, err error) {
	space := strings.IndexByte(text[at:min(len(text), at+8)], ' ')
	if space < 0 {
		return e, 0, bad(kindTree, "has no mode at byte %d", at)
	}
	var ok bool
	if e.mode, ok = parseMode(text[at : at+space]); !ok {
		return e, 0, bad(kindTree, "has the mode %q at byte %d, which git does not write", clip(text[at:at+space]), at)
	}
	start := at + space + 1
	size := strings.IndexByte(text[start:], 0)
	if end = start + size + 1 + idxHash; size < 0 || end > len(text) {
		return e, 0, bad(kindTree, "is truncated in the entry at byte %d", at)
	}
	e.name = text[start : start+size]
	copy(e.hash[:], text[end-idxHash:end])
	//defence:tree-names-are-safe
	if !entryName(e.name) {
		return e, 0, bad(kindTree, "has an entry called %q, which cannot be checked out", clip(e.name))
	}
	if e.hash.IsZero() {
		return e, 0, bad(kindTree, "has an entry %q that names no object", clip(e.name))
	}
	return e, end, nil
}

// entryName reports whether a tree may have an entry of this name. Names that mean Git's folder
// only on some systems are refused later, when files are admitted.
func entryName(s string) bool {
	if s == "" || strings.IndexByte(s, '/') >= 0 {
		return false
	}
	return s[0] != '.' || s != "." && s != ".." && !strings.EqualFold(s, ".git")
}

// parseMode parses a mode as git writes it: one of five, without leading zeros.
func parseMode(digits string) (tree.Mode, bool) {
	switch digits {
	case "40000":
		return tree.Dir, true
	case "100644":
		return tree.Regular, true
	case "100755":
		return tree.Executable, true
	case "120000":
		return tree.Symlink, true
	case "160000":
		return tree.Submodule, true
	}
	return 0, false
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

// named finds the entry with a name, whatever its mode: files and directories sort differently.
func named(entries []treeEntry, name string) (treeEntry, bool) {
	for _, mode := range []tree.Mode{tree.Regular, tree.Dir} {
		i, ok := slices.BinarySearchFunc(entries, treeEntry{name: name, mode: mode}, compareEntries)
		if ok && entries[i].name == name {
			return entries[i], true
		}
	}
	return treeEntry{}, false
}

// tree returns the parsed tree object h, cached if possible. The caller must not change it.
func (db *Objects) tree(h tree.Hash) ([]treeEntry, error) {
	if v, ok := db.trees.get(h); ok {
		return v.([]treeEntry), nil
	}
	if h == emptyTree() {
		return nil, nil
	}
	raw, err := db.typed(h, kindTree, blobBounds(MaxBlob))
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(raw)
	if err != nil {
		return nil, addHash(h, err)
	}
	db.trees.put(h, entries, len(raw)+64*len(entries))
	return entries, nil
}

func emptyTree() tree.Hash { return hashObject(kindTree, nil) }
