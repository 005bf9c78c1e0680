// Package effort says how much the long tests do, by ASSENT_STRESS: a part in a plain run, so
// that `go test ./...` ends in minutes; with "full", as in .ci/run, what a change has to hold
// before it is merged; with "nightly" what takes hours. A part is always one of the whole.
package effort

import "os"

const variable = "ASSENT_STRESS"

// Of is what a test does in a plain run, in a full one and by night.
func Of[T any](plain, full, nightly T) T {
	switch os.Getenv(variable) {
	case "full":
		return full
	case "nightly":
		return nightly
	}
	return plain
}

// Nightly asks for everything.
func Nightly() bool { return Of(false, false, true) }
