package index

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/format/capability"
)

// The parameters of BM25, as Robertson and Zaragoza give them in "The
// Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.
const (
	saturation = 1.2  // k1
	lengthBias = 0.75 // b
)

// What is deprecated or retired still fits the words, but is seldom what somebody
// should take: its score is multiplied by these.
const (
	deprecated = 0.5
	retired    = 0.1
)

// Query asks for the capabilities that fit some words.
type Query struct {
	Words string
	// Limit bounds the answers; less than one means none.
	Limit int
	// Kind admits one kind only; empty admits all.
	Kind capability.Kind
	// Rarest, when positive, lets only that many of the words count, those that the
	// fewest capabilities have, and of them no more than some thousand capabilities
	// have together: enough to find what has most words in common, at a cost that
	// hardly grows with the number of capabilities.
	Rarest int
}

// Match is one answer. Scores of one query compare with each other, and with
// nothing else.
type Match struct {
	Entry
	Score float64
}

// Find returns the best matches, the best first, and those of one score in the
// order of capability.Folders.
//
// The score is the sum over the query's words of
//
//	idf · tf·(k1+1) / (tf + k1·(1-b+b·length/average))
//
// with idf = ln(1 + (N-n+0.5)/(n+0.5)), where n of N capabilities have the word.
// A word counts in tf by the field that it stands in, before saturation, as in
// Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted
// fields" (2004); length is the sum of all such counts.
func (x *Index) Find(q Query) ([]Match, error) {
	sums := make([]scores, len(x.parts))
	for i, p := range x.parts {
		var err error
		if sums[i], err = newScores(p); err != nil {
			return nil, err
		}
	}
	asked, err := x.asked(q)
	if err != nil {
		return nil, err
	}
	norms := x.norms()
	for _, word := range asked {
		if err := x.add(word, sums, norms); err != nil {
			return nil, err
		}
	}
	return best(sums, q)
}

// asked are the words of a query that count, each once.
func (x *Index) asked(q Query) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	Words(q.Words, func(word []byte) {
		if !seen[string(word)] {
			seen[string(word)] = true
			out = append(out, string(word))
		}
	})
	if q.Rarest < 1 {
		return out, nil
	}
	count := make(map[string]int, len(out))
	for _, word := range out {
		least, err := x.atLeast(word)
		if err != nil {
			return nil, err
		}
		if count[word] = least; least > mostRead {
			continue
		}
		if _, count[word], err = x.having(word); err != nil {
			return nil, err
		}
	}
	out = slices.DeleteFunc(out, func(w string) bool { return count[w] == 0 || count[w] > mostRead })
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(count[a], count[b]), strings.Compare(a, b)) })
	read := 0
	for i, word := range out {
		if read += count[word]; i == q.Rarest || read > mostRead {
			return out[:i], nil
		}
	}
	return out, nil
}

// mostRead bounds how many entries the rarest words are looked up in, all together.
const mostRead = 10_000

// scores are the sums of one part's entries.
type scores struct {
	*part
	traits []byte
	sums   []float64
}

func newScores(p *part) (scores, error) {
	t, err := p.bytes(traits, 0, p.spans[traits].size)
	return scores{p, t, make([]float64, p.Entries)}, err
}

// norms returns k1·(1-b+b·length/average) for each length that is common.
func (x *Index) norms() func(length uint16) float64 {
	total, count := uint64(0), x.Len()
	for _, p := range x.parts {
		total += p.words
		for id := range p.dead {
			if t, err := p.bytes(traits, traitSize*uint64(id), traitSize); err == nil {
				total -= uint64(binary.LittleEndian.Uint16(t))
			}
		}
	}
	average := max(1, float64(total)/float64(max(1, count)))
	of := func(length uint16) float64 {
		return saturation * (1 - lengthBias + lengthBias*float64(length)/average)
	}
	var table [1024]float64
	for i := range table {
		table[i] = of(uint16(i))
	}
	return func(length uint16) float64 {
		if int(length) < len(table) {
			return table[length]
		}
		return of(length)
	}
}

