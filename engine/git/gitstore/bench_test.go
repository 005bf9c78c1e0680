package gitstore_test

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// BenchmarkPropose writes a branch and a commit of four files, synced; its peer
// does the same with git's plumbing commands, unsynced.
func BenchmarkPropose(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("assent-%d", n), func(b *testing.B) {
			r, main := workspace(b, n)
			for i := 0; b.Loop(); i++ {
				c := commit(b, r, main, int64(i), proposal(i)...)
				update(b, r, fmt.Sprint("refs/heads/proposal/", i), tree.Hash{}, c)
			}
		})
		b.Run(fmt.Sprintf("git-%d", n), func(b *testing.B) {
			r, main := workspace(b, n)
			index := "GIT_INDEX_FILE=" + r.GitDir() + "/bench-index"
			for i := 0; b.Loop(); i++ {
				var info strings.Builder
				for _, e := range proposal(i) {
					fmt.Fprintf(&info, "100644 %s\t%s\n", pipe(b, r.Root(), index, string(e.Content), "hash-object", "-w", "--stdin"), e.Path)
				}
				pipe(b, r.Root(), index, "", "read-tree", main.String())
				pipe(b, r.Root(), index, info.String(), "update-index", "--index-info")
				t := pipe(b, r.Root(), index, "", "write-tree")
				c := pipe(b, r.Root(), index, "", "commit-tree", t, "-p", main.String(), "-m", "x")
				pipe(b, r.Root(), index, "", "update-ref", fmt.Sprint("refs/heads/proposal/", i), c, strings.Repeat("0", 40))
			}
		})
	}
}

func pipe(b *testing.B, dir, env, stdin string, args ...string) string {
	b.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(cmd.Environ(), env, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a")
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// BenchmarkReadAll reads every SKILL.md from a freshly opened repository; its
// peer is cat-file --batch over the same blobs.
func BenchmarkReadAll(b *testing.B) {
	r, main := workspace(b, 10_000)
	var names bytes.Buffer
	b.Run("assent", func(b *testing.B) {
		for b.Loop() {
			names.Reset()
			fresh := open(b, r.Root())
			s, err := fresh.Snapshot(main)
			if err != nil {
				b.Fatal(err)
			}
			var all []tree.Hash
			if err := tree.Files(s, "skills", func(e tree.Entry) error { all = append(all, e.Hash); return nil }); err != nil {
				b.Fatal(err)
			}
			readAll(b, fresh, all)
			for _, h := range all {
				fmt.Fprintln(&names, h)
			}
		}
	})
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command("git", "cat-file", "--batch", "--buffer")
			cmd.Dir, cmd.Stdin, cmd.Stdout = r.Root(), bytes.NewReader(names.Bytes()), io.Discard
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func readAll(b *testing.B, r *gitstore.Repo, all []tree.Hash) {
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			for _, h := range all[len(all)*w/workers : len(all)*(w+1)/workers] {
				if _, err := r.Blob(h); err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkDiff compares two commits that differ in one proposal, in a freshly
// opened repository; its peer is git diff-tree.
func BenchmarkDiff(b *testing.B) {
	r, main := workspace(b, 100_000)
	c := commit(b, r, main, 1, proposal(1)...)
	update(b, r, "refs/heads/x", tree.Hash{}, c)
	b.Run("assent", func(b *testing.B) {
		for b.Loop() {
			fresh := open(b, r.Root())
			old, err := fresh.Snapshot(main)
			if err != nil {
				b.Fatal(err)
			}
			new, err := fresh.Snapshot(c)
			if err != nil {
				b.Fatal(err)
			}
			if changes, err := tree.Diff(old, new); err != nil || len(changes) != 4 {
				b.Fatal(len(changes), err)
			}
		}
	})
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			git(b, r.Root(), "diff-tree", "-r", main.String(), c.String())
		}
	})
}
