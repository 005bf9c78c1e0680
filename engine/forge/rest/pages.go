package rest

import (
	"fmt"
	"net/http"
)

// MaxPages bounds a list that a hostile server never ends.
const MaxPages = 2000

// MaxList bounds the bytes of a list, all pages together: 13 000 pull requests of 20 kB fit.
const MaxList = 256 << 20

// leastEntry is the least that an entry counts, in bytes: {} decodes to a large struct.
const leastEntry = 1 << 10

// Budget bounds one list.
type Budget struct {
	name      string
	max, read int64 // bytes
}

// NewBudget returns a budget of max bytes. The name begins the error and names the service.
func NewBudget(name string, max int64) *Budget { return &Budget{name: name, max: max} }

// Spend counts a page with its number of entries. It returns an ErrTooLarge once the list
// exceeds the budget. The answer has the length that Bounded set.
func (b *Budget) Spend(answer *http.Response, entries int) error {
	if b.read += max(answer.ContentLength, leastEntry*int64(entries)); b.read > b.max {
		return fmt.Errorf("%s: %w: the pages of the list have more than %d MiB together", b.name, ErrTooLarge, b.max>>20)
	}
	return nil
}

// ReadPages reads a list page by page, from 1. It ends at a page that reports no more pages,
// has no new entry, or is enough (nil: none is). With a key, an entry that a growing list
// shows on two pages counts once.
func ReadPages[T any, K comparable](budget *Budget, key func(T) K, page func(n int) (entries []T, answer *http.Response, more bool, err error), enough func([]T) bool) ([]T, error) {
	var all []T
	seen := map[K]bool{}
	for n := 1; n <= MaxPages; n++ {
		entries, answer, more, err := page(n) //nolint:bodyclose // Bounded has read and closed it
		if err != nil {
			return nil, err
		}
		if err := budget.Spend(answer, len(entries)); err != nil {
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
