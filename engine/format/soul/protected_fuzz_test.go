package soul_test

import (
	"bytes"
	"testing"

	"github.com/assent-dev/assent/engine/format/soul"
)

// FuzzProtected searches for a text that changes a protected section without a report.
func FuzzProtected(f *testing.F) {
	const base = "# X\n\n## Boundaries\n\n- Never.\n\n## Vibe\n\nCalm.\n"
	for _, head := range []string{base, "# X\n\n## Vibe\n", "```\n" + base, "<!--\n" + base, base + "\nBoundaries\n---\n\nx\n", "> " + base} {
		f.Add([]byte(base), []byte(head))
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if before == nil {
			before = []byte{}
		}
		names := soul.DefaultProtected()
		found := soul.CompareProtected("SOUL.md", before, after, names)
		was, is := soul.ProtectedSections(before, names), soul.ProtectedSections(after, names)
		same := len(was) == len(is)
		for i := range was {
			same = same && bytes.Equal(bytes.TrimSpace(was[i].Span.Of(before)), bytes.TrimSpace(is[i].Span.Of(after)))
		}
		moved := len(was) > 1 // order among siblings does not matter
		if !same && !moved && !found.HasErrors() {
			t.Errorf("%d sections became %d and nothing says so", len(was), len(is))
		}
	})
}
