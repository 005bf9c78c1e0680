package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// TestAddressHoldsNoLogin: the address of a remote that a project publishes reveals no login and
// no folder.
func TestAddressHoldsNoLogin(t *testing.T) {
	for remote, want := range map[string]string{
		"https://me:token@git.example.org/team/agents.git": "https://git.example.org/team/agents.git",
		"https://token@git.example.org/team/agents.git":    "https://git.example.org/team/agents.git",
		"ssh://git:secret@git.example.org/team/agents":     "ssh://git@git.example.org/team/agents",
		"git@git.example.org:team/agents.git":              "git@git.example.org:team/agents.git",
		"/srv/git/agents.git":                              "",
		"file:///srv/git/agents.git":                       "",
		"../agents.git":                                    "",
		"C:/git/agents.git":                                "",
		"":                                                 "",
	} {
		if got := address(remote); got != want {
			t.Errorf("address(%q) is %q, not %q", remote, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, line := range map[string]int{
		"workspaces: []\n":                                      1,
		"workspaces:\n  - {}\n":                                 2,
		"workspaces:\n  - path: x\n  - url: -u\n":               3,
		"workspaces:\n  - url: ext::sh -c id\n":                 2,
		"workspaces:\n  - url: https://a:b@example.org/x\n":     2,
		"workspaces:\n  - url: https://example.org/..\n":        2,
		"workspaces:\n  - path: \"a\\u0007\"\n":                 2,
		"workspaces:\n  - path: a\n    path: b\n":               3,
		strings.Repeat("workspaces:\n", 2) + "  - path: ../a\n": 2,
	} {
		_, ds := Parse([]byte(text))
		if !ds.HasErrors() || ds[0].Line != line {
			t.Errorf("%q: %v, want an error in line %d", text, ds, line)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("workspaces:\n  - path: ../agents\n    url: https://git.example.org/a.git\n"))
	f.Add([]byte("workspaces:\n  - url: git@git.example.org:team/agents.git\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		places, ds := Parse(src)
		for _, p := range places {
			if !ds.HasErrors() && (p.Path == "" || !filepath.IsAbs(p.Dir("/top"))) {
				t.Fatalf("%+v leads nowhere", p)
			}
		}
	})
}

// TestOpenFollowsOneStep: the setting of the repository that a setting names does not count.
func TestOpenFollowsOneStep(t *testing.T) {
	top := t.TempDir()
	for name, named := range map[string]string{"a": "../b", "b": "../c", "c": ""} {
		dir := filepath.Join(top, name)
		if _, err := gitstore.Init(dir); err != nil {
			t.Fatal(err)
		}
		if named == "" {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("[assent]\n\tworkspace = " + named + "\n"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	repo, from, err := Open(filepath.Join(top, "a"))
	if err != nil || filepath.Base(repo.Root()) != "b" || filepath.Base(from) != "a" {
		t.Fatalf("Open leads to %v from %q: %v", repo, from, err)
	}
}
