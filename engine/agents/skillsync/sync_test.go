package skillsync

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/proposals/exporter"
)

// skill is a skill with one file for each pair of path and content.
func skill(name string, pairs ...string) exporter.Copy {
	c := exporter.Copy{Name: name}
	for i := 0; i < len(pairs); i += 2 {
		c.Files = append(c.Files, exporter.File{Path: pairs[i], Mode: tree.Regular, Content: []byte(pairs[i+1])})
	}
	return c
}

// planned plans the sync of a folder to the given skills.
func storeOf(dir string) home.Store { return home.At(dir + "-home") }

func planned(t *testing.T, dir string, wanted ...exporter.Copy) Plan {
	t.Helper()
	p, err := begin(storeOf(dir), Target{Dir: dir, Workspace: "w", Agent: "scout"})
	if err == nil {
		err = p.compare(wanted)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t *testing.T, p Plan) {
	t.Helper()
	if err := p.Write(t.Context(), storeOf(p.Dir)); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, content string, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, want string, path ...string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if want == "" && os.IsNotExist(err) {
		return
	}
	if err != nil || string(data) != want {
		t.Errorf("%s holds %q (%v), want %q", filepath.Join(path...), data, err, want)
	}
}

// TestKilled: a sync that is killed at any point is finished by the next one. Nothing that it wrote
// counts as foreign.
func TestKilled(t *testing.T) {
	before, after := skill("knot", "SKILL.md", "old", "a.md", "a", "gone.md", "g"), skill("knot", "SKILL.md", "new", "a.md", "b", "more.md", "m")
	for cut := 0; cut <= 4; cut++ {
		dir := filepath.Join(t.TempDir(), "skills")
		write(t, planned(t, dir, before))
		p := planned(t, dir, after)
		// The process writes the manifest that holds during the write, then some of the files.
		during := p.before
		_, during.Skills["knot"] = p.Skills[0].recorded(p.before.Skills["knot"])
		if err := during.write(storeOf(dir), dir); err != nil {
			t.Fatal(err)
		}
		for i, do := range []func(){
			func() { _ = os.Remove(filepath.Join(dir, "knot", "gone.md")) },
			func() { put(t, "new", dir, "knot", "SKILL.md") },
			func() { put(t, "b", dir, "knot", "a.md") },
			func() { put(t, "m", dir, "knot", "more.md") },
		} {
			if i < cut {
				do()
			}
		}
		again := planned(t, dir, after)
		if again.Incomplete() {
			t.Errorf("after %d writes: %v is left alone", cut, again.Skills[0].InWay)
		}
		write(t, again)
		holds(t, "new", dir, "knot", "SKILL.md")
		holds(t, "", dir, "knot", "gone.md")
		write(t, planned(t, dir))
		if _, err := os.Lstat(filepath.Join(dir, "knot")); !os.IsNotExist(err) {
			t.Errorf("after %d writes: the skill that left force stays: %v", cut, err)
		}
	}
}

// TestForeign: a file that sync did not write is neither replaced nor removed, even if it
// has the skill's content.
func TestForeign(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "skills")
	put(t, "same", dir, "knot", "SKILL.md")
	put(t, "mine", dir, "knot", "notes.md")
	write(t, planned(t, dir, skill("knot", "SKILL.md", "same", "a.md", "a")))
	holds(t, "a", dir, "knot", "a.md")
	if p := planned(t, dir, skill("knot", "SKILL.md", "newer", "a.md", "a")); !p.Incomplete() {
		t.Error("a file that sync did not write is replaced")
	}
	write(t, planned(t, dir))
	holds(t, "same", dir, "knot", "SKILL.md")
	holds(t, "mine", dir, "knot", "notes.md")
	holds(t, "", dir, "knot", "a.md")

	// Nor is one that only lacks the right to run.
	put(t, "run", dir, "hitch", "scripts", "tie.sh")
	hitch := exporter.Copy{Name: "hitch", Files: []exporter.File{{Path: "scripts/tie.sh", Mode: tree.Executable, Content: []byte("run")}}}
	if p := planned(t, dir, hitch); !p.Incomplete() && runtime.GOOS != "windows" {
		t.Error("a file that sync did not write is changed")
	} else if err := p.Write(t.Context(), storeOf(p.Dir)); err != nil {
		t.Fatal(err)
	}
	write(t, planned(t, dir))
	holds(t, "run", dir, "hitch", "scripts", "tie.sh")
}

// TestManifest: a manifest that names a path outside the folders of skills is refused.
func TestManifest(t *testing.T) {
	const one = `{"v":1,"skills":{"NAME":{"PATH":["0000000000000000000000000000000000000000"]}}}`
	for _, tc := range []struct {
		name, path string
		ok         bool
	}{
		{"knot", "SKILL.md", true},
		{"knot", "references/a.md", true},
		{"knot", "../other/SKILL.md", false},
		{"knot", "/etc/passwd", false},
		{"knot", "a/../../b", false},
		{"knot", "a//b", false},
		{"knot", `a\\b`, false},
		{"..", "SKILL.md", false},
		{"a/b", "SKILL.md", false},
	} {
		m := manifest{}
		err := m.parse([]byte(strings.NewReplacer("NAME", tc.name, "PATH", tc.path).Replace(one)))
		if (err == nil) != tc.ok {
			t.Errorf("%s %s: %v", tc.name, tc.path, err)
		}
	}
	for _, bad := range []string{"", "{", `{"v":2}`, `{"v":0}`, "[]"} {
		m := manifest{}
		if m.parse([]byte(bad)) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
