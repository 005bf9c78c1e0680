// Package effort scales the long tests by ASSENT_STRESS: a part in a plain run, so that `go
// test ./...` ends in minutes; with "full", as in .ci/run, everything required before a merge;
// with "nightly" tests that take hours. Each level includes the one before.
package effort

import "os"

const variable = "ASSENT_STRESS"

// Of returns the value for a plain, a full or a nightly run.
func Of[T any](plain, full, nightly T) T {
	switch os.Getenv(variable) {
	case "full":
		return full
	case "nightly":
		return nightly
	}
	return plain
}

// Nightly reports whether this is a nightly run.
func Nightly() bool { return Of(false, false, true) }
