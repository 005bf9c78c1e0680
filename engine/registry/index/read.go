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

// batch is the output of one worker: encoded entries one after the other, so that a hundred
// thousand of them are a few flat lists instead of many small objects.
type batch struct {
	records []byte
	ends    []uint32 // of each entry in records
	traits  []byte
	keys    []key    // values count from the batch's first entry
	words   []string // the vocabulary
	terms   terms    // of all entries
	until   []int    // of each entry, where its terms end

	numbers map[string]uint32 // of each term
	known   map[string]uint32 // the number of each word's term, or nothing
	field   []uint32          // the terms of the field at hand
	weights []float32         // the weight of each term in the entry at hand
	touched []uint32          // the terms that have a weight
}

// nothing is a number that no term has.
const nothing = math.MaxUint32

// terms are words of entries: for each its number in the batch's vocabulary and its weight in
// the entry. They are the largest part of a batch, and so are stored as bytes, about three for
// each.
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
		b := &batch{numbers: map[string]uint32{}, known: map[string]uint32{}}
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
		Tags: r.Tags, Implements: r.Implements, Supersedes: r.Supersedes, Requires: r.Requires.Capabilities, AppliesTo: r.AppliesTo, Enhances: r.Enhances, Models: r.Models, Calls: calls,
		Agents: r.Agents, Executable: c.Executable, SpecOnly: c.SpecOnly, Unsound: !sound,
	}
	b.count(inName, f.Name)
	b.count(inTags, r.Tags...)
	b.tags()
	b.count(inCategory, c.Category, f.Group)
	b.count(inDescription, c.Description)
	headings, rest := outline(c.Skill.Body)
	b.count(inOutline, headings)
	b.count(inExamples, examplesOf(r))
	b.count(inBody, rest)
	b.add(e)
	return nil
}

// add takes an entry up, with the words that were counted for it.
func (b *batch) add(e Entry) {
	id := uint32(len(b.ends))
	for _, n := range b.touched {
		b.terms = b.terms.with(n, packWeight(b.weights[n]))
		b.weights[n] = 0
	}
	b.touched = b.touched[:0]
	b.until = append(b.until, len(b.terms))
	b.records = appendEntry(b.records, e)
	b.ends = append(b.ends, uint32(len(b.records)))
	b.traits = append(b.traits, number(capability.Kinds(), e.Kind), number(capability.Statuses(), e.Status))
	b.keys = append(b.keys, key{keyOf(spaceName, names.Fold(e.Name)), id})
	for _, r := range []Relation{Requires, AppliesTo, Enhances, Implements, Supersedes, Calls} {
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
func (b *batch) count(in field, texts ...string) {
	b.field = b.field[:0]
	for _, text := range texts {
		wordsAndParts(text, func(word []byte, _ bool) {
			if n := b.termOf(word); n != nothing {
				b.field = append(b.field, n)
			}
		})
	}
	each := in.each(len(b.field))
	for _, n := range b.field {
		if b.weights[n] == 0 {
			b.touched = append(b.touched, n)
		}
		b.weights[n] += each
	}
}

// tags notes that the terms of the field at hand stand in tags.
func (b *batch) tags() {
	for i, n := range b.field {
		b.field[i] = b.numberOf(tagMark + b.words[n])
	}
	for _, n := range b.field {
		if b.weights[n] == 0 {
			b.touched = append(b.touched, n)
		}
		b.weights[n] = 1
	}
}

// termOf is the number of a word's term.
func (b *batch) termOf(word []byte) uint32 {
	n, known := b.known[string(word)]
	if known {
		return n
	}
	n = nothing
	if t := term(word); t != "" {
		n = b.numberOf(t)
	}
	b.known[string(word)] = n
	return n
}

func (b *batch) numberOf(term string) uint32 {
	n, known := b.numbers[term]
	if !known {
		n = uint32(len(b.words))
		b.words = append(b.words, term)
		b.weights = append(b.weights, 0)
		b.numbers[term] = n
	}
	return n
}
