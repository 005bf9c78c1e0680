package index

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/assent-dev/assent/engine/format/capability"
)

// saturation is k1 of BM25, as Robertson and Zaragoza give it in "The Probabilistic Relevance
// Framework: BM25 and Beyond" (2009), section 3.
const saturation = 1.2

// Deprecated and retired capabilities still match, but are seldom the right choice: their score
// is multiplied by these.
const (
	deprecated = 0.5
	retired    = 0.1
)

// Query asks for the capabilities that fit some words.
type Query struct {
	Words string
	// Limit bounds the answers; less than one means none.
	Limit int
	// Kind and Status admit one kind or status only; empty admits all.
	Kind   capability.Kind
	Status capability.Status
	// Admit, if set, selects the capabilities that may be answers.
	Admit func(Entry) bool
	// Rarest, if positive, limits the query to that many of its words, those that the
	// fewest capabilities have, and to some thousand capabilities that have them. That is
	// enough to find the ones with the most words in common, at a cost that hardly grows
	// with the number of capabilities. Misspelt words find nothing then.
	Rarest int
	// Explain requests the parts of each score.
	Explain bool
}

// Admits reports whether an entry may be an answer.
func (q Query) Admits(e Entry) bool {
	return (q.Kind == "" || e.Kind == q.Kind) && (q.Status == "" || e.Status == q.Status) && (q.Admit == nil || q.Admit(e))
}

// Match is one answer. Scores of one query compare with each other, and with
// nothing else.
type Match struct {
	Entry
	Score float64
	// Share is the answered share of the query, from 0 to 1: 1 if the words name the capability, and
	// else its score divided by that of a description with all the words.
	Share float64
	// Learned is the likeness to lessons about the capability, from 0 to 1 (Learned.Like); Find
	// does not fill it in.
	Learned float64
	// Meaning is the cosine of its vector and the query's, set by Fuse; nil if it has no vector.
	Meaning *float64
	// Fused is what it fits then.
	Fused float64
	Exact Exact
	// Parts are the contributions of the terms to the score, if requested.
	Parts []Part
}

// Part is the contribution of one term to a score.
type Part struct {
	// Word is a word of the query, Term the matching term.
	Word, Term string
	// Near: the term is not the word's own, but resembles it, contains it or is used in its place.
	Near  bool
	Score float64
}

// Exact says that a query names something, which comes before all that only fits.
type Exact int

// The ways to name something.
const (
	Fits   Exact = iota
	ByTags       // its tags have all the words
	ByName       // the words are its name
)

// String is name, tags or nothing.
func (e Exact) String() string { return [...]string{"", "tags", "name"}[e] }

// Find returns the best matches: first those whose name matches, then those whose tags match, then
// the highest scores, and equal ones in the order of capability.Folders.
//
// The score is the sum over the query's terms of
//
//	idf · tf·(k1+1) / (tf + k1)
//
// with idf = ln(1 + (N-n+0.5)/(n+0.5)), where n of N capabilities have the term. tf is the sum
// over the fields of what an occurrence counts there (field.each), as in BM25F: Robertson,
// Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields" (2004).
func (x *Index) Find(q Query) ([]Match, error) {
	sums := make([]scores, len(x.parts))
	for i, p := range x.parts {
		var err error
		if sums[i], err = newScores(p); err != nil {
			return nil, err
		}
	}
	asked, unknown, err := x.asked(q)
	if err != nil {
		return nil, err
	}
	for _, a := range asked {
		if err := x.add(a, sums); err != nil {
			return nil, err
		}
	}
	if err := x.exact(q, asked, unknown, sums); err != nil {
		return nil, err
	}
	q.Limit = min(max(q.Limit, 0), x.Len())
	for enough := 2*q.Limit + 16; ; enough *= 8 {
		out, at, all, err := best(sums, q, enough)
		if err != nil {
			return nil, err
		}
		if len(out) >= q.Limit || all {
			out = out[:min(len(out), max(q.Limit, 0))]
			if err := x.shares(out, q, asked, unknown); err != nil {
				return nil, err
			}
			if q.Explain {
				err = x.explain(out, at, asked)
			}
			return out, err
		}
	}
}

// mostRead bounds how many entries the rarest words are looked up in, all together.
const mostRead = 10_000

// scores are the sums of one part's entries.
type scores struct {
	*part
	traits []byte
	sums   []float64
	exact  map[uint32]Exact
}

func newScores(p *part) (scores, error) {
	t, err := p.bytes(traits, 0, p.spans[traits].size)
	return scores{p, t, make([]float64, p.Entries), map[uint32]Exact{}}, err
}

