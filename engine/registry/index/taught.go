package index

import (
	"cmp"
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
)

// atLeast is how many answers are ranked again.
const atLeast = 50

// leastLike is the likeness that an answer without any of the words has at least.
const leastLike = 0.05

// reserved are the places, from 0, that are kept for capabilities without lessons.
var reserved = []int{2, 4}

// Search ranks the answers of find by their shares and their likeness to lessons. Named returns the
// entries with a name, for answers that have none of the words. Two of the first five places are kept
// for the best answers without lessons, so that something new is seen.
func (l *Learned) Search(q Query, find func(Query) ([]Match, error), named func(string) ([]Entry, error)) ([]Match, error) {
	like := l.Like(q.Words)
	learned := len(like) > 0
	if !learned && (l == nil || l.Factor == nil) {
		return find(q)
	}
	limit := max(q.Limit, 0)
	q.Limit = max(limit, atLeast)
	found, err := find(q)
	if err != nil {
		return nil, err
	}
	plain := slices.Clone(found) // in the order of the words alone
	for i, m := range found {
		name := names.Fold(m.Name)
		found[i].Learned = discounted(m.Entry, like[name])
		delete(like, name)
	}
	for _, name := range slices.Sorted(maps.Keys(like)) {
		entries, err := named(name)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if m := (Match{Entry: e, Learned: discounted(e, like[name])}); m.Learned >= leastLike && q.Admits(e) {
				found = append(found, m)
			}
		}
	}
	order.Stable(found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Exact, a.Exact), cmp.Compare(l.rank(b), l.rank(a)))
	})
	if learned {
		found = l.reserve(found, plain)
	}
	return found[:min(len(found), limit)], nil
}

// rank is the value by which answers are ordered.
func (l *Learned) rank(m Match) float64 {
	if l.Factor == nil {
		return m.Share + m.Learned
	}
	return (m.Share + m.Learned) * l.Factor(m.Entry)
}

// discounted is the likeness of an entry, half of it unless it is active.
func discounted(e Entry, like float64) float64 {
	if e.Status != capability.Active {
		return like * deprecated
	}
	return like
}

// reserve moves the best answers without lessons, by words alone, to the reserved places, unless
// they come earlier. Answers that the words name stay before them.
func (l *Learned) reserve(found, plain []Match) []Match {
	for _, place := range reserved {
		next := slices.IndexFunc(plain, func(m Match) bool { return !l.taught[names.Fold(m.Name)] })
		if next < 0 {
			break
		}
		path := plain[next].Path
		plain = plain[next+1:]
		at := slices.IndexFunc(found, func(m Match) bool { return m.Path == path })
		if at > place && found[place].Exact <= found[at].Exact {
			m := found[at]
			found = slices.Insert(slices.Delete(found, at, at+1), place, m)
		}
	}
	return found
}
