package tree_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
)

func TestGraftTakesWholeFolders(t *testing.T) {
	base := tree.MapOf(map[string]string{"README.md": "new", "skills/evil/SKILL.md": "evil", "src/a.go": "a"})
	other := tree.MapOf(map[string]string{"README.md": "old", "skills/good/SKILL.md": "good", "soul/a/SOUL.md": "a"})
	got := map[string]string{}
	g := tree.NewGraft(base, other, "skills", "soul")
	err := tree.Files(g, "", func(e tree.Entry) error {
		data, err := g.Read(e.Path)
		got[e.Path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"README.md": "new", "src/a.go": "a", "skills/good/SKILL.md": "good", "soul/a/SOUL.md": "a"}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	changes, err := tree.Diff(g, base)
	if err != nil || len(changes) != 3 {
		t.Fatalf("%v, %v", changes, err)
	}
}
