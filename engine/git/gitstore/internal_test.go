package gitstore

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// FuzzTreeIdentity: a tree that parses is encoded to the same bytes.
func FuzzTreeIdentity(f *testing.F) {
	entries := []treeEntry{{"a", tree.Regular, tree.BlobHash(nil)}, {"a.b", tree.Executable, tree.BlobHash(nil)}, {"b", tree.Dir, emptyTree()}}
	f.Add(encodeTree(entries))
	f.Add(encodeTree(entries[:1]))
	f.Add(encodeTree([]treeEntry{{"a", tree.Regular, tree.BlobHash(nil)}, {"a", tree.Dir, emptyTree()}}))
	f.Add([]byte("40000 x\x00"))
	f.Add([]byte("040000 x\x0001234567890123456789"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		parsed, err := parseTree(raw)
		if err != nil {
			return
		}
		if got := encodeTree(parsed); !bytes.Equal(got, raw) {
			t.Errorf("%q came back as %q", raw, got)
		}
		for _, e := range parsed {
			if got, ok := named(parsed, e.name); !ok || got.name != e.name {
				t.Errorf("%q is not found in its own tree", e.name)
			}
		}
	})
}

func FuzzPackedRefs(f *testing.F) {
	h := tree.BlobHash(nil).String()
	f.Add("# pack-refs with: peeled fully-peeled sorted \n" + h + " refs/heads/a\n" + h + " refs/tags/v\n^" + h + "\n")
	f.Add(h + " refs/heads/b\n" + h + " refs/heads/a\n")
	f.Add("^" + h + "\n")
	f.Add(h + " refs/heads/cut")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePackedRefs(text)
		if err != nil {
			return
		}
		again, err := parsePackedRefs(p.without(nil))
		if err != nil || len(again.lines) != len(p.lines) {
			t.Fatalf("%q: %d refs came back as %v, %v", text, len(p.lines), again, err)
		}
		for i := range p.lines {
			if p.lines[i] != again.lines[i] {
				t.Errorf("%v came back as %v", p.lines[i], again.lines[i])
			}
			if _, ok := p.find(p.lines[i].name); !ok {
				t.Errorf("%q is not found", p.lines[i].name)
			}
		}
	})
}

func FuzzCommit(f *testing.F) {
	f.Add([]byte("tree " + emptyTree().String() + "\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0100\ngpgsig -----BEGIN\n x\n -----END\n\nsubject\n\nKey: value\n"))
	f.Add([]byte("tree x\n\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := parseCommit(raw)
		if err != nil {
			return
		}
		for _, tr := range c.Trailers() {
			if strings.ContainsAny(tr.Key+tr.Value, "\n") || !TrailerKey(tr.Key) {
				t.Errorf("trailer %q has more than one line", tr)
			}
		}
		if c.Signature == "" && !bytes.Contains(raw, []byte("\ngpgsig")) && !bytes.Equal(c.Payload(), raw) {
			t.Errorf("unsigned %q has the payload %q", raw, c.Payload())
		}
	})
}

func FuzzPackEntry(f *testing.F) {
	f.Add(entryHeader(kindBlob, 12345), int64(12))
	f.Add([]byte{0xe5, 0x80, 0x01}, int64(1000))
	f.Fuzz(func(t *testing.T, b []byte, off int64) {
		if len(b) == 0 || off < 0 || off > 1<<40 {
			return
		}
		if e, ok := parsePackEntry(b, off); ok && (e.size < 0 || e.data <= off || e.kind == kindOfs && (e.baseOff <= 0 || e.baseOff >= off)) {
			t.Errorf("%x at %d: %+v", b, off, e)
		}
	})
}

func TestTrailers(t *testing.T) {
	for message, want := range map[string]string{
		"s\n\nA: 1\nB: 2\n":               "A=1;B=2;",
		"s\n\nbody: with colon\nand text": "",
		"Subject: not a trailer\n":        "",
		"s\n\nA: 1\n  more\n\n\n":         "A=1 more;",
		"s\n\nA: 1\n\nlast: one\n":        "last=one;",
		"s\n\nA b: 1\n":                   "",
		"s\n\nA:\n":                       "A=;",
	} {
		got := ""
		for _, tr := range ParseTrailers(message) {
			got += tr.Key + "=" + tr.Value + ";"
		}
		if got != want {
			t.Errorf("trailers of %q = %q, want %q", message, got, want)
		}
	}
}
