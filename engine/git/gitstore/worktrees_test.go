package gitstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// TestForeignFolderIsNoWorktree: files in the Git folder alone make no folder a checkout.
func TestForeignFolderIsNoWorktree(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	r, err := gitstore.Init(dir)
	if err != nil {
		t.Fatal(err)
	}
	planted := filepath.Join(r.CommonDir(), "worktrees", "evil")
	if err := os.MkdirAll(planted, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "gitdir": filepath.Join(home, ".git") + "\n", "commondir": "../..\n"} {
		if err := os.WriteFile(filepath.Join(planted, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lists := func(want bool) {
		t.Helper()
		all, err := r.Worktrees()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, w := range all {
			found = found || w.GitDir == planted
		}
		if found != want {
			t.Errorf("listed: %v, want %v (%v)", found, want, all)
		}
	}
	lists(false)
	if err := os.WriteFile(filepath.Join(home, ".git"), []byte("gitdir: "+planted+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lists(true)
}
