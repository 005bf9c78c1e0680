package folder_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/proposals/folder"
)

func bounds() folder.Bounds { return folder.Bounds{Files: 4, FileBytes: 100, Bytes: 250} }

// place makes files, each with its content, and returns their folder.
func place(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		mode := fs.FileMode(0o600)
		if strings.HasPrefix(text, "#!") {
			mode = 0o700
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	dir := place(t, map[string]string{
		"SKILL.md": "a\r\n", "scripts/run.sh": "#!/bin/sh\n", "notes.md": "#!no script\n",
		".git/config": "x", "node_modules/x/SKILL.md": "x", "references/.DS_Store": "x", "__pycache__/a.pyc": "x",
	})
	executable := tree.Executable
	if runtime.GOOS == "windows" {
		executable = tree.Regular
	}
	want := []tree.Edit{
		{Path: "SKILL.md", Mode: tree.Regular, Content: []byte("a\r\n")},
		{Path: "notes.md", Mode: tree.Regular, Content: []byte("#!no script\n")},
		{Path: "scripts/run.sh", Mode: executable, Content: []byte("#!/bin/sh\n")},
	}
	got, diags, err := folder.Read(dir, bounds())
	if diff := cmp.Diff(want, got); diff != "" || err != nil || len(diags) > 0 {
		t.Error(diff, err, diags)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if got, _, err := folder.Read(link, bounds()); len(got) != len(want) || err != nil {
		t.Errorf("through a link that was named: %v, %v", got, err)
	}
}

func TestReadFollowsNoLink(t *testing.T) {
	secret := place(t, map[string]string{"secret": "x"})
	dir := place(t, map[string]string{"SKILL.md": "a"})
	for name, to := range map[string]string{"file": filepath.Join(secret, "secret"), "dir": secret, "gone": "nowhere", "self": "self"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	got, diags, err := folder.Read(dir, bounds())
	if err != nil || len(got) != 1 || len(diags) != 4 {
		t.Fatalf("%v, %v, %v", got, diags, err)
	}
	for _, d := range diags {
		if d.Rule != folder.RuleSpecial || d.File == "" || d.Fix == "" {
			t.Errorf("%+v", d)
		}
	}
}

func TestReadIsBounded(t *testing.T) {
	big := strings.Repeat("x", 90)
	for rule, files := range map[string]map[string]string{
		folder.RuleFileSize: {"a": strings.Repeat("x", 101)},
		folder.RuleSize:     {"a": big, "b": big, "c": big},
	} {
		if _, diags, err := folder.Read(place(t, files), bounds()); err != nil || len(diags) != 1 || diags[0].Rule != rule {
			t.Errorf("%s: %v, %v", rule, diags, err)
		}
	}
	many := map[string]string{"a": "", "b": "", "c": "", "d": "", "e": "", "f": ""}
	if got, diags, err := folder.Read(place(t, many), bounds()); err != nil || len(got) != 4 || !diags.HasErrors() {
		t.Errorf("%d files: %v, %v", len(got), diags, err)
	}
	for _, dir := range []string{filepath.Join(t.TempDir(), "gone"), filepath.Join(place(t, map[string]string{"a": ""}), "a")} {
		if _, _, err := folder.Read(dir, bounds()); err == nil {
			t.Errorf("%s was read", dir)
		}
	}
}
