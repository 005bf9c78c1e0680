package gitstore_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

func TestWriteTreeRefuses(t *testing.T) {
	r := newRepo(t)
	base, err := r.WriteTree(tree.Hash{}, files("a/b", "1", "f", "1"))
	if err != nil {
		t.Fatal(err)
	}
	for name, edits := range map[string][]tree.Edit{
		"file over directory": files("a", "x"), "below a file": files("f/x", "x"), "twice": files("n", "1", "n", "2"),
		"file and below it": files("n", "1", "n/x", "2"), "missing": files("nope", "-"), "missing dir": files("a", "-"),
		"empty": files("", "x"), "dots": files("a/../b", "x"), "git": files("a/.GIT/config", "x"), "absolute": files("/a", "x"),
		"nul": files("a\x00b", "x"), "dir mode": {{Path: "x", Mode: tree.Dir}},
	} {
		if _, err := r.WriteTree(base, edits); !errors.Is(err, gitstore.ErrBadEdit) {
			t.Errorf("%s: %v, want ErrBadEdit", name, err)
		}
	}
	swapped, err := r.WriteTree(base, files("a/b", "-", "a", "file", "f", "-", "f/x", "dir"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Snapshot(swapped)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := s.Read("f/x"); err != nil || string(data) != "dir" {
		t.Errorf("a file that became a directory: %q, %v", data, err)
	}
}

// TestWriteTreeSplicesLikeAFreshTree: splicing gives the same tree as writing all files from
// scratch, for any edits.
func TestWriteTreeSplicesLikeAFreshTree(t *testing.T) {
	r := newRepo(t)
	paths := []string{"a", "a.b", "a0", "d/x", "d/y", "d.x", "e/f/g", "e/f/h", "e-f"}
	rapid.Check(t, func(rt *rapid.T) {
		have := map[string]string{}
		var root tree.Hash
		for range rapid.IntRange(1, 6).Draw(rt, "steps") {
			var edits []tree.Edit
			for _, p := range rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 1, 5, rapid.ID).Draw(rt, "paths") {
				content := rapid.SampledFrom([]string{"-", "1", "2", "3"}).Draw(rt, "content")
				if _, ok := have[p]; content == "-" && !ok {
					continue
				}
				edits = append(edits, files(p, content)...)
				if have[p] = content; content == "-" {
					delete(have, p)
				}
			}
			var err error
			if root, err = r.WriteTree(root, edits); err != nil {
				rt.Fatal(err)
			}
		}
		var all []tree.Edit
		for _, p := range slices.Sorted(maps.Keys(have)) {
			all = append(all, files(p, have[p])...)
		}
		fresh, err := r.WriteTree(tree.Hash{}, all)
		if err != nil || fresh != root {
			rt.Fatalf("spliced %s, fresh %s, %v", root, fresh, err)
		}
	})
}

func TestSignedCommit(t *testing.T) {
	r := newRepo(t)
	root, err := r.WriteTree(tree.Hash{}, files("a", "1"))
	if err != nil {
		t.Fatal(err)
	}
	var signed []byte
	armor := "-----BEGIN SSH SIGNATURE-----\nabc\n\n=x\n-----END SSH SIGNATURE-----\n"
	h, err := r.WriteCommit(gitstore.Commit{Tree: root, Author: person(0), Committer: person(1), Message: "subject\n\nReviewed-By: x"},
		func(payload []byte) (string, error) { signed = payload; return armor, nil })
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Commit(h)
	if err != nil {
		t.Fatal(err)
	}
	if c.Signature != armor || string(c.Payload()) != string(signed) || c.Trailer("reviewed-by") != "x" {
		t.Errorf("signature %q, payload %q, want %q, %q", c.Signature, c.Payload(), armor, signed)
	}
	if c.Author != person(0) || c.Committer != person(1) {
		t.Errorf("people: %+v %+v", c.Author, c.Committer)
	}
	update(t, r, "refs/heads/main", tree.Hash{}, h)
	if out := git(t, r.Root(), "fsck", "--strict"); strings.Contains(out, "error") {
		t.Error(out)
	}
	if got := git(t, r.Root(), "log", "-1", "--format=%an %s %(trailers)"); got != "Agent subject Reviewed-By: x" {
		t.Errorf("git log = %q", got)
	}
}

func TestSnapshotByManyGoroutines(t *testing.T) {
	r := newRepo(t)
	var edits []tree.Edit
	for i := range 300 {
		edits = append(edits, files(fmt.Sprintf("g%d/s%d/SKILL.md", i%9, i), strings.Repeat(fmt.Sprint("text ", i), 50))...)
	}
	h := commit(t, r, tree.Hash{}, 0, edits...)
	update(t, r, "refs/heads/main", tree.Hash{}, h)
	git(t, r.Root(), "repack", "-adq")
	fresh := open(t, r.Root())
	s, err := fresh.Snapshot(h)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, e := range edits {
				if data, err := s.Read(e.Path); err != nil || string(data) != string(e.Content) {
					t.Errorf("%s: %d bytes, %v", e.Path, len(data), err)
				}
			}
		})
	}
	group.Wait()
}

