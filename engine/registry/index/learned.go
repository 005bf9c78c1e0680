package index

import (
	"cmp"
	"maps"
	"math"

	"github.com/assent-dev/assent/engine/base/order"
)

// Lesson is a text for which a capability, by its folded name, served well. Weight is from 0 to 1.
type Lesson struct {
	Name, Text string
	Weight     float64
}

// nearest is how many lessons are compared with a query, those that resemble it most.
const nearest = 10

// Learned compares queries with lessons. The nil Learned has none.
type Learned struct {
	lessons []Lesson
	// having lists for each term the lessons that have it, with the term's part of the lesson.
	having map[string][]occurrence
	taught map[string]bool
	// Factor multiplies the share and likeness of an answer; nil changes none.
	Factor func(Entry) float64
}

type occurrence struct {
	lesson int
	part   float64
}

// Learn prepares lessons. Lessons without words teach nothing.
func Learn(lessons []Lesson) *Learned {
	l := &Learned{lessons: lessons, having: map[string][]occurrence{}, taught: map[string]bool{}}
	texts := make([][]string, len(lessons))
	for i, s := range lessons {
		texts[i] = Terms(s.Text)
		for _, t := range texts[i] {
			l.having[t] = append(l.having[t], occurrence{lesson: i})
			l.taught[s.Name] = true
		}
	}
	for t, at := range l.having {
		for i := range at {
			at[i].part = l.rarity(t) / l.length(texts[at[i].lesson])
		}
	}
	return l
}

// rarity is the inverse document frequency of a term among the lessons.
func (l *Learned) rarity(term string) float64 {
	return math.Log(1 + float64(len(l.lessons))/float64(1+len(l.having[term])))
}

// length is the Euclidean length of a text's vector.
func (l *Learned) length(terms []string) float64 {
	sum := 0.0
	for _, t := range terms {
		sum += l.rarity(t) * l.rarity(t)
	}
	return math.Sqrt(sum)
}

// Like returns for each capability how much the words are like its lessons: the sum of the squared
// cosines with those of the nearest lessons that are about it, by their weights, and 1 at most.
func (l *Learned) Like(words string) map[string]float64 {
	if l == nil || len(l.lessons) == 0 {
		return nil
	}
	terms := Terms(words)
	if len(terms) > mostAsked {
		order.Stable(terms, func(a, b string) int { return cmp.Compare(l.rarity(b), l.rarity(a)) })
		terms = terms[:mostAsked]
	}
	length := l.length(terms)
	cosines := map[int]float64{}
	for _, t := range terms {
		for _, o := range l.having[t] {
			cosines[o.lesson] += l.rarity(t) / length * o.part
		}
	}
	closest := order.Sorted(maps.Keys(cosines), func(a, b int) int { return cmp.Or(cmp.Compare(cosines[b], cosines[a]), cmp.Compare(a, b)) })
	out := map[string]float64{}
	for _, i := range closest[:min(len(closest), nearest)] {
		s := l.lessons[i]
		out[s.Name] = min(1, out[s.Name]+s.Weight*cosines[i]*cosines[i])
	}
	return out
}
