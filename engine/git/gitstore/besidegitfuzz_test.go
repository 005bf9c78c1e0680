package gitstore

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func FuzzCommitBesideGit(f *testing.F) {
	b := newBare(f)
	top := b.tree()
	for i, v := range hostileCommits(top, top, top, b.blob) {
		if i%8 == 0 {
			f.Add([]byte(v))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := parseCommit(raw)
		if err != nil {
			return
		}
		b := &bare{TB: t, dir: b.dir, repo: b.repo, blob: b.blob}
		h := b.put("commit", raw)
		shown := b.git(nil, "cat-file", "commit", h.String())
		if shown != string(raw) {
			t.Fatal("git stores something else")
		}
		if c.Tree == top && len(c.Parents) == 0 { // others refer to missing objects
			b.agrees(h, c)
		}
	})
}

func FuzzTree(f *testing.F) {
	b := newBare(f)
	for i, v := range hostileTrees(b.blob, b.tree()) {
		if i%8 == 0 {
			f.Add(v)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		entries, err := parseTree(raw)
		if err != nil {
			return
		}
		if again := encodeTree(entries); !bytes.Equal(again, raw) {
			t.Fatalf("%q is written as %q", raw, again)
		}
		b := &bare{TB: t, dir: b.dir, repo: b.repo, blob: b.blob}
		h := b.put("tree", raw)
		if got := strings.Count(b.git(nil, "ls-tree", "-z", h.String()), "\x00"); got != len(entries) {
			t.Fatalf("git lists %d entries, assent %d", got, len(entries))
		}
	})
}

func FuzzTag(f *testing.F) {
	b := newBare(f)
	commit := b.put("commit", fmt.Appendf(nil, "tree %s\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nfirst\n", b.tree()))
	for i, v := range hostileTags(commit, b.blob) {
		if i%8 == 0 {
			f.Add([]byte(v))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		target, k, err := parseTag(raw)
		if err != nil || target != commit || k != kindCommit {
			return
		}
		b := &bare{TB: t, dir: b.dir, repo: b.repo, blob: b.blob}
		h := b.put("tag", raw)
		if got := strings.TrimSpace(b.git(nil, "rev-parse", "--verify", h.String()+"^{}")); got != target.String() {
			t.Fatalf("git peels it to %s, assent to %s", got, target)
		}
	})
}
