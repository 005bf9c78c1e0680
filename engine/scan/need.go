package scan

import (
	"math/bits"
	"slices"
	"strings"
)

// need is what every match of an expression holds: one of words or of parts, or, if
// all is set, each of parts. Nil asks for nothing. The needs of the patterns stand in
// needs.go; a test derives them from the expressions' syntax.
type need struct {
	words []string
	all   bool
	parts []*need
	// literals are the words as the matcher knows them.
	literals []uint16
}

// either is a need for one of words.
func either(words ...string) *need { return &need{words: words} }

// some is a need for one of parts.
func some(parts ...*need) *need { return &need{parts: parts} }

// every is a need for all of parts.
func every(parts ...*need) *need { return &need{all: true, parts: parts} }

// eachWord calls visit with the lists of words in n and below.
func (n *need) eachWord(visit func(n *need, word string)) {
	if n == nil {
		return
	}
	for _, w := range n.words {
		visit(n, w)
	}
	for _, p := range n.parts {
		p.eachWord(visit)
	}
}

// foldsIntoASCII are the characters that regular expressions take for a k and an s
// where case does not matter. Literals do not, so a text that holds them is not sieved.
const foldsIntoASCII = "\u212a\u017f"

// seenGap is how far apart in bytes two places of a literal are remembered.
const seenGap = 64

// sightings are where literals stand in one text.
type sightings struct {
	// seen has a bit for each literal.
	seen []uint64
	// last is where each literal was last remembered; of one that is not seen it means
	// nothing.
	last []int32
	list []sighting
	// ends[from[l]:from[l+1]] are where literal l ends, in order, once arranged. Where
	// the list is short it is as good by itself.
	from, ends []int32
	arranged   bool
}

// sighting is a literal and the offset behind it.
type sighting struct {
	end     int32
	literal uint16
}

func newSightings(literals int) *sightings {
	return &sightings{seen: make([]uint64, (literals+63)/64), last: make([]int32, literals), from: make([]int32, literals+1)}
}

func (s *sightings) reset() {
	clear(s.seen)
	s.list, s.arranged = s.list[:0], false
}

// add remembers that a literal ends at end, unless it did not long before.
func (s *sightings) add(literal uint16, end int) {
	bit := uint64(1) << (literal & 63)
	if s.seen[literal>>6]&bit != 0 && end-int(s.last[literal]) < seenGap {
		return
	}
	s.seen[literal>>6] |= bit
	s.last[literal] = int32(end)
	s.list = append(s.list, sighting{int32(end), literal})
}

// short is the length of a list that need not be arranged.
const short = 100

// arrange sorts what was added by literal.
func (s *sightings) arrange() {
	if s.arranged = len(s.list) > short; !s.arranged {
		return
	}
	clear(s.from)
	for _, at := range s.list {
		s.from[at.literal+1]++
	}
	for i := range len(s.from) - 1 {
		s.from[i+1] += s.from[i]
	}
	s.ends = slices.Grow(s.ends[:0], len(s.list))[:len(s.list)]
	// last is not needed any more and counts what was placed.
	for w, word := range s.seen {
		for ; word != 0; word &= word - 1 {
			l := w<<6 | bits.TrailingZeros64(word)
			s.last[l] = s.from[l]
		}
	}
	for _, at := range s.list {
		s.ends[s.last[at.literal]] = at.end
		s.last[at.literal]++
	}
}

func (s *sightings) has(literal uint16) bool { return s.seen[literal>>6]>>(literal&63)&1 != 0 }

// within reports whether literal may end in a span: a little earlier counts, too, as
// not every place is remembered.
func (s *sightings) within(literal uint16, near span) bool {
	if !s.has(literal) {
		return false
	}
	if !s.arranged {
		return slices.ContainsFunc(s.list, func(at sighting) bool {
			return at.literal == literal && int(at.end) >= near.start-seenGap && int(at.end) <= near.end
		})
	}
	ends := s.ends[s.from[literal]:s.from[literal+1]]
	i, _ := slices.BinarySearch(ends, int32(near.start-seenGap))
	return i < len(ends) && int(ends[i]) <= near.end
}

// met reports whether a text can hold what n asks for.
func (n *need) met(s *sightings) bool {
	if n == nil {
		return true
	}
	return n.by(func(literal uint16) bool { return s.has(literal) })
}

// metNear reports whether a span of it can.
func (n *need) metNear(s *sightings, near span) bool {
	if n == nil {
		return true
	}
	return n.by(func(literal uint16) bool { return s.within(literal, near) })
}

func (n *need) by(has func(literal uint16) bool) bool {
	if slices.ContainsFunc(n.literals, has) {
		return true
	}
	for _, p := range n.parts {
		if p.by(has) != n.all {
			return !n.all
		}
	}
	return n.all
}

// sieved reports whether the literals say everything about what text can match.
func sieved(text string) bool {
	for _, c := range foldsIntoASCII {
		if strings.ContainsRune(text, c) {
			return false
		}
	}
	return true
}
