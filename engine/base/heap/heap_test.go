package heap

import (
	"go/parser"
	"go/token"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"testing"
)

// percent returns the current GC percentage. It does not use SetGCPercent, which would undo a
// concurrent cleanup.
func percent() int {
	pace := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(pace)
	return int(pace[0].Value.Uint64()) //nolint:gosec // some hundred
}

// collectUntil collects until the pace is want; cleanups run some time after a collection.
func collectUntil(t *testing.T, want int) {
	t.Helper()
	for range 1000 {
		if runtime.GC(); percent() == want {
			return
		}
		runtime.Gosched()
	}
	t.Fatalf("%d per cent after a collection, want %d", percent(), want)
}

// TestCollectLate: the delay ends with the first collection, and GOGC is respected.
func TestCollectLate(t *testing.T) {
	t.Setenv("GOGC", "")
	const usual = 100
	collectUntil(t, usual) // an earlier setting has ended
	collectLate()
	if got := percent(); got != patience {
		t.Errorf("%d per cent at the beginning, want %d", got, patience)
	}
	collectUntil(t, usual)
	t.Setenv("GOGC", "50")
	if collectLate(); percent() != usual {
		t.Errorf("%d per cent where GOGC is set", percent())
	}
}

// TestNothingBefore: heap.go imports no library, which would be initialised first.
func TestNothingBefore(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "heap.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range file.Imports {
		if name, _ := strconv.Unquote(i.Path.Value); !slices.Contains([]string{"os", "runtime", "runtime/debug"}, name) {
			t.Errorf("%s is set up before the pace of collecting is", name)
		}
	}
}
