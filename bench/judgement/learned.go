package main

import (
	"crypto/sha256"
	"fmt"

	"github.com/assent-dev/assent/engine/registry/index"
)

// untried reports whether a tool has no past missions, in the judgement of those: one of five, by the
// digest of its name.
func untried(name string) bool {
	sum := sha256.Sum256([]byte("tool " + name))
	return sum[30] < 51
}

// developed reports whether an open query judges while the ranking is made; the other open ones teach.
func developed(q query) bool {
	sum := sha256.Sum256([]byte(q.text))
	return sum[30] < 64
}

// learned judges find after past missions: the open queries that teach, as missions that their tool
// served. Sealed queries judge it, or else the rest of the open ones.
func learned(x *index.Index, queries []query, sealed bool) (out []figure, err error) {
	judging := part(queries, sealed)
	var teaching []query
	for _, q := range part(queries, false) {
		if !developed(q) {
			teaching = append(teaching, q)
		}
	}
	if !sealed {
		judging = nil
		for _, q := range part(queries, false) {
			if developed(q) {
				judging = append(judging, q)
			}
		}
	}
	for _, t := range []struct {
		most  int
		fresh bool
	}{{1, false}, {5, false}, {20, false}, {20, true}} {
		set := fmt.Sprintf("questions for one tool; missions of each tool before: at most %d", t.most)
		asked := judging
		if t.fresh {
			set = fmt.Sprintf("questions for the tools without missions; of each other tool before: at most %d", t.most)
			asked = nil
			for _, q := range judging {
				if untried(q.right[0]) {
					asked = append(asked, q)
				}
			}
		}
		l := index.Learn(lessons(teaching, t.most, t.fresh))
		r, err := askBy(asked, func(q index.Query) ([]index.Match, error) {
			return l.Search(q, x.Find, func(name string) ([]index.Entry, error) { return entriesOf(x, name) })
		})
		if err != nil {
			return nil, err
		}
		out = append(out, r.figures(set, nil)[:2]...)
	}
	return out, nil
}

// lessons are at most so many of each tool, in the order of the queries; with fresh none of those
// that stay untried.
func lessons(teaching []query, most int, fresh bool) (out []index.Lesson) {
	n := map[string]int{}
	for _, q := range teaching {
		name := q.right[0]
		if n[name]++; n[name] <= most && !(fresh && untried(name)) {
			out = append(out, index.Lesson{Name: name, Text: q.text, Weight: 1})
		}
	}
	return out
}

// entriesOf finds the entry of a name among all.
func entriesOf(x *index.Index, name string) ([]index.Entry, error) {
	for e, err := range x.Entries() {
		if err != nil || e.Name == name {
			return []index.Entry{e}, err
		}
	}
	return nil, nil
}
