package gitstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sort"
	"sync/atomic"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Sizes in a pack index (gitformat-pack). Version 1 has no header and stores each offset before
// its hash. Version 2 stores hashes, checksums and offsets in separate tables.
const (
	idxHeader = 8
	idxFanout = 256 * 4
	idxHash   = len(tree.Hash{})
	idxOffset = 4
)

// packIndex reads a pack's index on demand: the fanout at once, the hashes of one first byte on
// first use. So opening a large repository costs one kilobyte per pack.
type packIndex struct {
	file    *os.File
	path    string
	v1      bool
	fanout  [256]uint32
	buckets [256]atomic.Pointer[idxBucket]
}

func openPackIndex(path string) (*packIndex, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening pack index: %w", err)
	}
	x := &packIndex{file: f, path: path}
	if err := x.readFanout(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return x, nil
}

func (x *packIndex) readFanout() error {
	var head [idxHeader + idxFanout]byte
	if _, err := x.file.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("reading %s: %w", x.path, err)
	}
	table := head[idxHeader:]
	switch magic := head[:4]; {
	case !bytes.Equal(magic, []byte{0xff, 't', 'O', 'c'}): // no fanout starts with such a high value
		x.v1, table = true, head[:idxFanout]
	case binary.BigEndian.Uint32(head[4:]) != 2:
		return fmt.Errorf("%s has a pack index version that assent does not support; run `git repack -ad` to rewrite it: %w", x.path, ErrUnsupported)
	}
	var last uint32
	for i := range x.fanout {
		x.fanout[i] = binary.BigEndian.Uint32(table[4*i:])
		if x.fanout[i] < last {
			return fmt.Errorf("%s: fanout: %w", x.path, ErrCorrupt)
		}
		last = x.fanout[i]
	}
	return nil
}

func (x *packIndex) count() int64 { return int64(x.fanout[255]) }

func (x *packIndex) first(b byte) uint32 {
	if b == 0 {
		return 0
	}
	return x.fanout[b-1]
}

// idxBucket is the part of the index for hashes of one first byte.
type idxBucket struct {
	names   []byte // sorted, 20 bytes each
	offsets []byte // 4 bytes each, in the same order
}

func (x *packIndex) bucket(b byte) (*idxBucket, error) {
	if known := x.buckets[b].Load(); known != nil {
		return known, nil
	}
	from, n := int64(x.first(b)), int64(x.fanout[b]-x.first(b))
	out, err := &idxBucket{}, error(nil)
	switch {
	case n == 0:
	case x.v1:
		out, err = x.bucketV1(from, n)
	default:
		start := int64(idxHeader + idxFanout)
		if out.names, err = x.section(start+from*int64(idxHash), n*int64(idxHash)); err == nil {
			out.offsets, err = x.section(start+x.count()*int64(idxHash+4)+idxOffset*from, idxOffset*n)
		}
	}
	if err != nil {
		return nil, err
	}
	x.buckets[b].Store(out)
	return out, nil
}

// bucketV1 splits pairs of offset and hash.
func (x *packIndex) bucketV1(from, n int64) (*idxBucket, error) {
	const pair = int64(idxOffset + idxHash)
	pairs, err := x.section(idxFanout+from*pair, n*pair)
	if err != nil {
		return nil, err
	}
	out := &idxBucket{names: make([]byte, 0, n*int64(idxHash)), offsets: make([]byte, 0, n*idxOffset)}
	for ; len(pairs) > 0; pairs = pairs[pair:] {
		out.offsets = append(out.offsets, pairs[:idxOffset]...)
		out.names = append(out.names, pairs[idxOffset:pair]...)
	}
	return out, nil
}

// section reads n bytes. Its buffer grows with the data, so a forged fanout cannot make it
// allocate more than the file holds.
func (x *packIndex) section(at, n int64) ([]byte, error) {
	data, err := io.ReadAll(io.NewSectionReader(x.file, at, n))
	if err != nil || int64(len(data)) != n {
		return nil, fmt.Errorf("reading %s: %w", x.path, ErrCorrupt)
	}
	return data, nil
}

func (x *packIndex) find(h tree.Hash) (int64, bool, error) {
	b, err := x.bucket(h[0])
	if err != nil {
		return 0, false, err
	}
	n := len(b.names) / idxHash
	i := sort.Search(n, func(i int) bool { return bytes.Compare(b.names[i*idxHash:(i+1)*idxHash], h[:]) >= 0 })
	if i == n || !bytes.Equal(b.names[i*idxHash:(i+1)*idxHash], h[:]) {
		return 0, false, nil
	}
	off, err := x.offset(binary.BigEndian.Uint32(b.offsets[4*i:]))
	return off, err == nil, err
}

// offset converts an entry of the offset table to an offset in the pack. Version 2 stores
// offsets beyond 2 GiB in a second table; version 1 has 32-bit offsets and no packs beyond 4
// GiB.
func (x *packIndex) offset(v uint32) (int64, error) {
	if x.v1 || v>>31 == 0 {
		return int64(v), nil
	}
	var buf [8]byte
	large := int64(idxHeader+idxFanout) + x.count()*int64(idxHash+8) + 8*int64(v&^(1<<31))
	if _, err := x.file.ReadAt(buf[:], large); err != nil {
		return 0, fmt.Errorf("reading %s: %w", x.path, err)
	}
	return int64(binary.BigEndian.Uint64(buf[:]) &^ (1 << 63)), nil
}

// prefix returns the hashes that start with the given hexadecimal digits, the first two of
// which are byte b.
func (x *packIndex) prefix(digits string, b byte) ([]tree.Hash, error) {
	found, err := x.bucket(b)
	if err != nil {
		return nil, err
	}
	var out []tree.Hash
	for names := found.names; len(names) > 0; names = names[idxHash:] {
		h := tree.Hash(names[:idxHash])
		if h.String()[:len(digits)] == digits {
			out = append(out, h)
		}
	}
	return out, nil
}
