package main

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strings"

	"github.com/assent-dev/assent/bench/wilson"
)

// query is what somebody asks for, and what answers it.
type query struct {
	text  string
	right []string
}

// sealed reports whether a query belongs to the part that is judged once, at the end: three of ten,
// by the last byte of the digest of its text.
func (q query) sealed() bool {
	sum := sha256.Sum256([]byte(q.text))
	return sum[31] < 77
}

// figure is how often an answer was among the first.
type figure struct {
	set, what string
	hits, n   int
	goal      float64 // in per cent, 0 for none
}

// part returns the queries of one part.
func part(all []query, sealed bool) (out []query) {
	for _, q := range all {
		if q.sealed() == sealed {
			out = append(out, q)
		}
	}
	return out
}

// ranks counts for each query how many of the right answers are among the first k.
type ranks struct {
	right [][]int // the places of the right answers of each query, from 0; -1 for none
}

func (r *ranks) add(q query, answers []string) {
	places := make([]int, len(q.right))
	for i, right := range q.right {
		places[i] = -1
		for at, name := range answers {
			if name == right {
				places[i] = at
				break
			}
		}
	}
	r.right = append(r.right, places)
}

// within counts the right answers among the first k, and how many there are.
func (r *ranks) within(k int) (hits, n int) {
	for _, places := range r.right {
		for _, at := range places {
			n++
			if at >= 0 && at < k {
				hits++
			}
		}
	}
	return hits, n
}

// all counts the queries all of whose right answers are among the first k.
func (r *ranks) all(k int) (hits, n int) {
	for _, places := range r.right {
		n++
		fine := true
		for _, at := range places {
			fine = fine && at >= 0 && at < k
		}
		if fine {
			hits++
		}
	}
	return hits, n
}

// gain is the mean normalised discounted cumulative gain at k.
func (r *ranks) gain(k int) float64 {
	sum := 0.0
	for _, places := range r.right {
		got, ideal := 0.0, 0.0
		for i, at := range places {
			if at >= 0 && at < k {
				got += 1 / math.Log2(float64(at)+2)
			}
			if i < k {
				ideal += 1 / math.Log2(float64(i)+2)
			}
		}
		sum += got / ideal
	}
	return sum / float64(max(1, len(r.right)))
}

func table(figures []figure, sealed bool) string {
	var out strings.Builder
	part := "the open part, by which the rules were made"
	if sealed {
		part = "the sealed part"
	}
	fmt.Fprintf(&out, "Judged by %s. Intervals are Wilson's at 95 %%.\n\n| set | figure | hits | of | goal |\n| --- | --- | ---: | ---: | ---: |\n", part)
	for _, f := range figures {
		goal := ""
		if f.goal > 0 {
			goal = fmt.Sprintf("%.0f %%", f.goal)
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %d | %s |\n", f.set, f.what, wilson.Share(f.hits, f.n), f.n, goal)
	}
	return out.String()
}
