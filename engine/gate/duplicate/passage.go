package duplicate

import (
	"slices"

	"github.com/assent-dev/assent/engine/registry/index"
)

// Passage is a piece of text, prepared for comparing.
type Passage struct {
	text         string
	words, pairs set
}

// PassageOf prepares the first 256 KiB of a text.
func PassageOf(text string) Passage {
	p := Passage{text: plain(text[:min(len(text), maxText)])}
	p.words, p.pairs = shingles(p.text)
	return p
}

// Empty reports whether there is nothing in it.
func (p Passage) Empty() bool { return p.text == "" }

// copied is the share of the pairs of words of the shorter of two passages that the longer
// one has as well, from which on one is taken out of the other. A name that is changed
// throughout leaves that much.
const copied = 0.75

// enoughWhole is how many different words a passage needs to be compared as a whole text.
const enoughWhole = 10

// Like reports whether one passage is nearly the other or a part of it: apart from blanks, or in
// most pairs of neighbouring words. A short one is never a part of another, because common
// phrases occur in many texts.
func (p Passage) Like(o Passage) bool {
	if p.text == o.text {
		return true
	}
	both := jaccard(p.pairs, o.pairs) // of n and m pairs, c in common: c / (n + m - c)
	n, m := float64(len(p.pairs)), float64(len(o.pairs))
	least := min(n, m)
	switch words := min(len(p.words), len(o.words)); {
	case words < enoughWhole:
		return false
	case words < enough:
		least = max(n, m)
	}
	return both*(n+m)/(1+both) >= copied*least
}

// SameGoal reports whether two goals mean the same: they have the same terms, in any order and
// form. Goals of fewer than two terms must have the same words in the same order.
func SameGoal(a, b string) bool {
	if terms := index.Terms(a); len(terms) > 1 {
		return slices.Equal(terms, index.Terms(b))
	}
	words := func(text string) (out []string) {
		index.Words(text, func(word []byte) { out = append(out, string(word)) })
		return out
	}
	is := words(a)
	return len(is) > 0 && slices.Equal(is, words(b))
}
