// Package resolution says which of several ways to do the same thing is the best one, by
// what they came to so far: in all, and in contexts such as the mission's.
//
// It knows neither where the figures come from nor whether something may run: whoever asks
// has looked for that, and hands over those that do. What it answers depends on nothing but
// the figures, in whatever order they come.
package resolution
