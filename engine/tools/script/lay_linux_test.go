package script

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// TestLayUmask checks that the user inside can read the files, whatever umask this process has.
func TestLayUmask(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	defer syscall.Umask(syscall.Umask(0o077))
	dir, _, remove, err := lay(tree.NewMap(
		tree.Edit{Path: "skills/a/SKILL.md", Content: []byte("a")},
		tree.Edit{Path: "skills/a/scripts/run.sh", Mode: tree.Executable, Content: []byte("true")},
	), nil, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	var got []string
	if err := fs.WalkDir(os.DirFS(dir), ".", func(p string, e os.DirEntry, err error) error {
		if err == nil {
			info, _ := e.Info()
			got = append(got, info.Mode().String()+" "+p)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := "drwxr-xr-x ., -r--r--r-- .event.json, drwxr-xr-x skills, drwxr-xr-x skills/a, -r--r--r-- skills/a/SKILL.md, drwxr-xr-x skills/a/scripts, -r-xr-xr-x skills/a/scripts/run.sh"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
	if info, err := os.Stat(filepath.Dir(dir)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others can enter: %v, %v", info.Mode(), err)
	}
}
