package rest

import "fmt"

// MaxPages bounds a list that a hostile server never ends.
const MaxPages = 2000

// ReadPages reads a list page by page, from 1. It ends at a page that reports no more pages,
// has no new entry, or is enough (nil: none is). With a key, an entry that a growing list
// shows on two pages counts once.
func ReadPages[T any, K comparable](key func(T) K, page func(n int) (entries []T, more bool, err error), enough func([]T) bool) ([]T, error) {
	var all []T
	seen := map[K]bool{}
	for n := 1; n <= MaxPages; n++ {
		entries, more, err := page(n)
		if err != nil {
			return nil, err
		}
		before := len(all)
		for _, e := range entries {
			if key != nil {
				if seen[key(e)] {
					continue
				}
				seen[key(e)] = true
			}
			all = append(all, e)
		}
		if !more || len(all) == before || enough != nil && enough(all[before:]) {
			return all, nil
		}
	}
	return nil, fmt.Errorf("the list does not end after %d entries", len(all))
}
