package index

import (
	"encoding/binary"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Entry is the index's data about one capability, as capability.Load returns it.
type Entry struct {
	capability.Folder
	// Tree is the folder's tree object, zero if the view knew none.
	Tree        tree.Hash
	Kind        capability.Kind
	Version     capability.Version
	Status      capability.Status
	Description string
	Category    string
	Tags        []string
	Implements  string
	Supersedes  string
	Requires    []string // capabilities
	AppliesTo   []string
	Enhances    []string
	Models      []string
	Calls       []string // of a composed tool
	Agents      capability.Agents
	Executable  bool
	SpecOnly    bool
	// Unsound: a file was missing or could not be decoded whole, so fields may lack.
	Unsound bool
}

// Relation is a way in which one capability names another.
type Relation byte

// The relations that are indexed.
const (
	Requires   Relation = 'r'
	AppliesTo  Relation = 'a'
	Enhances   Relation = 'e'
	Implements Relation = 'i'
	Supersedes Relation = 's'
	Calls      Relation = 'c'
)

// targets are the names that e refers to by a relation, as written.
func (e Entry) targets(r Relation) []string {
	switch r {
	case Requires:
		return e.Requires
	case AppliesTo:
		return e.AppliesTo
	case Enhances:
		return e.Enhances
	case Calls:
		return e.Calls
	case Implements:
		return []string{e.Implements}
	case Supersedes:
		return []string{e.Supersedes}
	}
	return nil
}

// names reports whether e refers by r to a name with this key.
func (e Entry) names(r Relation, folded string) bool {
	for _, t := range e.targets(r) {
		if t != "" && names.Fold(t) == folded {
			return true
		}
	}
	return false
}

const (
	flagExecutable = 1 << iota
	flagSpecOnly
	flagUnsound
)

// appendEntry encodes e; decodeEntry is its inverse. The path comes first, so that
// it can be read alone.
func appendEntry(b []byte, e Entry) []byte {
	flags := byte(0)
	for bit, set := range map[byte]bool{flagExecutable: e.Executable, flagSpecOnly: e.SpecOnly, flagUnsound: e.Unsound} {
		if set {
			flags |= bit
		}
	}
	b = appendText(b, e.Path)
	b = append(append(b, flags), e.Tree[:]...)
	for _, s := range []string{
		string(e.Kind), string(e.Version), string(e.Status), e.Description, e.Category, e.Implements, e.Supersedes,
	} {
		b = appendText(b, s)
	}
	for _, list := range [][]string{e.Tags, e.Requires, e.AppliesTo, e.Enhances, e.Models, e.Calls, e.Agents.Allow, e.Agents.Deny} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, s := range list {
			b = appendText(b, s)
		}
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func decodeEntry(b []byte) (Entry, error) {
	c := cursor{rest: b}
	e := Entry{Folder: capability.FolderOf(c.text())}
	flags := c.take(1 + len(e.Tree))
	if c.bad {
		return e, ErrDamaged
	}
	e.Executable, e.SpecOnly, e.Unsound = flags[0]&flagExecutable != 0, flags[0]&flagSpecOnly != 0, flags[0]&flagUnsound != 0
	e.Tree = tree.Hash(flags[1:])
	e.Kind, e.Version, e.Status = capability.Kind(c.text()), capability.Version(c.text()), capability.Status(c.text())
	e.Description, e.Category, e.Implements, e.Supersedes = c.text(), c.text(), c.text(), c.text()
	e.Tags, e.Requires, e.AppliesTo, e.Enhances, e.Models, e.Calls, e.Agents.Allow, e.Agents.Deny = c.texts(), c.texts(), c.texts(), c.texts(), c.texts(), c.texts(), c.texts(), c.texts()
	if c.bad || len(c.rest) > 0 {
		return e, ErrDamaged
	}
	return e, nil
}

// cursor reads values one after the other. Once something does not fit, all that
// follows is empty and bad is set.
type cursor struct {
	rest []byte
	bad  bool
}

func (c *cursor) number() uint64 {
	n, size := binary.Uvarint(c.rest)
	if size <= 0 {
		c.bad, c.rest = true, nil
		return 0
	}
	c.rest = c.rest[size:]
	return n
}

func (c *cursor) take(n int) []byte {
	if n > len(c.rest) {
		c.bad, c.rest = true, nil
		return nil
	}
	out := c.rest[:n]
	c.rest = c.rest[n:]
	return out
}

func (c *cursor) text() string {
	n := c.number()
	if n > uint64(len(c.rest)) {
		c.bad, c.rest = true, nil
		return ""
	}
	return string(c.take(int(n)))
}

func (c *cursor) texts() []string {
	n := c.number()
	if n > uint64(len(c.rest)) {
		c.bad, c.rest = true, nil
	}
	var out []string
	for range n {
		if c.bad {
			return nil
		}
		out = append(out, c.text())
	}
	return out
}
