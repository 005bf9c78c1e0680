package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestCollectLate: the patience ends with the first collection, and who set GOGC has
// what they set.
func TestCollectLate(t *testing.T) {
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	t.Setenv("GOGC", "")
	before := percent()
	collectLate()
	if got := percent(); got != patience {
		t.Errorf("%d per cent at the beginning, want %d", got, patience)
	}
	for range 1000 { // cleanups run some time after the collection
		if runtime.GC(); percent() == before {
			break
		}
		runtime.Gosched()
	}
	if got := percent(); got != before {
		t.Errorf("%d per cent after a collection, want %d", got, before)
	}
	t.Setenv("GOGC", "50")
	if collectLate(); percent() != before {
		t.Errorf("%d per cent where GOGC is set", percent())
	}
}
