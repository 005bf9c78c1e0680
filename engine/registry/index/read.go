package index

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
)

// batch is what one worker read: entries encoded already, one after the other, so
// that a hundred thousand of them are a few flat lists and no heap of small things.
type batch struct {
	records []byte
	ends    []uint32 // of each entry in records
	traits  []byte
	keys    []key // values count from the batch's first entry
	total   uint64
	words   []string // the vocabulary
	terms   terms    // of all entries
	until   []int    // of each entry, where its terms end

	numbers map[string]uint32 // of each word
	at      map[uint32]uint32 // the weights of the entry at hand
}

// terms are words of entries: of each its number in the batch's vocabulary, and how
// much the entry is about it. They are most of what a batch holds, and so are kept
// as bytes, about three for each.
type terms []byte

func (t terms) with(word uint32, weight uint8) terms {
	return append(binary.AppendUvarint(t, uint64(word)), weight)
}

// each calls do for all of them, in the order in which they were added.
func (t terms) each(do func(word uint32, weight uint8)) {
	for len(t) > 0 {
		word, n := binary.Uvarint(t)
		do(uint32(word), t[n])
		t = t[n+1:]
	}
}

// readAll reads the capabilities in folders, in their order, with at most the
// given number of workers.
func readAll(v tree.View, folders []capability.Folder, workers int) ([]*batch, error) {
	workers = max(1, min(workers, (len(folders)+15)/16))
	batches := make([]*batch, workers)
	var group errgroup.Group
	for w := range workers {
		part := folders[len(folders)*w/workers : len(folders)*(w+1)/workers]
		b := &batch{numbers: map[string]uint32{}, at: map[uint32]uint32{}}
		batches[w] = b
		group.Go(func() error {
			for _, f := range part {
				if err := b.read(v, f); err != nil {
					return fmt.Errorf("index %s: %w", f.Path, err)
				}
			}
			return nil
		})
	}
	return batches, group.Wait()
}

func (b *batch) read(v tree.View, f capability.Folder) error {
	c, sound, err := capability.Glance(v, f)
	if err != nil {
		return err
	}
	at, err := v.Lookup(f.Path)
	if err != nil {
		return err
	}
	calls, err := composed.Callees(v, c)
	if err != nil {
		return err
	}
	r := c.Record
	e := Entry{
		Folder: f, Tree: at.Hash, Kind: c.Kind, Version: c.Version, Status: c.Status, Description: c.Description, Category: c.Category,
		Tags: r.Tags, Implements: r.Implements, Supersedes: r.Supersedes, Requires: r.Requires.Capabilities, AppliesTo: r.AppliesTo, Calls: calls,
		Agents: r.Agents, Executable: c.Executable, SpecOnly: c.SpecOnly, Unsound: !sound,
	}
	clear(b.at)
	b.count(f.Name, weighName)
	for _, t := range r.Tags {
		b.count(t, weighTag)
	}
	b.count(c.Category, weighCategory)
	b.count(c.Description, weighDescription)
	b.count(Outline(c.Skill.Body), weighBody)
	b.add(e)
	return nil
}

// add takes an entry up, with the words that were counted for it.
func (b *batch) add(e Entry) {
	id, length := uint32(len(b.ends)), uint32(0)
	for word, weight := range b.at {
		b.terms = b.terms.with(word, uint8(min(weight, math.MaxUint8)))
		length += weight
	}
	length = min(length, math.MaxUint16)
	b.total += uint64(length)
	b.until = append(b.until, len(b.terms))
	b.records = appendEntry(b.records, e)
	b.ends = append(b.ends, uint32(len(b.records)))
	b.traits = binary.LittleEndian.AppendUint16(b.traits, uint16(length))
	b.traits = append(b.traits, number(capability.Kinds(), e.Kind), number(capability.Statuses(), e.Status))
	b.keys = append(b.keys, key{keyOf(spaceName, names.Fold(e.Name)), id})
	for _, r := range []Relation{Requires, AppliesTo, Implements, Supersedes, Calls} {
		for _, target := range e.targets(r) {
			if target != "" {
				b.keys = append(b.keys, key{keyOf(byte(r), names.Fold(target)), id})
			}
		}
	}
}

// number is the place of one of a format's words in their list, from 1; 0 for any
// other.
func number[T comparable](list []T, word T) byte { return byte(slices.Index(list, word) + 1) }

// count adds the words of one field.
func (b *batch) count(text string, weight uint32) {
	Words(text, func(word []byte) {
		n, known := b.numbers[string(word)]
		if !known {
			n = uint32(len(b.words))
			b.words = append(b.words, string(word))
			b.numbers[b.words[n]] = n
		}
		b.at[n] += weight
	})
}
