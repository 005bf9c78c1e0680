package validate

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/gate/policy"
)

// Sections are compared in memory proportional to the file, also if all have one name or a long
// title is above all of them: twice the text takes about twice the memory. A comparison of each
// section with each other one would take four times as much.
func TestSectionsAreGatheredOnce(t *testing.T) {
	for what, text := range map[string]func(n int) string{
		"one name":      func(n int) string { return strings.Repeat("# a\n"+strings.Repeat("x", 90)+"\n", n) },
		"a long parent": func(n int) string { return "# " + strings.Repeat("x", 50*n) + "\n" + numberedSections(n) },
	} {
		half, whole := sectionsTake(t, text(2000)), sectionsTake(t, text(4000))
		if whole > 3*half {
			t.Errorf("%s: %d KiB are allocated for the half, %d KiB for the whole", what, half>>10, whole>>10)
		}
	}
}

// sectionsTake returns the bytes that are allocated while the sections of a text are compared.
func sectionsTake(t *testing.T, text string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	edits := sectionEdits("f", "a", []byte("# b\n"), []byte(text), false, policy.Security{})
	runtime.ReadMemStats(&after)
	if len(edits) < 2 {
		t.Errorf("%d edits of a text of %d KiB", len(edits), len(text)>>10)
	}
	return after.TotalAlloc - before.TotalAlloc
}

func numberedSections(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "## b%d\n", i)
	}
	return b.String()
}
