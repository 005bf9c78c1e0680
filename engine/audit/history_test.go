package audit_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// TestLastChangesAsGit: one walk finds what `git log` finds with a walk per path.
func TestLastChangesAsGit(t *testing.T) {
	d := newWorld(t)
	random := rand.New(rand.NewPCG(1, 2))
	var paths []string
	for i := range 6 {
		paths = append(paths, fmt.Sprintf("skills/g%d/k%d", i%2, i))
	}
	there := map[string]bool{}
	for i := range 40 {
		file := paths[random.IntN(len(paths)-1)] + "/SKILL.md" // the last path never exists
		if remove := random.IntN(4) == 0; remove && !there[file] {
			continue
		} else {
			there[file] = !remove
			d.Straight("by hand", tree.Edit{Path: file, Content: []byte(fmt.Sprint(i)), Remove: remove})
		}
	}
	tip, err := d.Repo.Ref(attest.MainRef)
	d.OK(err)
	got, err := audit.LastChanges(d.Repo, tip, paths)
	d.OK(err)
	for _, p := range paths {
		cmd := exec.Command("git", "log", "--first-parent", "--format=%H", "main", "--", p)
		cmd.Dir = d.Repo.Root()
		out, err := cmd.Output()
		d.OK(err)
		lines := strings.Fields(string(out))
		changing, err := audit.Changing(d.Repo, tip, p)
		d.OK(err)
		if len(changing) != len(lines) {
			t.Errorf("%s: changed by %d commits, git says %d", p, len(changing), len(lines))
		}
		for i := range min(len(lines), len(changing)) {
			if changing[i].String() != lines[i] {
				t.Errorf("%s: commit %d is %s, git says %s", p, i, changing[i], lines[i])
			}
		}
		want := tree.Hash{}.String()
		if len(lines) > 0 {
			want = lines[0]
		}
		if have := got[p].Hash.String(); have != want {
			t.Errorf("%s: last changed by %s, git says %s", p, have, want)
		}
	}
}
