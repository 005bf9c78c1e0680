package validate

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/gate/policy"
)

// Sections are compared in memory proportional to the file, also if all have one name or a long
// title is above all of them.
func TestSectionsAreGatheredOnce(t *testing.T) {
	for what, text := range map[string]string{
		"one name":      strings.Repeat("# a\n"+strings.Repeat("x", 90)+"\n", 4000),
		"a long parent": "# " + strings.Repeat("x", 200<<10) + "\n" + numberedSections(4000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		edits := sectionEdits("f", "a", []byte("# b\n"), []byte(text), false, policy.Security{})
		runtime.ReadMemStats(&after)
		if len(edits) < 2 {
			t.Errorf("%s: %d edits", what, len(edits))
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s: %d MiB are allocated for a text of %d KiB", what, used>>20, len(text)>>10)
		}
	}
}

func numberedSections(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "## b%d\n", i)
	}
	return b.String()
}
