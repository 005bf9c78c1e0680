package scan

import (
	"sync"
	"testing"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
)

// TestGuarded: a scanner that breaks, here or on another goroutine, blocks and stops nobody, also
// where it breaks on the version before.
func TestGuarded(t *testing.T) {
	files := []File{{Path: "skills/x/SKILL.md", Mode: tree.Regular, Content: []byte("text")}}
	aside := Options{Each: func(n int, do func(int)) {
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { do(i) })
		}
		all.Wait()
	}}
	for name, read := range map[string]func() diag.List{
		"here":   func() diag.List { panic("broken") },
		"beside": func() diag.List { aside.each(3, func(i int) { _ = []int{}[i] }); return nil },
	} {
		if found := guarded(files, read); !found.HasErrors() {
			t.Errorf("%s: %v", name, found)
		}
	}
	broken := Options{Each: func(int, func(int)) { panic("broken") }}
	for name, found := range map[string]diag.List{"Files": Files(files, broken), "New": New(files, files, broken)} {
		if !found.HasErrors() {
			t.Errorf("%s: %v", name, found)
		}
	}
}
