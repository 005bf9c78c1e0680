package index

import (
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/assent-dev/assent/engine/capability"
	"github.com/assent-dev/assent/engine/tree"
)

// document is one capability on its way into a segment.
type document struct {
	entry  Entry
	terms  []term
	length uint32 // sum of all weights
}

// term is a word of a document: its number in the batch's vocabulary, and how much
// the document is about it.
type term struct {
	word   uint32
	weight uint32
}

// batch is what one worker read.
type batch struct {
	words     []string // the vocabulary
	documents []document
	numbers   map[string]uint32 // of each word
	counts    map[uint32]uint32 // of the document at hand
}

// readAll reads the capabilities in folders, in their order, with at most the
// given number of workers.
func readAll(v tree.View, folders []capability.Folder, workers int) ([]*batch, error) {
	workers = max(1, min(workers, (len(folders)+15)/16))
	batches := make([]*batch, workers)
	var group errgroup.Group
	for w := range workers {
		part := folders[len(folders)*w/workers : len(folders)*(w+1)/workers]
		b := &batch{numbers: map[string]uint32{}, counts: map[uint32]uint32{}, documents: make([]document, 0, len(part))}
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
	r := c.Record
	d := document{entry: Entry{
		Folder: f, Tree: at.Hash, Kind: c.Kind, Version: c.Version, Status: c.Status, Description: c.Description, Category: c.Category,
		Tags: r.Tags, Implements: r.Implements, Supersedes: r.Supersedes, Requires: r.Requires.Capabilities, AppliesTo: r.AppliesTo,
		Agents: r.Agents, Executable: c.Executable, SpecOnly: c.SpecOnly, Unsound: !sound,
	}}
	clear(b.counts)
	b.count(f.Name, weighName)
	for _, t := range r.Tags {
		b.count(t, weighTag)
	}
	b.count(c.Category, weighCategory)
	b.count(c.Description, weighDescription)
	b.count(outline(c.Skill.Body), weighBody)
	d.terms = make([]term, 0, len(b.counts))
	for word, weight := range b.counts {
		d.terms = append(d.terms, term{word, weight})
		d.length += weight
	}
	b.documents = append(b.documents, d)
	return nil
}

// count adds the words of one field.
func (b *batch) count(text string, weight uint32) {
	words(text, func(word []byte) {
		n, known := b.numbers[string(word)]
		if !known {
			n = uint32(len(b.words))
			b.words = append(b.words, string(word))
			b.numbers[b.words[n]] = n
		}
		b.counts[n] += weight
	})
}
