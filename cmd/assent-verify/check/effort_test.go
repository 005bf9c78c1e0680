package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStartsOfGit: how often git is started grows with the merges on main, and not with the commits
// beside it that name a key: anybody can add both.
func TestStartsOfGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin, told := t.TempDir(), filepath.Join(t.TempDir(), "told")
	wrapper := fmt.Sprintf("#!/bin/sh\necho x >> '%s'\nexec '%s' \"$@\"\n", told, git)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(wrapper), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	starts := func(beside, merges int) int {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "r.git")
		if out, err := exec.Command(git, "init", "-q", "--bare", "-b", "main", dir).CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
		load := exec.Command(git, "-C", dir, "fast-import", "--quiet")
		load.Stdin = strings.NewReader(woven(beside, merges))
		if out, err := load.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
		t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		if err := os.RemoveAll(told); err != nil {
			t.Fatal(err)
		}
		v, err := Open(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		res, err := v.Check(time.Unix(1_800_000_000, 0))
		if err != nil || res.Commits != merges+2 || res.InForce != res.Main {
			t.Fatalf("%+v %v", res, err)
		}
		text, err := os.ReadFile(told)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "\n")
	}
	if few, many := starts(2, 5), starts(40, 5); many != few {
		t.Errorf("git starts %d times with 2 commits beside main, %d times with 40", few, many)
	}
}

// woven is a main with a genesis, a merge of commits that name a key, and more merges.
func woven(beside, merges int) string {
	var b strings.Builder
	mark := 0
	commit := func(message string, from ...int) int {
		mark++
		fmt.Fprintf(&b, "commit refs/heads/main\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata %d\n%s\n", mark, 1_700_000_000+mark, len(message), message)
		for i, at := range from {
			fmt.Fprintf(&b, "%s :%d\n", []string{"from", "merge"}[i], at)
		}
		b.WriteByte('\n')
		return mark
	}
	main := commit("Begin\n\nAssent-Genesis: 1\n")
	side := main
	for i := range beside {
		side = commit(fmt.Sprintf("Beside\n\nAssent-Attested-By: SHA256:%d\n", i), side)
	}
	main = commit("Join\n", main, side)
	for range merges {
		main = commit("Join\n", main, commit("Other work\n", main))
	}
	return b.String()
}

// TestHeld: what is kept in memory is dropped before it holds more than maxHeld bytes of objects.
func TestHeld(t *testing.T) {
	v, tree := opened(t, map[string]string{"a": "a\n"})
	for _, held := range []int{0, maxHeld} {
		v.known, v.held = map[string]any{"before": true}, held
		if e := v.find(tree, "a"); !e.isFile() {
			t.Fatal(v.err)
		}
		if _, kept := v.known["before"]; kept != (held == 0) || v.held > maxHeld {
			t.Errorf("with %d bytes: kept %v, then %d", held, kept, v.held)
		}
	}
}
