package order

import (
	"cmp"
	"slices"
	"testing"
	"testing/quick"
)

// TestStable: the result is that of the standard library.
func TestStable(t *testing.T) {
	type item struct {
		Key uint8
		At  int
	}
	if err := quick.Check(func(keys []uint8) bool {
		var list []item
		for i, k := range keys {
			list = append(list, item{k % 8, i})
		}
		want := slices.Clone(list)
		compare := func(a, b item) int { return cmp.Compare(a.Key, b.Key) }
		Stable(list, compare)
		slices.SortStableFunc(want, compare)
		return slices.Equal(list, want)
	}, nil); err != nil {
		t.Error(err)
	}
}
