package heap

import (
	"os"
	"runtime"
	"runtime/debug"
)

// patience is by how much, in per cent, the heap of a process that has just begun may
// grow before it is looked through for the first time: to some 32 MiB.
const patience = 800

// Go sets packages up in the order of their paths, as soon as all that they import is:
// this one comes before the libraries that allocate, as long as it imports none.
//
//nolint:gochecknoinits // the point of this package: see doc.go
func init() { collectLate() }

// collectLate leaves memory alone at the beginning of the process: most commands end
// before anything is worth collecting, and a fifth of their time went into that. With
// the first collection the usual pace comes back. Who set GOGC has what they set.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(patience)
	type first struct{ _ *int } // with a pointer, so that it is collected by itself
	runtime.AddCleanup(&first{}, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
