package gitstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// hostileCommits returns variants of a commit; both readers agree on few of them.
func hostileCommits(top, parent, other, blob tree.Hash) []string {
	const who = "A <a@x> 1100000000 +0100"
	line := func(key, value string) string { return key + " " + value + "\n" }
	base := []string{line("tree", top.String()), line("parent", parent.String()), line("author", who), line("committer", who)}
	extra := []string{
		line("tree", other.String()), line("parent", top.String()), line("parent", blob.String()), line("author", "Eve <e@x> 9 +0000"), line("committer", "Eve <e@x> 9 +0000"),
		line("encoding", "UTF-7"), line("encoding", "UTF-16"), line("encoding", "ISO-2022-JP"), "encoding \n", line("gpgsig", "x\n y"), line("mergetag", "x"),
		" tree " + other.String() + "\n", "\ttree " + other.String() + "\n", "tree\x00" + other.String() + "\n", line("TREE", other.String()), line("tree ", other.String()),
		"\r\n", "noblank\n", " \n", "\n", line("object", other.String()),
	}
	var out []string
	for at := 0; at <= len(base); at++ {
		for _, e := range extra {
			out = append(out, strings.Join(base[:at], "")+e+strings.Join(base[at:], "")+"\nm +AAo-tree x\n")
		}
	}
	for i := range base { // a line omitted, repeated, or moved
		out = append(out, strings.Join(base[:i], "")+strings.Join(base[i+1:], "")+"\nm\n")
		out = append(out, strings.Join(base[:i+1], "")+strings.Join(base[i:], "")+"\nm\n")
		for j := range base {
			swapped := append([]string{}, base...)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			out = append(out, strings.Join(swapped, "")+"\nm\n")
		}
	}
	for _, odd := range []string{"A", "A <a@x>", "A <a@x> +0000", "A <a@x> 5", "A <a@x> x +0000", "A <a@x> -5 +0000", "A <a@x>> 5 +0000", "A <a@x> <b@x> 5 +0000", "A <a@x 5 +0000", "A a@x> 5 +0000",
		"A <a@x> 99999999999999999999 +0000", "A <a@x> 999999999999 +0000", "A\x00 <a@x> 5 +0000", "A <a@x> 5 +0000\r", "\t<> 5 +1", "<<>> 5 +0000", "A <a\x01@x> 5 +0000"} {
		out = append(out, base[0]+base[1]+line("author", odd)+base[3]+"\nm\n", base[0]+base[1]+base[2]+line("committer", odd)+"\n1234567890 > 7\n")
	}
	whole := strings.Join(base, "")
	return append(out, whole+"\nm\x00tree\n", whole[:len(whole)-1], strings.ToUpper(whole[:45])+whole[45:]+"\nm\n", "\n"+whole, whole+"encoding UTF-8\n more\n\nm\n", "")
}

// TestHostileCommits compares accepted commits with git; TestStrictness lists refused ones.
func TestHostileCommits(t *testing.T) {
	b := newBare(t)
	top := b.tree()
	other := b.put("tree", fmt.Appendf(nil, "100644 b\x00%s", b.blob[:]))
	parent := b.put("commit", fmt.Appendf(nil, "tree %s\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nfirst\n", top))
	variants := hostileCommits(top, parent, other, b.blob)
	if len(variants) < 100 {
		t.Fatalf("only %d variants", len(variants))
	}
	accepted := 0
	for _, v := range variants {
		raw := []byte(v)
		c, err := parseCommit(raw)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%q: %v", v, err)
			}
			continue
		}
		accepted++
		h := b.put("commit", raw)
		if _, err := b.repo.Commit(h); err != nil {
			t.Errorf("%q: %v", v, err)
		}
		if !slices.ContainsFunc(c.Parents, func(p tree.Hash) bool { return p != parent }) { // git lists no commit with a missing parent
			b.agrees(h, c)
		}
	}
	if accepted == 0 || accepted == len(variants) {
		t.Errorf("%d of %d were accepted", accepted, len(variants))
	}
	for _, second := range []string{"tree " + other.String(), "parent " + parent.String(), "author A <a@x> 1 +0000", "committer A <a@x> 1 +0000"} {
		raw := fmt.Appendf(nil, "tree %s\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n%s\n\nm\n", top, second)
		if _, err := parseCommit(raw); err == nil {
			t.Errorf("a second %.10q is accepted", second)
		}
	}
}
