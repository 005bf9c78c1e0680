package gitstore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// hostileTrees returns combinations of modes, names and orders.
func hostileTrees(blob, dir tree.Hash) [][]byte {
	entry := func(mode, name string, h tree.Hash) string { return mode + " " + name + "\x00" + string(h[:]) }
	var out [][]byte
	for _, mode := range []string{"100644", "100755", "120000", "160000", "40000", "0100644", "040000", "100664", "100600", "644", "0", "", "1006440", "10064x", "+100644", "100000"} {
		for _, name := range []string{"a", "", ".", "..", ".git", ".GIT", ".gIt", "a/b", "/", "ü", ".gitmodules", "a\nb", strings.Repeat("n", 300)} {
			h := blob
			if strings.HasSuffix(mode, "40000") {
				h = dir
			}
			out = append(out, []byte(entry(mode, name, h)))
		}
	}
	f, d := "100644", "40000"
	for _, pair := range [][4]string{{f, "a", f, "a"}, {f, "b", f, "a"}, {f, "a", d, "a"}, {d, "a", f, "a"}, {d, "a", f, "a.b"}, {f, "a.b", d, "a"}, {d, "a", f, "a0"}, {f, "a", f, "a0"}, {f, "a", f, "ab"}, {d, "a", d, "a"}} {
		of := func(mode string) tree.Hash {
			if mode == d {
				return dir
			}
			return blob
		}
		out = append(out, []byte(entry(pair[0], pair[1], of(pair[0]))+entry(pair[2], pair[3], of(pair[2]))))
	}
	whole := entry(f, "a", blob)
	return append(out, []byte(entry(f, "a", tree.Hash{})), []byte(whole[:len(whole)-1]), []byte(whole+"1"), []byte(whole+"100644 b"), []byte("\x00"), nil)
}

// TestHostileTrees checks that git lists an accepted tree in the same way, and that git's fsck
// accepts it.
func TestHostileTrees(t *testing.T) {
	b := newBare(t)
	variants := hostileTrees(b.blob, b.tree())
	if len(variants) < 100 {
		t.Fatalf("only %d variants", len(variants))
	}
	accepted := 0
	for _, raw := range variants {
		entries, err := parseTree(raw)
		if err != nil {
			continue
		}
		accepted++
		b.listsAlike(raw, entries)
	}
	if accepted == 0 || accepted == len(variants) {
		t.Errorf("%d of %d were accepted", accepted, len(variants))
	}
}

func (b *bare) listsAlike(raw []byte, entries []treeEntry) {
	b.Helper()
	h := b.put("tree", raw)
	var want strings.Builder
	for _, e := range entries {
		kind := map[tree.Mode]string{tree.Dir: "tree", tree.Submodule: "commit"}[e.mode]
		if kind == "" {
			kind = "blob"
		}
		fmt.Fprintf(&want, "%s %s %s\t%s\x00", e.mode, kind, e.hash, e.name)
	}
	if got := b.git(nil, "ls-tree", "-z", h.String()); got != want.String() {
		b.Errorf("%q: git lists %q, assent %q", raw, got, want.String())
	}
	if out, err := b.try(nil, "diff-tree", "-r", "--raw", emptyTree().String(), h.String()); len(raw) > 0 && err != nil {
		b.Errorf("%q: git diff-tree: %v: %s", raw, err, out)
	}
	if _, err := b.try(raw, "hash-object", "-t", "tree", "--stdin"); err != nil { // runs git's fsck
		b.Errorf("%q is accepted, and git refuses it: %v", raw, err)
	}
}

func hostileTags(commit, blob tree.Hash) []string {
	var out []string
	lines := []string{"object " + commit.String() + "\n", "type commit\n", "tag v1\n", "tagger T <t@x> 1 +0000\n"}
	for at := 0; at <= len(lines); at++ {
		for _, e := range []string{"", "object " + blob.String() + "\n", "type blob\n", "tag v2\n", "x\n", " \n", "\n", "object\x00\n", "gpgsig x\n y\n"} {
			out = append(out, strings.Join(lines[:at], "")+e+strings.Join(lines[at:], "")+"\nm\n")
		}
	}
	for i := range lines {
		for j := range lines {
			swapped := append([]string{}, lines...)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			out = append(out, strings.Join(swapped, "")+"\nm\n")
		}
		for _, lie := range []string{"blob", "tree", "tag", "", "Commit", "commit "} {
			cut := append([]string{}, lines...)
			cut[1] = "type " + lie + "\n"
			out = append(out, strings.Join(cut[:i], "")+strings.Join(cut[min(i+1, 3):], "")+"\nm\n", strings.Join(cut, "")+"\n"+strings.Repeat("m", i)+"\n")
		}
	}
	return out
}

// TestHostileTags checks that git and assent follow an accepted tag to the same object.
func TestHostileTags(t *testing.T) {
	b := newBare(t)
	commit := b.put("commit", fmt.Appendf(nil, "tree %s\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nfirst\n", b.tree()))
	variants := hostileTags(commit, b.blob)
	if len(variants) < 100 {
		t.Fatalf("only %d variants", len(variants))
	}
	accepted := 0
	for _, v := range variants {
		h := b.put("tag", []byte(v))
		got, _, err := b.repo.peel(h)
		if err != nil {
			continue
		}
		accepted++
		if want, err := b.try(nil, "rev-parse", "--verify", h.String()+"^{}"); err != nil || strings.TrimSpace(want) != got.String() {
			t.Errorf("%q: git peels it to %s (%v), assent to %s", v, want, err, got)
		}
	}
	if accepted == 0 || accepted == len(variants) {
		t.Errorf("%d of %d were accepted", accepted, len(variants))
	}
}