// atLeast is a lower bound of how many have a word, for which no list is read.
func (x *Index) atLeast(word string) (int, error) {
	n := 0
	for _, p := range x.parts {
		l, err := p.posting(word)
		if err != nil {
			return 0, err
		}
		n += max(0, l.count-len(p.dead))
	}
	return n, nil
}

// having finds who has a word: a list for each part, and how many of those live.
func (x *Index) having(word string) (lists []posting, n int, err error) {
	lists = make([]posting, len(x.parts))
	for i, p := range x.parts {
		if lists[i], err = p.posting(word); err != nil {
			return nil, 0, err
		}
		n += lists[i].count
		if len(p.dead) == 0 {
			continue
		}
		if err := lists[i].each(p.Entries, func(id uint32, _ byte) {
			if p.dead[id] {
				n--
			}
		}); err != nil {
			return nil, 0, err
		}
	}
	return lists, n, nil
}

// add adds what one word is worth to everybody who has it.
func (x *Index) add(word string, sums []scores, norm func(uint16) float64) error {
	lists, having, err := x.having(word)
	if err != nil {
		return err
	}
	n, all := float64(having), float64(x.Len())
	idf := math.Log(1 + (all-n+0.5)/(n+0.5))
	for i, s := range sums {
		err := lists[i].each(s.Entries, func(id uint32, weight byte) {
			tf := float64(weight)
			s.sums[id] += idf * tf * (saturation + 1) / (tf + norm(binary.LittleEndian.Uint16(s.traits[traitSize*id:])))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls visit for every entry of the list, all below limit.
func (p posting) each(limit uint32, visit func(id uint32, weight byte)) error {
	rest, id := p.list, uint64(0)
	for range p.count {
		var step uint64
		n := 1
		if len(rest) > 0 && rest[0] < 0x80 {
			step = uint64(rest[0])
		} else {
			step, n = binary.Uvarint(rest)
		}
		id += step
		if n <= 0 || n >= len(rest) || step >= uint64(limit) || id >= uint64(limit) {
			return ErrDamaged
		}
		visit(uint32(id), rest[n])
		rest = rest[n+1:]
	}
	return nil
}

// candidate is an entry that may be among the best.
type candidate struct {
	place
	score float64
}

// best picks the highest sums.
func best(sums []scores, q Query) ([]Match, error) {
	kind := number(capability.Kinds(), q.Kind)
	low, old := number(capability.Statuses(), capability.Deprecated), number(capability.Statuses(), capability.Retired)
	var top []candidate // in order, at most q.Limit
	for _, s := range sums {
		for id, score := range s.sums {
			if score == 0 || s.dead[uint32(id)] {
				continue
			}
			t := s.traits[traitSize*id:]
			if q.Kind != "" && t[2] != kind {
				continue
			}
			switch t[3] {
			case low:
				score *= deprecated
			case old:
				score *= retired
			}
			if q.Limit < 1 || len(top) >= q.Limit && score < top[len(top)-1].score {
				continue
			}
			var err error
			if top, err = insert(top, candidate{place{s.part, uint32(id)}, score}, q.Limit); err != nil {
				return nil, err
			}
		}
	}
	out := make([]Match, len(top))
	for i, c := range top {
		e, err := c.entry(c.id)
		if err != nil {
			return nil, err
		}
		out[i] = Match{e, c.score}
	}
	return out, nil
}

// insert keeps top in order and within the limit.
func insert(top []candidate, c candidate, limit int) ([]candidate, error) {
	var failed error
	at, _ := slices.BinarySearchFunc(top, c, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), comparePlaces(a.place, b.place, &failed))
	})
	if failed != nil {
		return nil, failed
	}
	top = slices.Insert(top, at, c)
	return top[:min(len(top), limit)], nil
}

// comparePlaces orders entries by path, which within a part is the order of ids.
func comparePlaces(a, b place, failed *error) int {
	if a.part == b.part {
		return cmp.Compare(a.id, b.id)
	}
	pa, err := a.path(a.id)
	if err != nil {
		*failed = err
	}
	pb, err := b.path(b.id)
	if err != nil {
		*failed = err
	}
	return cmp.Compare(pa+"/", pb+"/")
}
