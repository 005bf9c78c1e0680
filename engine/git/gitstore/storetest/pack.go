package storetest

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // the hash of Git
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// The kinds of objects in a pack.
const (
	KindCommit = 1
	KindTree   = 2
	KindBlob   = 3
	delta      = 7
)

// Pack is a pack that stores objects in ways in which git does not store them.
type Pack struct {
	body bytes.Buffer
	n    uint32
}

// Name returns the name of an object.
func Name(kind byte, data []byte) tree.Hash {
	return sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", [...]string{KindCommit: "commit", KindTree: "tree", KindBlob: "blob"}[kind], len(data), data)) //nolint:gosec // the hash of Git
}

// Whole adds an object by itself.
func (p *Pack) Whole(kind byte, data []byte) tree.Hash {
	p.add(kind, "", data)
	return Name(kind, data)
}

// Upon adds an object as a difference from one of so many bytes, of the same kind: all of it differs.
func (p *Pack) Upon(base tree.Hash, size int, kind byte, data []byte) tree.Hash {
	d := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(size)), uint64(len(data))) //nolint:gosec // positive
	for rest := data; len(rest) > 0; {
		n := min(len(rest), 127)
		d, rest = append(append(d, byte(n)), rest[:n]...), rest[n:]
	}
	p.Delta(base, d)
	return Name(kind, data)
}

// Splice adds the difference that is head and n bytes of a base of so many bytes, from off.
func (p *Pack) Splice(base tree.Hash, size int, head []byte, off, n int) {
	d := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(size)), uint64(len(head)+n)) //nolint:gosec // positive
	d = append(append(d, byte(len(head))), head...)
	for ; n > 0; off, n = off+1<<16, n-1<<16 {
		part := min(n, 1<<16)
		d = append(d, 0xbf, byte(off), byte(off>>8), byte(off>>16), byte(off>>24), byte(part), byte(part>>8)) //nolint:gosec // cut up; no size is 1<<16
	}
	p.Delta(base, d)
}

// Delta adds a difference.
func (p *Pack) Delta(base tree.Hash, d []byte) { p.add(delta, string(base[:]), d) }

func (p *Pack) add(kind byte, base string, data []byte) {
	size := len(data)
	first := kind<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		p.body.WriteByte(first | 0x80)
		first = byte(size & 0x7f)
	}
	p.body.WriteByte(first)
	p.body.WriteString(base)
	z := zlib.NewWriter(&p.body)
	_, _ = z.Write(data) // a buffer takes all
	_ = z.Close()
	p.n++
}

// Into adds the pack to a Git folder.
func (p *Pack) Into(t testing.TB, dir string) {
	t.Helper()
	out := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), p.n)
	out = append(out, p.body.Bytes()...)
	sum := sha1.Sum(out) //nolint:gosec // the hash of Git
	name := fmt.Sprintf("objects/pack/pack-%x.pack", sum)
	Write(t, dir, name, string(append(out, sum[:]...)))
	Git(t, dir, "index-pack", "--threads=1", name)
}
