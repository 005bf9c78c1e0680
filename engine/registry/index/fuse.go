package index

import (
	"cmp"
	"math"

	"github.com/assent-dev/assent/engine/base/order"
)

const (
	// soften is the constant of reciprocal rank fusion, as Cormack, Clarke and Büttcher give it
	// ("Reciprocal Rank Fusion", 2009).
	soften = 60
	// mostAlike is how many answers have none of the words, standsOut by how many standard
	// deviations their likeness exceeds the mean one. Cosines of different models do not compare.
	mostAlike, standsOut = 10, 2.0
)

// Alike is an entry with the cosine of its vector and the query's.
type Alike struct {
	Entry
	Cosine float64
}

// Fit is how well an answer fits, from 0 to 1.
func (m Match) Fit() float64 {
	if m.Meaning != nil {
		return m.Fused
	}
	return min(1, m.Share+m.Learned)
}

// Fuse ranks answers again, in place, by 1/(60 + place among them) + 1/(60 + place by meaning). Answers that
// the words name, and those without a vector, keep their places. An answer takes over the fit of
// the one whose place it got: the words still decide whether anything fits.
func Fuse(found []Match, alike []Alike, limit int) []Match {
	order.Stable(alike, func(a, b Alike) int { return cmp.Compare(b.Cosine, a.Cosine) })
	rank := map[string]int{}
	for i, a := range alike {
		rank[a.Path] = i
	}
	var free []Match
	var fits []float64
	var slots []int
	scores := map[string]float64{}
	for i, m := range found {
		place, known := rank[m.Path]
		delete(rank, m.Path)
		if !known || m.Exact != Fits {
			continue
		}
		slots, fits = append(slots, i), append(fits, m.Fit())
		m.Meaning = &alike[place].Cosine
		scores[m.Path] = 1/float64(soften+i) + 1/float64(soften+place)
		free = append(free, m)
	}
	enough := exceptional(alike)
	for i, a := range alike[:min(len(alike), mostAlike)] {
		if _, more := rank[a.Path]; more && a.Cosine >= enough {
			scores[a.Path] = 1 / float64(soften+i)
			free = append(free, Match{Entry: a.Entry, Meaning: &alike[i].Cosine})
		}
	}
	order.Stable(free, func(a, b Match) int { return cmp.Compare(scores[b.Path], scores[a.Path]) })
	for i, m := range free {
		if i >= len(slots) {
			found = append(found, m)
			continue
		}
		m.Fused = fits[i]
		found[slots[i]] = m
	}
	return found[:min(len(found), max(limit, 0))]
}

// exceptional is the cosine from which on an entry stands out among the others.
func exceptional(alike []Alike) float64 {
	sum, squares, n := 0.0, 0.0, float64(max(1, len(alike)))
	for _, a := range alike {
		sum += a.Cosine
		squares += a.Cosine * a.Cosine
	}
	return sum/n + standsOut*math.Sqrt(max(0, squares/n-sum*sum/n/n))
}
