// Package order sorts with one body of code for all types of elements.
package order

import "sort"

// Stable sorts a list and keeps the order of equal elements, as slices.SortStableFunc does. That
// function is compiled again for each type of element, about 10 kB each time.
func Stable[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
