package tree_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// FuzzMerge merges any two changes without panic. If one side changed nothing, the result is
// the other side.
func FuzzMerge(f *testing.F) {
	f.Add("a\nb/c", "a\nb", "a\nb/c\nd")
	f.Add("x", "x/y", "x/z")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		views := make([]tree.View, 3)
		for i, text := range []string{base, ours, theirs} {
			files := map[string]string{}
			for n, path := range strings.Split(text, "\n") {
				if path != "" && !strings.ContainsAny(path, "\x00") && !strings.HasPrefix(path, "/") && !strings.HasSuffix(path, "/") && !strings.Contains(path, "//") {
					files[path] = text[:n]
				}
			}
			for path := range files { // a file and a folder of one name cannot be stored
				for other := range files {
					if strings.HasPrefix(other, path+"/") {
						delete(files, path)
					}
				}
			}
			views[i] = tree.MapOf(files)
		}
		if _, _, err := tree.Merge(views[0], views[1], views[2], nil); err != nil {
			t.Skip(err)
		}
		edits, conflicts, err := tree.Merge(views[0], views[0], views[2], nil)
		if err != nil || len(conflicts) > 0 {
			t.Fatalf("nothing changed on one side: %v %v", conflicts, err)
		}
		changes, err := tree.Diff(views[0], views[2])
		if err != nil || len(edits) != len(changes) {
			t.Errorf("%d edits for %d changes: %v", len(edits), len(changes), err)
		}
	})
}
