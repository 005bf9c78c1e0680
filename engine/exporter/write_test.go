package exporter

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/assent-dev/assent/engine/tree"
)

func knot() Copy {
	return Copy{Name: "knot", Files: []File{
		{Path: "SKILL.md", Mode: tree.Regular, Content: []byte("text\n")},
		{Path: "scripts/tie.sh", Mode: tree.Executable, Content: []byte("#!/bin/sh\n")},
	}}
}

func TestWriteAndCompare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "place")
	for _, want := range [][]Found{{New, New}, {Same, Same}} {
		found, err := Compare(dir, knot())
		if err != nil || !slices.Equal(found, want) {
			t.Fatalf("%v, %v; want %v", found, err, want)
		}
		if err := Write(t.Context(), dir, knot(), found); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "knot", "scripts", "tie.sh"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the script is not executable: %v, %v", info, err)
	}
	for name, other := range map[string]string{"same length": "TEXT\n", "longer": "text\nmore\n"} {
		if err := os.WriteFile(filepath.Join(dir, "knot", "SKILL.md"), []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if found, err := Compare(dir, knot()); err != nil || found[0] != Differs {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// What comes to stand there between comparing and writing is neither replaced nor
// followed.
func TestWriteReplacesNothing(t *testing.T) {
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	file := filepath.Join(dir, "knot", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), dir, knot(), []Found{New, New}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	if got, err := os.ReadFile(file); string(got) != "mine\n" {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, file); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := Write(t.Context(), dir, knot(), []Found{New, New}); err == nil {
		t.Error("a link was written through")
	}
	if _, err := os.Stat(victim); err == nil {
		t.Error("the link's target was written")
	}
}
