package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
)

// asked is a term that is looked for.
type asked struct {
	term string
	// word is as it was written, which no entry has where the term only resembles it.
	word   string
	near   bool
	weight float64
	// least is how common the term is taken to be.
	least int
}

const (
	// ofAsking is the weight of words that occur in any question.
	ofAsking = 0.3
	// ofSlip is the factor on the weight of a term for each character that differs.
	ofSlip = 0.3
	// ofCompound is the factor for a term that is a compound of the query's word.
	ofCompound = 0.5
	// ofRelated is the factor for a term that people use in place of the one asked for.
	ofRelated = 0.35
	// mostAsked is how many terms of a query count, the rarest ones; mostMisspelt how many of
	// them are looked for by their letters.
	mostAsked, mostMisspelt = 48, 12
)

// asked returns the terms of a query that count, each once, and those that no entry has.
func (x *Index) asked(q Query) (out, unknown []asked, err error) {
	known, unknown, err := x.split(q.Words)
	if err != nil {
		return nil, nil, err
	}
	order.Stable(known, func(a, b found) int { return cmp.Compare(a.count, b.count) })
	if q.Rarest > 0 {
		return rarest(known, q.Rarest), unknown, nil
	}
	for _, k := range known[:min(len(known), mostAsked)] {
		k.least = k.count
		out = append(out, k.asked)
	}
	plain := append(slices.Clone(out), unknown[:min(len(unknown), mostAsked)]...)
	for _, a := range unknown[:min(len(unknown), mostMisspelt)] {
		terms, err := x.compounds(a.term)
		factor := ofCompound
		if err == nil && len(terms) == 0 {
			var wrong int
			terms, wrong, err = x.nearest(a.term)
			factor = math.Pow(ofSlip, float64(wrong))
		}
		if err != nil {
			return nil, nil, err
		}
		out = also(out, a, terms, factor)
	}
	for _, k := range known[:min(len(known), mostAsked)] {
		if k.weight < 1 {
			continue
		}
		terms, err := x.compounds(k.term)
		if err != nil {
			return nil, nil, err
		}
		k.least = k.count
		out = also(out, k.asked, terms, ofCompound)
	}
	for _, a := range plain {
		if a.weight == 1 {
			out = also(out, a, related()[a.term], ofRelated)
		}
	}
	return out, unknown, nil
}

// also adds terms that stand for one that was asked for.
func also(out []asked, a asked, terms []string, factor float64) []asked {
	for _, t := range terms {
		if !slices.ContainsFunc(out, func(o asked) bool { return o.term == t }) {
			out = append(out, asked{t, a.word, true, a.weight * factor, a.least})
		}
	}
	return out
}

// found is a term that entries have, and at least how many.
type found struct {
	asked
	count int
}

// split parts the words of a query into terms that entries have and others. The parts of a word
// such as parseCSV count only where no entry has the word.
func (x *Index) split(words string) (known []found, unknown []asked, err error) {
	seen, terms := map[string]bool{}, map[string]string{}
	whole := false // the word before the parts is known
	take := func(a asked) (there bool) {
		if a.term == "" || err != nil {
			return true
		}
		if seen[a.term] {
			return !slices.ContainsFunc(unknown, func(u asked) bool { return u.term == a.term })
		}
		seen[a.term] = true
		if asking()[a.term] {
			a.weight = ofAsking
		}
		var n int
		if n, err = x.count(a.term); n > 0 {
			known = append(known, found{a, n})
			return true
		}
		unknown = append(unknown, a)
		return false
	}
	wordsAndParts(words, func(word []byte, part bool) {
		if part && whole {
			return
		}
		t, met := terms[string(word)]
		if !met {
			t = term(word)
			terms[string(word)] = t
		}
		if there := take(asked{term: t, word: string(word), weight: 1}); !part {
			whole = there
		}
	})
	return known, unknown, err
}

// count is how many entries have a term: exactly, unless there are very many.
func (x *Index) count(term string) (int, error) {
	least, err := x.atLeast(term)
	if err != nil || least > mostRead {
		return least, err
	}
	_, n, err := x.having(term)
	return n, err
}

// rarest are the first terms that no more than mostRead entries have together.
func rarest(known []found, most int) (out []asked) {
	order.Sort(known, func(a, b found) int { return cmp.Or(cmp.Compare(a.count, b.count), strings.Compare(a.term, b.term)) })
	read := 0
	for _, k := range known {
		if read += k.count; len(out) == most || read > mostRead {
			break
		}
		out = append(out, k.asked)
	}
	return out
}

// exact marks entries that the query names, and those with all its terms as tags.
func (x *Index) exact(q Query, terms, unknown []asked, sums []scores) error {
	if q.Rarest > 0 {
		return nil
	}
	counts := map[place]int{}
	plain := 0
	if slices.ContainsFunc(unknown, func(a asked) bool { return a.weight == 1 }) { // nothing has all the words
		terms = nil
	}
	for _, a := range terms {
		if a.near {
			continue
		}
		lists, n, err := x.having(tagMark + a.term)
		if err != nil {
			return err
		}
		if plain++; n == 0 {
			plain = -1
			break
		}
		for i, p := range x.parts {
			if err := lists[i].each(p.Entries, func(id uint32, _ byte) { counts[place{p, id}]++ }); err != nil {
				return err
			}
		}
	}
	mark := func(p place, as Exact) {
		i := slices.IndexFunc(sums, func(s scores) bool { return s.part == p.part })
		sums[i].exact[p.id] = as
	}
	for p, n := range counts {
		if n == plain {
			mark(p, ByTags)
		}
	}
	if len(q.Words) > maxName {
		return nil
	}
	key := names.Fold(strings.Join(strings.Fields(q.Words), "-"))
	at, err := x.places(spaceName, key)
	for _, p := range at {
		path, err := p.path(p.id)
		if err != nil {
			return err
		}
		if names.Fold(capability.FolderOf(path).Name) == key {
			mark(p, ByName)
		}
	}
	return err
}

// maxName is the length from which on words are no name.
const maxName = 256

// tagMark begins the term of a word in a tag.
const tagMark = "#"
