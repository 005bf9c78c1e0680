// Package resolution selects the best of several ways to do the same thing by their results so
// far: in all, and in contexts such as the mission's.
//
// It does not know where the figures come from nor whether a way may run: the caller passes only
// ways that may. The result depends only on the figures, in any order.
package resolution
