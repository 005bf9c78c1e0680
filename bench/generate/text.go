package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// author writes one capability's text. Common words are common and rare ones rare,
// roughly as 1/rank, and each text has a few that hardly any other has: a search
// index is as large, and as selective, as with texts of people.
type author struct {
	*rand.Rand
	name, verb, quality, thing string
}

func newAuthor(seed uint64, i int) author {
	name := Name(i)
	words := strings.SplitN(name, "-", 3)
	return author{rand.New(rand.NewPCG(seed, uint64(i))), name, words[0], words[1], words[2]}
}

// word draws one word.
func (a author) word() string {
	switch n := a.IntN(100); {
	case n < 55:
		return zipf(a.Rand, plain)
	case n < 65:
		return a.thing
	case n < 80:
		return zipf(a.Rand, things)
	case n < 88:
		return zipf(a.Rand, qualities)
	case n < 97:
		return zipf(a.Rand, verbs)
	}
	return a.rare()
}

// zipf draws an element with a probability of about one over its rank.
func zipf(r *rand.Rand, words []string) string {
	n := float64(len(words))
	u := r.Float64()
	return words[min(int(n*u*u), len(words)-1)]
}

// rare makes up a word of syllables, one of about 160 000.
func (a author) rare() string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for range 2 + a.IntN(2) {
		b.WriteByte(consonants[a.IntN(len(consonants))])
		b.WriteByte(vowels[a.IntN(len(vowels))])
	}
	b.WriteByte(consonants[a.IntN(len(consonants))])
	return b.String()
}

// sentence has between least and least+8 words.
func (a author) sentence(least int) string {
	words := make([]string, least+a.IntN(8))
	for i := range words {
		words[i] = a.word()
	}
	s := strings.Join(words, " ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

func (a author) paragraph(sentences int) string {
	out := make([]string, sentences)
	for i := range out {
		out[i] = a.sentence(7)
	}
	return strings.Join(out, " ")
}

func (a author) description() string {
	return fmt.Sprintf("%s%s %s %s: %s Use when %s %s have to be handled, or somebody asks to %s %s.",
		strings.ToUpper(a.verb[:1]), a.verb[1:], a.quality, a.thing, strings.ToLower(a.sentence(6)), a.quality, a.thing, a.verb, a.thing)
}

// skill is a whole SKILL.md: two or three kilobytes in half a dozen sections.
func (a author) skill() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %q\n", a.name, a.description())
	if a.IntN(3) == 0 {
		b.WriteString("license: MIT\n")
	}
	fmt.Fprintf(&b, "---\n\n# %s %s %s\n\n%s\n", a.verb, a.quality, a.thing, a.paragraph(2))
	for range 3 + a.IntN(4) {
		fmt.Fprintf(&b, "\n## %s %s\n\n%s\n", zipf(a.Rand, verbs), zipf(a.Rand, things), a.paragraph(2+a.IntN(3)))
		for range a.IntN(5) {
			fmt.Fprintf(&b, "- %s\n", a.sentence(5))
		}
	}
	return []byte(b.String())
}
