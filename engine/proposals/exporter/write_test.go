package exporter

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

func knot() Copy {
	return Copy{Name: "knot", Files: []File{
		{Path: "SKILL.md", Mode: tree.Regular, Content: []byte("text\n")},
		{Path: "scripts/tie.sh", Mode: tree.Executable, Content: []byte("#!/bin/sh\n")},
	}}
}

// earlier are contents by path.
func earlier(files ...string) func() (Earlier, error) {
	out := Earlier{}
	for i := 0; i < len(files); i += 2 {
		out.add(files[i], tree.BlobHash([]byte(files[i+1])))
	}
	return func() (Earlier, error) { return out, nil }
}

// lay writes files into dir.
func lay(t *testing.T, dir string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		file := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// listing lists the files in dir.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		out = append(out, path+"="+strings.TrimSpace(string(data)))
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func foundIn(p Plan) string {
	var out []string
	for _, i := range p.Items {
		out = append(out, i.Path+" "+string(i.Found))
	}
	return strings.Join(out, ", ")
}

func TestWriteAndCompare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "place")
	for _, want := range []Found{New, Same} {
		p, err := Compare(dir, knot(), earlier())
		if err != nil || slices.ContainsFunc(p.Items, func(i Item) bool { return i.Found != want }) {
			t.Fatalf("%v, %v; want all %v", foundIn(p), err, want)
		}
		if err := p.Write(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "knot", "scripts", "tie.sh"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the script is not executable: %v, %v", info, err)
	}
}

// Files of an earlier export are updated and removed; a user's edits and files are kept.
func TestOverAnOlderExport(t *testing.T) {
	old := []string{"SKILL.md", "older\n", "references/a.md", "a\n", "references", "was a file\n", "scripts/tie.sh/run", "run\n"}
	for _, tc := range []struct{ name, disk, want, after string }{
		{"as it was", "SKILL.md=older references/a.md=a", "SKILL.md older, scripts/tie.sh new, references/a.md left", "SKILL.md=text scripts/tie.sh=#!/bin/sh"},
		{"with a user's file", "SKILL.md=older references/b.md=b", "SKILL.md older, scripts/tie.sh new", "SKILL.md=text references/b.md=b scripts/tie.sh=#!/bin/sh"},
		{"edited", "SKILL.md=mine references/a.md=a", "SKILL.md differs, scripts/tie.sh new, references/a.md left", ""},
		{"edited where it left", "SKILL.md=older references/a.md=mine", "SKILL.md older, scripts/tie.sh new, references/a.md kept", "SKILL.md=text references/a.md=mine scripts/tie.sh=#!/bin/sh"},
		{"the original", "skill.md=older", "SKILL.md new, scripts/tie.sh new, skill.md left", "SKILL.md=text scripts/tie.sh=#!/bin/sh"},
		{"a folder becomes a file", "scripts/tie.sh/run=run", "SKILL.md new, scripts/tie.sh new, scripts/tie.sh/run left", "SKILL.md=text scripts/tie.sh=#!/bin/sh"},
		{"but not with a user's file in it", "scripts/tie.sh/run=run scripts/tie.sh/mine=x", "SKILL.md new, scripts/tie.sh in_way, scripts/tie.sh/run left", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			for f := range strings.FieldsSeq(tc.disk) {
				path, content, _ := strings.Cut(f, "=")
				lay(t, dir, "knot/"+path, content+"\n")
			}
			p, err := Compare(dir, knot(), earlier(old...))
			if err != nil || foundIn(p) != tc.want {
				t.Fatalf("%s, %v; want %s", foundIn(p), err, tc.want)
			}
			if p.Blocked() != (tc.after == "") {
				t.Fatalf("blocked: %v", p.Blocked())
			}
			if p.Blocked() {
				return
			}
			lay(t, dir, "knot/"+staged, "of an export that was killed") // it is not handed out, and blocks nothing
			if err := p.Write(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(filepath.Join(dir, "knot", staged))
			if got := listing(t, filepath.Join(dir, "knot")); got != tc.after {
				t.Errorf("%s; want %s", got, tc.after)
			}
			if again, err := Compare(dir, knot(), earlier(old...)); err != nil || slices.ContainsFunc(again.Items, func(i Item) bool { return i.Found != Same && i.Found != Kept }) {
				t.Errorf("the second time: %s, %v", foundIn(again), err)
			}
		})
	}
	// A capability that is in force no longer leaves nothing behind, nor does a changed file meanwhile.
	dir := t.TempDir()
	lay(t, dir, "knot/SKILL.md", "older\n", "knot/references/a.md", "a\n", "other/SKILL.md", "x\n")
	p, err := Compare(dir, Copy{Name: "knot"}, earlier(old...))
	if err != nil {
		t.Fatal(err)
	}
	lay(t, dir, "knot/references/a.md", "edited meanwhile\n")
	if err := p.Write(t.Context(), dir); !errors.Is(err, ErrMeanwhile) {
		t.Errorf("error %v", err)
	}
	lay(t, dir, "knot/references/a.md", "a\n")
	if p, err = Compare(dir, Copy{Name: "knot"}, earlier(old...)); err == nil {
		err = p.Write(t.Context(), dir)
	}
	if _, gone := os.Lstat(filepath.Join(dir, "knot")); err != nil || !errors.Is(gone, fs.ErrNotExist) || listing(t, dir) != "other/SKILL.md=x" {
		t.Errorf("%s is left, %v", listing(t, dir), err)
	}
}

// A file that appears between comparing and writing is neither replaced nor followed.
func TestWriteReplacesNothing(t *testing.T) {
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	file := filepath.Join(dir, "knot", "SKILL.md")
	p, err := Compare(dir, knot(), earlier())
	if err != nil {
		t.Fatal(err)
	}
	lay(t, dir, "knot/SKILL.md", "mine\n")
	if err := p.Write(t.Context(), dir); !errors.Is(err, fs.ErrExist) {
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
	if err := p.Write(t.Context(), dir); err == nil {
		t.Error("a link was written through")
	}
	if _, err := os.Stat(victim); err == nil {
		t.Error("the link's target was written")
	}
}
