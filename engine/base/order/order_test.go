package order

import (
	"cmp"
	"slices"
	"testing"
	"testing/quick"
)

// TestSort: the results are those of the standard library.
func TestSort(t *testing.T) {
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
		full := func(a, b item) int { return cmp.Or(compare(a, b), cmp.Compare(a.At, b.At)) }
		backwards := slices.Clone(list)
		slices.Reverse(backwards)
		Sort(backwards, full)
		return slices.Equal(list, want) && slices.Equal(backwards, want) && slices.Equal(Sorted(slices.Values(backwards), full), want)
	}, nil); err != nil {
		t.Error(err)
	}
}
