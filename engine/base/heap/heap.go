package heap

import (
	"os"
	"runtime"
	"runtime/debug"
)

// patience is the GC percentage of a new process: its heap may grow to about 32 MiB before the
// first collection.
const patience = 800

// Go initialises packages in the order of their paths once their imports are initialised. This
// package comes before the libraries that allocate, as long as it imports none of them.
//
//nolint:gochecknoinits // the point of this package: see doc.go
func init() { collectLate() }

// collectLate delays the first collection: most commands exit before anything is worth
// collecting, and a fifth of their time went into it. The first collection restores the usual
// pace. It does nothing if GOGC is set.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(patience)
	type first struct{ _ *int } // contains a pointer, so that it is allocated by itself
	runtime.AddCleanup(&first{}, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
