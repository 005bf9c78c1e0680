package pattern_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/pattern"
)

func TestBudget(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		times      int // that it compiles within one budget, up to 1 000
	}{
		{"a word", `\bdelete\w*`, 1000},
		{"a repetition of a repetition", "(a{1,30}){1,30}", 36},
		{"the same inside another", "((a{9}){9}){9}", 42},
		{"an open repetition", "(abc{500,})", 66},
		{"a class of all letters", `\pL`, 75},
		{"one expression that costs more than all may", strings.Repeat("a{1000}", 200), 0},
		{"a broken one", "(", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b pattern.Budget
			n := 0
			for n < 1000 {
				if _, err := b.Compile(tc.text); err != nil {
					break
				}
				n++
			}
			if n != tc.times {
				t.Errorf("compiled %d times, want %d", n, tc.times)
			}
		})
	}
}
