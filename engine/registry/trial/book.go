package trial

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Book is the counts of all writers. A writer's counts come in parts, such as those of a
// month; a part is replaced as a whole. The zero Book is empty.
type Book struct {
	parts map[part]Counts
	// by holds the sums, by capability and writer.
	by map[string]map[Writer]Counts
}

type part struct {
	writer Writer
	name   string
}

// Put replaces one part of a writer's counts; nil removes it. Parts that are put in another
// order, or again, give the same book.
func (b *Book) Put(w Writer, name string, c Counts) {
	if b.parts == nil {
		b.parts, b.by = map[part]Counts{}, map[string]map[Writer]Counts{}
	}
	at := part{w, name}
	before := b.parts[at]
	for k, n := range before {
		b.add(w, k, Count{}.minus(n))
	}
	for k, n := range c {
		b.add(w, k, n)
	}
	if c == nil {
		delete(b.parts, at)
	} else {
		b.parts[at] = c
	}
}

// Parts are the names of the parts that a writer has, in no order.
func (b *Book) Parts(w Writer) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := range b.parts {
			if at.writer == w && !yield(at.name) {
				return
			}
		}
	}
}

func (b *Book) add(w Writer, k Key, n Count) {
	writers := b.by[k.Capability]
	if writers == nil {
		writers = map[Writer]Counts{}
		b.by[k.Capability] = writers
	}
	if writers[w] == nil {
		writers[w] = Counts{}
	}
	if writers[w].add(k, n); len(writers[w]) == 0 {
		if delete(writers, w); len(writers) == 0 {
			delete(b.by, k.Capability)
		}
	}
}

// Names are the capabilities that have trials, sorted.
func (b *Book) Names() []string { return slices.Sorted(maps.Keys(b.by)) }

// Writers are those of the trials in the book, sorted.
func (b *Book) Writers() []Writer {
	all := map[Writer]bool{}
	for at, c := range b.parts {
		if len(c) > 0 {
			all[at.writer] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// All visits the sums of every writer, in no order.
func (b *Book) All() iter.Seq2[Writer, Counts] {
	return func(yield func(Writer, Counts) bool) {
		for _, writers := range b.by {
			for w, c := range writers {
				if !yield(w, c) {
					return
				}
			}
		}
	}
}

// versions are those of a capability that have trials and come before v in its line, the
// newest first. A breaking version, which has another major number, begins a line.
func (b *Book) versions(name string, v capability.Version) []capability.Version {
	if v == "" {
		return nil
	}
	seen := map[capability.Version]bool{}
	for _, c := range b.by[name] {
		for k := range c {
			if k.Version != "" && k.Version.Major() == v.Major() && k.Version.Compare(v) < 0 {
				seen[k.Version] = true
			}
		}
	}
	return order.Sorted(maps.Keys(seen), func(a, b capability.Version) int {
		if c := b.Compare(a); c != 0 {
			return c
		}
		return strings.Compare(string(b), string(a))
	})
}