// TestHistoryAgreesWithGit compares answers about random histories with git's.
func TestHistoryAgreesWithGit(t *testing.T) {
	r := newRepo(t)
	var all []tree.Hash
	for i := range 40 {
		c := gitstore.Commit{Author: person(0), Message: fmt.Sprint("c", i)}
		c.Committer = person(int64(i*10 - (i*7)%25)) // clocks differ
		var err error
		if c.Tree, err = r.WriteTree(tree.Hash{}, files("f", fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		for _, back := range []int{1 + i*i%5, 3 + i*3%11} {
			if i >= back && (len(c.Parents) == 0 || i%4 == 0) && !slices.Contains(c.Parents, all[i-back]) {
				c.Parents = append(c.Parents, all[i-back])
			}
		}
		h, err := r.WriteCommit(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
		update(t, r, fmt.Sprint("refs/heads/c", i), tree.Hash{}, h)
	}
	git(t, r.Root(), "repack", "-adq")
	for i := 0; i < len(all); i += 3 {
		for j := 1; j < len(all); j += 5 {
			a, b := all[i], all[j]
			bases, _ := tryGit(t, r.Root(), "merge-base", "--all", a.String(), b.String())
			got, err := r.MergeBase(a, b)
			if err != nil || got.IsZero() != (bases == "") || !got.IsZero() && !strings.Contains(bases, got.String()) {
				t.Errorf("MergeBase(%d, %d) = %s, %v; git: %s", i, j, got, err, bases)
			}
			_, gitErr := tryGit(t, r.Root(), "merge-base", "--is-ancestor", a.String(), b.String())
			if is, err := r.IsAncestor(a, b); err != nil || is != (gitErr == nil) {
				t.Errorf("IsAncestor(%d, %d) = %v, %v", i, j, is, err)
			}
			want := strings.Fields(git(t, r.Root(), "rev-list", a.String()+".."+b.String()))
			between, err := r.Between(a, b)
			var names []string
			for _, c := range between {
				names = append(names, c.Hash.String())
			}
			slices.Sort(want)
			slices.Sort(names)
			if !slices.Equal(want, names) || err != nil {
				t.Errorf("Between(%d, %d) = %v, %v; want %v", i, j, names, err, want)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	r := newRepo(t)
	a := commit(t, r, tree.Hash{}, 0, files("f", "a")...)
	b := commit(t, r, a, 1, files("f", "b")...)
	update(t, r, "refs/heads/main", tree.Hash{}, b)
	update(t, r, "refs/remotes/origin/topic", tree.Hash{}, a)
	for rev, want := range map[string]tree.Hash{
		"HEAD": b, "@": b, "main": b, "heads/main": b, "refs/heads/main": b, "origin/topic": a, "main^": a, "main~1": a, "main^0": b,
		b.String(): b, b.String()[:8]: b, strings.ToUpper(a.String()[:12]): a, a.String()[:10] + "~0": a,
	} {
		if got, err := r.Resolve(rev); err != nil || got != want {
			t.Errorf("Resolve(%q) = %s, %v; want %s", rev, got, err, want)
		}
	}
	for _, rev := range []string{"", "nope", "main~2", "main^2", "main^{tree}", "main~99999999999999999999", "deadbeef", "..", "-x", "config", "main@{1}"} {
		if got, err := r.Resolve(rev); err == nil {
			t.Errorf("Resolve(%q) = %s, want an error", rev, got)
		}
	}
	for _, name := range []string{"refs/tags/main", "refs/tags/origin/topic", "refs/tags/HEAD", "refs/heads/refs/heads/main", "refs/tags/" + b.String()[:8], "refs/tags/" + b.String()} {
		update(t, r, name, tree.Hash{}, a)
	}
	for rev, both := range map[string]string{
		"main": "refs/tags/main and refs/heads/main", "main~0": "refs/heads/main", "origin/topic": "refs/tags/origin/topic and refs/remotes/origin/topic",
		b.String()[:8]: "refs/tags/" + b.String()[:8] + " and the hash of a commit",
	} {
		if got, err := r.Resolve(rev); !errors.Is(err, gitstore.ErrAmbiguous) || !strings.Contains(err.Error(), both) {
			t.Errorf("Resolve(%q) = %s, %v; want ErrAmbiguous of %s", rev, got, err, both)
		}
	}
	for rev, want := range map[string]tree.Hash{
		"HEAD": b, "@": b, "refs/heads/main": b, "heads/main": b, "tags/main": a, "refs/remotes/origin/topic": a, b.String()[:10]: b, b.String(): b,
	} {
		if got, err := r.Resolve(rev); err != nil || got != want {
			t.Errorf("Resolve(%q) beside tags = %s, %v; want %s", rev, got, err, want)
		}
	}
	if _, err := r.Resolve("nope"); !errors.Is(err, gitstore.ErrNoRef) {
		t.Errorf("Resolve(nope) = %v, want ErrNoRef", err)
	}
}