// atLeast is a lower bound of how many have a word, for which no list is read.
func (x *Index) atLeast(word string) (int, error) {
	n := 0
	for _, p := range x.parts {
		l, err := p.posting(spaceTerm, word)
		if err != nil {
			return 0, err
		}
		n += max(0, l.count-len(p.dead))
	}
	return n, nil
}

// having returns the entries that have a word: a list for each part, and the number of live ones.
func (x *Index) having(word string) (lists []posting, n int, err error) {
	lists = make([]posting, len(x.parts))
	for i, p := range x.parts {
		if lists[i], err = p.posting(spaceTerm, word); err != nil {
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

// add adds the value of one term to the sums of all entries that have it.
func (x *Index) add(a asked, sums []scores) error {
	lists, worth, err := x.worth(a)
	for i, s := range sums {
		if err == nil {
			err = lists[i].each(s.Entries, func(id uint32, weight byte) { s.sums[id] += worth[weight] })
		}
	}
	return err
}

// worth returns the entries that have a term, and its value by weight.
func (x *Index) worth(a asked) (lists []posting, worth [256]float64, err error) {
	lists, having, err := x.having(a.term)
	n, all := float64(max(having, a.least)), float64(x.Len())
	idf := math.Log(1 + (all-n+0.5)/(n+0.5))
	for i, tf := range unpacked() {
		worth[i] = a.weight * idf * tf * (saturation + 1) / (tf + saturation)
	}
	return lists, worth, err
}

// shares fills in the share of each answer.
func (x *Index) shares(out []Match, q Query, terms, unknown []asked) error {
	if q.Rarest > 0 { // only some of the words were looked for
		return nil
	}
	all := 0.0
	plain := func(a asked) error {
		_, worth, err := x.worth(a)
		all += worth[packWeight(inDescription.weight)]
		return err
	}
	for _, a := range terms {
		if !a.near {
			if err := plain(a); err != nil {
				return err
			}
		}
	}
	for _, a := range unknown[:min(len(unknown), mostAsked)] {
		if err := plain(a); err != nil {
			return err
		}
	}
	for i, m := range out {
		switch {
		case m.Exact == ByName:
			out[i].Share = 1
		case all > 0:
			out[i].Share = min(1, m.Score/all)
		}
	}
	return nil
}

// explain adds the contribution of each term to the answers.
func (x *Index) explain(out []Match, at []place, terms []asked) error {
	numbers := map[place]int{}
	for i := range out {
		numbers[at[i]] = i
	}
	for _, a := range terms {
		lists, worth, err := x.worth(a)
		if err != nil {
			return err
		}
		for i, p := range x.parts {
			if err := lists[i].each(p.Entries, func(id uint32, weight byte) {
				if n, asked := numbers[place{p, id}]; asked {
					out[n].Parts = append(out[n].Parts, Part{a.word, a.term, a.near, worth[weight]})
				}
			}); err != nil {
				return err
			}
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
	exact Exact
}

// best picks entries with the highest sums that the query admits. It looks at no more than
// enough of them, and all is set where there are no others.
func best(sums []scores, q Query, enough int) (out []Match, at []place, all bool, err error) {
	kind, status := number(capability.Kinds(), q.Kind), number(capability.Statuses(), q.Status)
	low, old := number(capability.Statuses(), capability.Deprecated), number(capability.Statuses(), capability.Retired)
	var top []candidate // in order, at most enough
	all = true
	for _, s := range sums {
		for id, score := range s.sums {
			exact := Fits
			if len(s.exact) > 0 {
				exact = s.exact[uint32(id)]
			}
			if score == 0 && exact == Fits || s.dead[uint32(id)] {
				continue
			}
			t := s.traits[traitSize*id:]
			if q.Kind != "" && t[0] != kind || q.Status != "" && t[1] != status {
				continue
			}
			switch t[1] {
			case low:
				score *= deprecated
			case old:
				score *= retired
			}
			if len(top) >= enough {
				if all = false; exact < top[len(top)-1].exact || exact == top[len(top)-1].exact && score < top[len(top)-1].score {
					continue
				}
			}
			if top, err = insert(top, candidate{place{s.part, uint32(id)}, score, exact}, enough); err != nil {
				return nil, nil, false, err
			}
		}
	}
	for _, c := range top {
		e, err := c.entry(c.id)
		if err != nil {
			return nil, nil, false, err
		}
		if q.Admits(e) {
			out, at = append(out, Match{Entry: e, Score: c.score, Exact: c.exact}), append(at, c.place)
		}
	}
	return out, at, all, nil
}

// insert keeps top in order and within the limit.
func insert(top []candidate, c candidate, limit int) ([]candidate, error) {
	var failed error
	at, _ := slices.BinarySearchFunc(top, c, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.exact, a.exact), cmp.Compare(b.score, a.score), comparePlaces(a.place, b.place, &failed))
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
