package importer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroupOf(t *testing.T) {
	for _, c := range []struct {
		path []string
		want string
	}{
		{nil, ""},
		{[]string{"knot"}, ""},
		{[]string{"ada", "knot"}, "ada"},
		{[]string{"repo", "ada", "knot"}, "ada"},
		{[]string{"ada", "skills", "knot"}, "ada"},
		{[]string{"skills", "knot"}, ""},
		{[]string{".claude", "skills", "knot"}, ""},
		{[]string{"Ada Lovelace", "knot"}, ""},
		{[]string{"sea", "Ada Lovelace", "knot"}, "sea"},
	} {
		if got := groupOf(c.path); got != c.want {
			t.Errorf("%q: group %q, want %q", c.path, got, c.want)
		}
	}
}

// place makes files and returns the folder that holds them.
func place(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFind(t *testing.T) {
	dir := place(t,
		"ada/knot/SKILL.md", "ada/knot/parts/inner/SKILL.md", "ada/hitch/skill.md", "ada/notes/README.md",
		"ada/node_modules/x/SKILL.md", ".git/hooks/SKILL.md", "outer/parts/bend/Skill.MD", "ada/folder/SKILL.md/x")
	if err := os.Symlink(filepath.Join(dir, "ada"), filepath.Join(dir, "zeno")); err != nil {
		t.Logf("without links: %v", err)
	}
	found, diags, err := Find(t.Context(), []string{dir, filepath.Join(dir, "ada", "knot"), filepath.Join(dir, "ada", "knot", "SKILL.md")})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	want := []Folder{
		{Path: filepath.Join(dir, "ada", "hitch"), Name: "hitch", Group: "ada"},
		{Path: filepath.Join(dir, "ada", "knot"), Name: "knot", Group: "ada"},
		{Path: filepath.Join(dir, "outer", "parts", "bend"), Name: "bend", Group: "parts"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Lstat(filepath.Join(dir, "zeno")); err == nil && len(diags) != 1 {
		t.Errorf("the link is not named: %v", diags)
	}
}

func TestFindNothing(t *testing.T) {
	dir := place(t, "a/README.md")
	if _, diags, err := Find(t.Context(), []string{dir}); err != nil || !diags.HasErrors() || diags[0].Rule != RuleNothing {
		t.Errorf("%v, %v", diags, err)
	}
	if _, _, err := Find(t.Context(), []string{filepath.Join(dir, "b")}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, _, err := Find(t.Context(), []string{filepath.Join(dir, "a", "README.md")}); !errors.Is(err, ErrFile) {
		t.Error(err)
	}
}
