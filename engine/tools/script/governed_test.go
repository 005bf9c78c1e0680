package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/sandbox"
)

// A governed view leaves out all other files, and a script that lacks one says why.
func TestGoverned(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	v := tree.MapOf(map[string]string{"skills/a/SKILL.md": "a", "workflows/a.yaml": "b", "deploy.sh": "c", `a\b`: "d", "tools/skills/x": "e"})
	dir, _, remove, err := lay(governed{v}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	var got []string
	for _, pattern := range []string{"*", "*/*", "*/*/*"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				got = append(got, strings.TrimPrefix(path, dir+"/"))
			}
		}
	}
	if strings.Join(got, " ") != "workflows/a.yaml skills/a/SKILL.md" {
		t.Errorf("laid %v", got)
	}
	dir, left, removeAll, err := lay(v, []string{"**/*", "*"}, nil)
	if err != nil || len(left) != 1 || !strings.Contains(leftOut(left), `"a\\b"`) {
		t.Errorf("left out: %q, %v", left, err)
	}
	defer removeAll()
	if _, err := os.Stat(filepath.Join(dir, "deploy.sh")); err != nil {
		t.Error(err)
	}
	lacks := sandbox.Result{Stderr: []byte("bash: ./deploy.sh: No such file or directory")}
	for governed, said := range map[bool]bool{true: true, false: false} {
		if r := (Ready{Call: Call{Governed: governed}}); (r.hint(lacks) != "") != said || r.hint(sandbox.Result{Stderr: []byte("tbd")}) != "" {
			t.Errorf("governed %v: %q", governed, r.hint(lacks))
		}
	}
}
