package gitstore

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readers are the ways to read a file of the worktree: with the kernel's system call and
// without.
var readers = map[string]func(root, path string) (diskFile, error){
	"the kernel's": func(root, path string) (diskFile, error) {
		d, err := openDisk(root)
		if err != nil {
			return diskFile{}, err
		}
		return d.read(path, nil)
	},
	"everywhere": readInRoot,
}

func TestReadWorktreeFile(t *testing.T) {
	root := t.TempDir()
	for name, read := range readers {
		for _, want := range []string{"", "a", strings.Repeat("many\n", 5000)} {
			path := filepath.Join(root, "skills", "a", "SKILL.md")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := read(root, "skills/a/SKILL.md")
			if err != nil || !bytes.Equal(got.data, []byte(want)) {
				t.Errorf("%s: %d bytes, %v, want %d", name, len(got.data), err, len(want))
			}
		}
		for _, path := range []string{"skills/none", "skills/a", "none/SKILL.md", "skills/a/SKILL.md/x"} {
			if got, err := read(root, path); err == nil {
				t.Errorf("%s: %s is %q", name, path, got.data)
			}
		}
	}
}

// TestReadWorktreeFileFollowsNoLink: no link is followed that replaced a file or a folder since
// listing.
func TestReadWorktreeFileFollowsNoLink(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"file": filepath.Join(outside, "secret"), "folder": outside} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	for name, read := range readers {
		for _, path := range []string{"file", "folder/secret", "../" + filepath.Base(outside) + "/secret"} {
			if got, err := read(root, path); err == nil {
				t.Errorf("%s: %s is %q", name, path, got.data)
			}
		}
	}
}
