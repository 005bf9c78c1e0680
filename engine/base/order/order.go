// Package order sorts with one body of code for all types of elements. The functions of package slices
// are compiled again for each type, about 12 kB each time, which pays only where sorting takes time.
package order

import (
	"iter"
	"slices"
	"sort"
)

// Sort sorts a list as slices.SortFunc does.
func Sort[T any](list []T, compare func(a, b T) int) {
	sort.Slice(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}

// Sorted returns the values of seq in order, as slices.SortedFunc does.
func Sorted[T any](seq iter.Seq[T], compare func(a, b T) int) []T {
	list := slices.Collect(seq)
	Sort(list, compare)
	return list
}

// Stable sorts a list and keeps the order of equal elements, as slices.SortStableFunc does.
func Stable[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
