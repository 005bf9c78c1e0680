package index

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// grams are the places of terms by the three characters in a row that they have, with which a
// misspelt word is found.
type grams map[string]*list

// Terms of these lengths, in characters, are found although they are misspelt.
const (
	shortestNear = 4
	longestNear  = 24
)

// add adds a term at a place, which is higher than those before.
func (g grams) add(term string, at uint32) {
	eachGram(term, func(gram string, length int) {
		l := g[gram]
		if l == nil {
			l = &list{}
			g[gram] = l
		}
		if l.count == 0 || l.last != at {
			l.add(at, byte(length))
		}
	})
}

// eachGram calls emit for all three characters in a row of a term, with a mark before and after it.
// It does nothing for terms in which no misspelling is looked for.
func eachGram(term string, emit func(gram string, length int)) {
	n := utf8.RuneCountInString(term)
	if n < shortestNear || n > longestNear {
		return
	}
	runes := make([]rune, 0, longestNear+2)
	runes = append(runes, '^')
	for _, r := range term {
		if !unicode.IsLetter(r) {
			return
		}
		runes = append(runes, r)
	}
	runes = append(runes, '$')
	for i := range n {
		emit(string(runes[i:i+3]), n)
	}
}

// slips is how many characters of a term may be wrong.
func slips(length int) int {
	if length < 8 {
		return 1
	}
	return 2
}

// nearest returns the terms that a word which nothing has may have been meant to be, those with
// the fewest wrong characters, and how many these are.
func (x *Index) nearest(word string) (out []string, wrong int, err error) {
	wrong = slips(utf8.RuneCountInString(word))
	var failed error
	for _, p := range x.parts {
		found, err := p.sharing(word)
		if err != nil {
			return nil, 0, err
		}
		for _, term := range found {
			d := distance(word, term, wrong)
			if d > wrong || slices.Contains(out, term) {
				continue
			}
			if _, n, err := x.having(term); err != nil || n == 0 {
				failed = cmp.Or(failed, err)
				continue
			}
			if d < wrong {
				out, wrong = nil, d
			}
			out = append(out, term)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxNear)], wrong, failed
}

// maxNear bounds the terms that replace one misspelt word.
const maxNear = 3

// sharing lists the terms of a segment that share as many grams with a misspelt word as its
// correct form does: a wrong character changes three, two swapped characters four.
func (s *Segment) sharing(word string) ([]string, error) {
	type shared struct{ grams, length int }
	found := map[uint32]shared{}
	length := 0
	var failed error
	eachGram(word, func(gram string, n int) {
		length = n
		p, err := s.posting(spaceGram, gram)
		if err == nil {
			err = p.each(uint32(s.spans[postings].size), func(at uint32, length byte) {
				found[at] = shared{found[at].grams + 1, int(length)}
			})
		}
		failed = cmp.Or(failed, err)
	})
	var out []string
	for at, f := range found {
		if k := slips(length); failed != nil || f.grams < max(1, max(length, f.length)-4*k) || max(length, f.length)-min(length, f.length) > k {
			continue
		}
		term, _, _, err := s.postingAt(at)
		if err != nil {
			return nil, err
		}
		out = append(out, term)
	}
	return out, failed
}

// distance counts the characters that must be put in, left out, replaced or exchanged with
// their neighbour to make b of a; anything above most is more than most.
func distance(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > most || len(y)-len(x) > most {
		return most + 1
	}
	before, last, now := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		now[0] = i + 1
		for j := range y {
			same := 1
			if x[i] == y[j] {
				same = 0
			}
			now[j+1] = min(last[j+1]+1, now[j]+1, last[j]+same)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(y)]
}

// compounds returns the terms that a word begins or ends, such as csvtools for csv.
func (x *Index) compounds(word string) ([]string, error) {
	if len(word) < shortestPart {
		return nil, nil
	}
	var out []string
	for _, p := range x.parts {
		found, err := p.containing(word)
		if err != nil {
			return nil, err
		}
		for _, term := range found {
			begins, ends := strings.HasPrefix(term, word), strings.HasSuffix(term, word)
			if (begins || ends) && len(term) >= len(word)+shortestPart && !slices.Contains(out, term) {
				out = append(out, term)
			}
		}
	}
	slices.Sort(out)
	if len(out) > maxCompounds { // a syllable
		return nil, nil
	}
	return out, nil
}

const (
	// shortestPart is how short the parts of a compound may be.
	shortestPart = 3
	maxCompounds = 12
	// mostContaining bounds how many terms are looked at.
	mostContaining = 256
)

// containing lists the terms of a segment that share the rarest gram of a word.
func (s *Segment) containing(word string) ([]string, error) {
	var rarest posting
	runes := []rune(word)
	for i := 0; i+3 <= len(runes); i++ {
		p, err := s.posting(spaceGram, string(runes[i:i+3]))
		if err != nil || p.count == 0 {
			return nil, err
		}
		if i == 0 || p.count < rarest.count {
			rarest = p
		}
	}
	if rarest.count > mostContaining {
		return nil, nil
	}
	var out []string
	var failed error
	err := rarest.each(uint32(s.spans[postings].size), func(at uint32, _ byte) {
		term, _, _, err := s.postingAt(at)
		if failed = cmp.Or(failed, err); strings.Contains(term, word) {
			out = append(out, term)
		}
	})
	return out, cmp.Or(err, failed)
}
