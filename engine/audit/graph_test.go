package audit_test

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// thing is a Git object as bytes.
type thing struct {
	kind string // commit, tree or blob
	raw  []byte
}

func (o thing) hash() tree.Hash {
	sum := sha1.New()
	fmt.Fprintf(sum, "%s %d\x00", o.kind, len(o.raw))
	sum.Write(o.raw)
	return tree.Hash(sum.Sum(nil))
}

// graph is a repository in memory: everything its refs reach.
type graph struct {
	things map[tree.Hash]thing
	// order is the order in which git lists the objects; it does not depend on their
	// names.
	order []tree.Hash
	refs  map[string]tree.Hash
	// digests maps the SHA-256 of a blob's content, as records state it, to the blob.
	digests map[string]tree.Hash
}

// readGraph reads a repository with git itself.
func readGraph(t *testing.T, dir string) *graph {
	t.Helper()
	g := &graph{things: map[tree.Hash]thing{}, refs: refsOf(t, dir), digests: map[string]tree.Hash{}}
	var names bytes.Buffer
	for line := range strings.Lines(string(gitOutput(t, dir, nil, "rev-list", "--objects", "--no-object-names", "--all"))) {
		names.WriteString(line)
	}
	r := bufio.NewReader(bytes.NewReader(gitOutput(t, dir, &names, "cat-file", "--batch")))
	for {
		header, err := r.ReadString('\n')
		if err == io.EOF {
			break
		}
		var h, kind string
		var size int
		if _, err := fmt.Sscanf(header, "%s %s %d", &h, &kind, &size); err != nil {
			t.Fatalf("%q: %v", header, err)
		}
		o := thing{kind, make([]byte, size)}
		if _, err := io.ReadFull(r, o.raw); err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadByte(); err != nil {
			t.Fatal(err)
		}
		g.things[hashOf(t, h)] = o
		g.order = append(g.order, hashOf(t, h))
		if kind == "blob" {
			sum := sha256.Sum256(o.raw)
			g.digests[hex.EncodeToString(sum[:])] = hashOf(t, h)
		}
	}
	return g
}

func refsOf(t *testing.T, dir string) map[string]tree.Hash {
	t.Helper()
	refs := map[string]tree.Hash{}
	for line := range strings.Lines(string(gitOutput(t, dir, nil, "for-each-ref", "--format=%(objectname) %(refname)"))) {
		h, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = hashOf(t, h)
	}
	return refs
}

func gitOutput(t *testing.T, dir string, in io.Reader, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, in
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func hashOf(t *testing.T, s string) tree.Hash {
	t.Helper()
	h, err := tree.ParseHash(s)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// change is an attacker's change: new contents of objects and new values of refs, in
// terms of the old names; a zero hash deletes a ref.
type change struct {
	raw  map[tree.Hash][]byte
	refs map[string]tree.Hash
	// fresh are additional objects.
	fresh map[tree.Hash]thing
	// thorough also rewrites every text that mentions a changed object: hashes in
	// messages, payloads and records, and digests of payloads. Otherwise only trees and
	// parents are rewritten, which keeps the repository valid for git.
	thorough bool
}

// applied is a repository after a change: its refs, and the new objects that it needs.
type applied struct {
	refs map[string]tree.Hash
	made map[tree.Hash]thing
}

var mention = regexp.MustCompile(`[0-9a-f]{40,64}`)

// apply applies a change and propagates it to the refs.
func (g *graph) apply(c change) applied {
	a := applied{map[string]tree.Hash{}, maps.Clone(c.fresh)}
	if a.made == nil {
		a.made = map[tree.Hash]thing{}
	}
	done := map[tree.Hash]tree.Hash{}
	var renew func(h tree.Hash) tree.Hash
	renew = func(h tree.Hash) tree.Hash {
		if now, ok := done[h]; ok {
			return now
		}
		o, ok := g.things[h]
		if !ok {
			return h
		}
		done[h] = h // an object that a change makes mention itself stays unchanged
		raw, edited := c.raw[h]
		if !edited {
			raw = o.raw
		}
		fresh := thing{o.kind, g.follow(thing{o.kind, raw}, c.thorough, renew, a.made)}
		now := h
		if !bytes.Equal(fresh.raw, o.raw) {
			now = fresh.hash()
			if _, old := g.things[now]; !old {
				a.made[now] = fresh
			}
		}
		done[h] = now
		return now
	}
	for _, name := range slices.Sorted(maps.Keys(g.refs)) {
		h := g.refs[name]
		if to, moved := c.refs[name]; moved {
			h = to
		}
		if !h.IsZero() {
			a.refs[name] = renew(h)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.refs)) {
		if _, known := g.refs[name]; !known {
			a.refs[name] = renew(c.refs[name])
		}
	}
	return a
}

// follow replaces the names of changed objects.
func (g *graph) follow(o thing, thorough bool, renew func(tree.Hash) tree.Hash, made map[tree.Hash]thing) []byte {
	if o.kind == "tree" {
		out := bytes.Clone(o.raw)
		for at := 0; at < len(out); {
			zero := bytes.IndexByte(out[at:], 0)
			if zero < 0 || at+zero+21 > len(out) {
				break
			}
			h := out[at+zero+1 : at+zero+21]
			now := renew(tree.Hash(h))
			copy(h, now[:])
			at += zero + 21
		}
		return out
	}
	head, rest := o.raw, []byte(nil)
	if end := bytes.Index(o.raw, []byte("\n\n")); o.kind == "commit" && !thorough && end >= 0 {
		head, rest = o.raw[:end], o.raw[end:]
	}
	if o.kind == "blob" && !thorough {
		return o.raw
	}
	out := mention.ReplaceAllFunc(head, func(m []byte) []byte {
		if len(m) == 40 {
			h, err := tree.ParseHash(string(m))
			if err != nil {
				return m
			}
			return []byte(renew(h).String())
		}
		blob, ok := g.digests[string(m)]
		if !ok || !thorough {
			return m
		}
		fresh, ok := made[renew(blob)]
		if !ok {
			return m
		}
		sum := sha256.Sum256(fresh.raw)
		return []byte(hex.EncodeToString(sum[:]))
	})
	return append(bytes.Clone(out), rest...)
}

// store puts objects into a repository, all in one pack.
func store(t *testing.T, gitDir string, all map[tree.Hash]thing) {
	t.Helper()
	var pack bytes.Buffer
	pack.WriteString("PACK")
	pack.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 2), uint32(len(all))))
	z, err := zlib.NewWriterLevel(nil, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		n, code := len(o.raw), map[string]byte{"commit": 1, "tree": 2, "blob": 3}[o.kind]
		first := code<<4 | byte(n&15)
		for n >>= 4; n > 0; n >>= 7 {
			pack.WriteByte(first | 0x80)
			first = byte(n & 0x7f)
		}
		pack.WriteByte(first)
		z.Reset(&pack)
		if _, err := z.Write(o.raw); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha1.Sum(pack.Bytes())
	pack.Write(sum[:])
	file := filepath.Join(gitDir, "objects", "pack", "pack-"+hex.EncodeToString(sum[:])+".pack")
	if err := os.WriteFile(file, pack.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	gitOutput(t, gitDir, nil, "index-pack", file)
}
