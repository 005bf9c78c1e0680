package kept_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/bench/kept"
)

// A workspace is made once; what is done to a copy does not reach it.
func TestCopy(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: nothing is kept")
	}
	for _, name := range []string{"ASSENT_HOME", "ASSENT_KEY", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"} {
		t.Setenv(name, os.Getenv(name)) // restored at the end
	}
	var log strings.Builder
	s := kept.Store{Dir: t.TempDir(), Log: &log}
	spec := kept.Spec{Capabilities: 12, Merged: 1, Closed: 3, Events: 5}
	kept, err := s.Get(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	dir, remove, err := s.Temp()
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	size, err := s.Size()
	if err != nil || size == 0 {
		t.Errorf("all takes %d bytes, %v", size, err)
	}
	w, err := s.Copy(t.Context(), spec, dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Size(); again != size || err != nil {
		t.Errorf("with a copy all takes %d bytes, %v; it was %d", again, err, size)
	}
	if n := strings.Count(log.String(), "generating"); n != 1 {
		t.Errorf("generated %d times: %s", n, log.String())
	}
	main, err := w.Git(t.Context(), "", "rev-parse", "main")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"update-ref", "-d", "refs/heads/main"}, {"gc", "-q", "--prune=now"}, {"fsck", "--strict"}} {
		if _, err := w.Git(t.Context(), "", args...); err != nil {
			t.Fatal(err)
		}
	}
	// Reflogs, for one, are written in place.
	config := filepath.Join(".git", "config")
	if err := os.WriteFile(filepath.Join(w.Repo, config), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(kept.Repo, config)); err != nil || len(data) == 0 {
		t.Errorf("what was emptied in the copy is empty in what is kept (%v)", err)
	}
	if now, err := kept.Git(t.Context(), "", "rev-parse", "main"); now != main || err != nil {
		t.Errorf("what is kept has main at %s, %v; want %s", now, err, main)
	}
	if _, err := kept.Git(t.Context(), "", "fsck", "--strict"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(kept.Home, "keys")); err != nil {
		t.Error(err)
	}
}
