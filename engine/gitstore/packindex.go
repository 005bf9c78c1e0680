package gitstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sort"
	"sync/atomic"

	"github.com/assent-dev/assent/engine/tree"
)

// Sizes in a version 2 pack index (gitformat-pack).
const (
	idxHeader = 8
	idxFanout = 256 * 4
	idxHash   = len(tree.Hash{})
)

// packIndex reads a pack's version 2 index by need: the fanout at once, the
// names that share a first byte when one of them is asked for. Opening a large
// repository therefore costs one kilobyte a pack.
type packIndex struct {
	file    *os.File
	path    string
	fanout  [256]uint32
	buckets [256]atomic.Pointer[[]byte]
}

func openPackIndex(path string) (*packIndex, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening pack index: %w", err)
	}
	x := &packIndex{file: f, path: path}
	if err := x.readFanout(); err != nil {
		f.Close()
		return nil, err
	}
	return x, nil
}

func (x *packIndex) readFanout() error {
	var head [idxHeader + idxFanout]byte
	if _, err := x.file.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("reading %s: %w", x.path, err)
	}
	if !bytes.Equal(head[:idxHeader], []byte{0xff, 't', 'O', 'c', 0, 0, 0, 2}) {
		return fmt.Errorf("%s is not a version 2 pack index; run `git repack -ad` to rewrite it: %w", x.path, ErrUnsupported)
	}
	var last uint32
	for i := range x.fanout {
		x.fanout[i] = binary.BigEndian.Uint32(head[idxHeader+4*i:])
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

// bucket returns the sorted names whose first byte is b.
func (x *packIndex) bucket(b byte) ([]byte, error) {
	if names := x.buckets[b].Load(); names != nil {
		return *names, nil
	}
	from, n := x.first(b), int64(x.fanout[b]-x.first(b))
	names := []byte{}
	if n > 0 {
		at := idxHeader + idxFanout + int64(from)*int64(idxHash)
		// A forged fanout must not make us allocate what the file does not hold.
		var err error
		names, err = io.ReadAll(io.NewSectionReader(x.file, at, n*int64(idxHash)))
		if err != nil || int64(len(names)) != n*int64(idxHash) {
			return nil, fmt.Errorf("reading %s: %w", x.path, ErrCorrupt)
		}
	}
	x.buckets[b].Store(&names)
	return names, nil
}

func (x *packIndex) find(h tree.Hash) (int64, bool, error) {
	names, err := x.bucket(h[0])
	if err != nil {
		return 0, false, err
	}
	n := len(names) / idxHash
	i := sort.Search(n, func(i int) bool { return bytes.Compare(names[i*idxHash:(i+1)*idxHash], h[:]) >= 0 })
	if i == n || !bytes.Equal(names[i*idxHash:(i+1)*idxHash], h[:]) {
		return 0, false, nil
	}
	off, err := x.offset(int64(x.first(h[0])) + int64(i))
	return off, err == nil, err
}

// offset returns where the i-th object (by name) starts in the pack.
func (x *packIndex) offset(i int64) (int64, error) {
	table := int64(idxHeader+idxFanout) + x.count()*int64(idxHash+4)
	var buf [8]byte
	if _, err := x.file.ReadAt(buf[:4], table+4*i); err != nil {
		return 0, fmt.Errorf("reading %s: %w", x.path, err)
	}
	v := binary.BigEndian.Uint32(buf[:4])
	if v>>31 == 0 {
		return int64(v), nil
	}
	large := table + 4*x.count() + 8*int64(v&^(1<<31))
	if _, err := x.file.ReadAt(buf[:], large); err != nil {
		return 0, fmt.Errorf("reading %s: %w", x.path, err)
	}
	return int64(binary.BigEndian.Uint64(buf[:]) &^ (1 << 63)), nil
}

// prefix returns the names that start with the given hexadecimal digits.
func (x *packIndex) prefix(digits string, b byte) ([]tree.Hash, error) {
	names, err := x.bucket(b)
	if err != nil {
		return nil, err
	}
	var out []tree.Hash
	for ; len(names) > 0; names = names[idxHash:] {
		h := tree.Hash(names[:idxHash])
		if h.String()[:len(digits)] == digits {
			out = append(out, h)
		}
	}
	return out, nil
}
