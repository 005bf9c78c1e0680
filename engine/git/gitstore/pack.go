package gitstore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/klauspost/compress/zlib"

	"github.com/assent-dev/assent/engine/base/tree"
)

// entryHead exceeds the longest header of a packed object.
const entryHead = 64

// maxDelta bounds the length of delta chains; Git writes at most 50, or 4095 on request.
const maxDelta = 4096

// maxDeltas bounds the bytes of deltas that a chain holds in memory while its base is read.
// What is read on the way to an object may have detourTimes its size, and detourBytes more. Git
// chooses bases of at most 32 times the size.
const (
	maxDeltas   = 32 << 20
	detourTimes = 64
	detourBytes = 4 << 20
)

// errDetour is returned for an object that is stored at the end of a chain of deltas that costs far
// more than the object; see Objects.whole.
var errDetour = errors.New("it is stored as a difference from far more than it holds")

// chain counts the resources used on the way to the base of an object.
type chain struct {
	depth  int
	deltas int64
	// left is what the rest of the chain may have, in bytes; bounds are those of the object at its end.
	left   int64
	bounds bounds
}

// pack is one pack file with its index, both opened on first use. Reads are positioned, so
// goroutines can share the two descriptors.
type pack struct {
	base string // path without .pack or .idx

	mu   sync.Mutex
	idx  *packIndex
	file *os.File
}

type baseKey struct {
	pack *pack
	off  int64
}

func (p *pack) index() (*packIndex, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idx == nil {
		idx, err := openPackIndex(p.base + ".idx")
		if err != nil {
			return nil, err
		}
		p.idx = idx
	}
	return p.idx, nil
}

func (p *pack) find(h tree.Hash) (int64, bool, error) {
	idx, err := p.index()
	if err != nil {
		return 0, false, err
	}
	return idx.find(h)
}

func (p *pack) open() (*os.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		f, err := os.Open(p.base + ".pack")
		if err != nil {
			return nil, fmt.Errorf("opening pack: %w", err)
		}
		p.file = f
	}
	return p.file, nil
}

// packEntry is the header of a packed object.
type packEntry struct {
	kind kind
	size int64
	// Base of a delta: an offset in the same pack, or a hash.
	baseOff int64
	baseRef tree.Hash
	// data is the offset of the deflated bytes.
	data int64
}

func (p *pack) entry(off int64) (packEntry, error) {
	f, err := p.open()
	if err != nil {
		return packEntry{}, err
	}
	var buf [entryHead]byte
	n, err := f.ReadAt(buf[:], off)
	if err != nil && (!errors.Is(err, io.EOF) || n == 0) {
		return packEntry{}, fmt.Errorf("reading %s.pack: %w", p.base, err)
	}
	e, ok := parsePackEntry(buf[:n], off)
	if !ok {
		return e, fmt.Errorf("%s.pack at %d: %w", p.base, off, ErrCorrupt)
	}
	return e, nil
}

func parsePackEntry(b []byte, off int64) (packEntry, bool) {
	c, i := b[0], 1
	e := packEntry{kind: kind(c >> 4 & 7), size: int64(c & 15)}
	for shift := 4; c&0x80 != 0; shift += 7 {
		if i >= len(b) || shift > 53 {
			return e, false
		}
		c = b[i]
		e.size |= int64(c&0x7f) << shift
		i++
	}
	switch e.kind {
	case kindCommit, kindTree, kindBlob, kindTag:
	case kindRef:
		if len(b) < i+len(e.baseRef) {
			return e, false
		}
		i += copy(e.baseRef[:], b[i:])
	case kindOfs:
		back, n := ofsDistance(b[i:])
		if n == 0 || back <= 0 || back >= off {
			return e, false
		}
		e.baseOff, i = off-back, i+n
	default:
		return e, false
	}
	e.data = off + int64(i)
	return e, true
}

// ofsDistance decodes the distance of an offset delta's base.
func ofsDistance(b []byte) (int64, int) {
	var v int64
	for i, c := range b {
		v |= int64(c & 0x7f)
		if c&0x80 == 0 {
			return v, i + 1
		}
		if v > 1<<55 {
			return 0, 0
		}
		v = (v + 1) << 7
	}
	return 0, 0
}

// read returns the header at off and the inflated bytes after it, in one read of the file if
// they are short. An entry that is too large is refused before it is inflated.
func (p *pack) read(off int64, c chain) (packEntry, []byte, error) {
	f, err := p.open()
	if err != nil {
		return packEntry{}, nil, err
	}
	src := sources.Get().(*bufio.Reader)
	defer sources.Put(src)
	src.Reset(io.NewSectionReader(f, off, 1<<62))
	head, err := src.Peek(entryHead)
	if err != nil && (!errors.Is(err, io.EOF) || len(head) == 0) {
		return packEntry{}, nil, fmt.Errorf("reading %s.pack: %w", p.base, err)
	}
	e, ok := parsePackEntry(head, off)
	if !ok {
		return e, nil, fmt.Errorf("%s.pack at %d: %w", p.base, off, ErrCorrupt)
	}
	if err := c.affords(e); err != nil {
		return e, nil, err
	}
	if _, err := src.Discard(int(e.data - off)); err != nil {
		return e, nil, fmt.Errorf("reading %s.pack: %w", p.base, err)
	}
	data, err := inflateAll(src, e.size)
	if err != nil {
		return e, nil, fmt.Errorf("%s.pack at %d: %w: %w", p.base, off, ErrCorrupt, err)
	}
	return e, data, nil
}

func inflateAll(src io.Reader, size int64) ([]byte, error) {
	z, err := inflater(src)
	if err != nil {
		return nil, err
	}
	defer inflaters.Put(z)
	data := make([]byte, size)
	return data, fillToEnd(z, data, 0)
}

// fillToEnd fills data from index at, and fails unless z ends there.
func fillToEnd(z io.Reader, data []byte, at int) error {
	if _, err := io.ReadFull(z, data[at:]); err != nil {
		return err
	}
	// Reading past the end makes zlib verify its checksum.
	var end [1]byte
	if _, err := io.ReadFull(z, end[:]); err != io.EOF {
		return errors.New("longer than its header says, or damaged")
	}
	return nil
}

var (
	inflaters sync.Pool
	sources   = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4096) }}
)

func inflater(src io.Reader) (io.ReadCloser, error) {
	if z, ok := inflaters.Get().(io.ReadCloser); ok {
		return z, z.(zlib.Resetter).Reset(src, nil)
	}
	return zlib.NewReader(src)
}

// affords refuses an entry that is too large, by its header.
func (c chain) affords(e packEntry) error {
	delta := e.kind == kindOfs || e.kind == kindRef
	switch {
	case !delta && c.depth == 0:
		return checkSize(e.kind, e.size, c.bounds)
	case !delta && e.size > min(c.left, MaxBlob), delta && (c.depth >= maxDelta || c.deltas+e.size > maxDeltas):
		return errDetour
	}
	return nil
}

// below returns the rest of a chain after a delta with a result of so many bytes.
func (c chain) below(delta []byte, size int64) (chain, error) {
	if c.depth == 0 {
		if err := checkSize(kindBlob, size, bounds{blob: max(c.bounds.blob, c.bounds.text)}); err != nil {
			return c, err
		}
		c.left = detourBytes + detourTimes*size
	} else if c.left -= size; c.left < 0 || size > MaxBlob {
		return c, errDetour
	}
	c.depth++
	c.deltas += int64(len(delta))
	return c, nil
}

// readPacked reads the object at off, applying deltas.
func (s *store) readPacked(p *pack, off int64, c chain) (object, error) {
	if o, ok := s.bases.get(baseKey{p, off}); ok {
		return o.(object), nil
	}
	e, data, err := p.read(off, c)
	if err != nil {
		return object{}, err
	}
	if e.kind != kindOfs && e.kind != kindRef {
		o := object{e.kind, data}
		if c.depth > 0 {
			s.bases.put(baseKey{p, off}, o, len(data))
		}
		return o, nil
	}
	size, ok := deltaSize(data)
	if !ok {
		return object{}, fmt.Errorf("%s.pack at %d: delta: %w", p.base, off, ErrCorrupt)
	}
	rest, err := c.below(data, size)
	if err != nil {
		return object{}, err
	}
	base, err := s.deltaBase(p, e, rest)
	if err != nil {
		return object{}, err
	}
	if c.depth == 0 {
		if err := checkSize(base.kind, size, c.bounds); err != nil {
			return object{}, err
		}
	}
	patched, err := packfile.PatchDelta(base.data, data)
	if err != nil {
		return object{}, fmt.Errorf("%s.pack at %d: %w: %w", p.base, off, ErrCorrupt, err)
	}
	o := object{base.kind, patched}
	s.bases.put(baseKey{p, off}, o, len(patched))
	return o, nil
}

func (s *store) deltaBase(p *pack, e packEntry, c chain) (object, error) {
	off, err := p.baseOffset(e)
	if err != nil {
		return object{}, err
	}
	return s.readPacked(p, off, c)
}

func (p *pack) baseOffset(e packEntry) (int64, error) {
	if e.kind == kindOfs {
		return e.baseOff, nil
	}
	off, ok, err := p.find(e.baseRef)
	if err == nil && !ok {
		err = fmt.Errorf("%s.pack: delta base %s is not in the pack: %w", p.base, e.baseRef, ErrCorrupt)
	}
	return off, err
}

// packedHeader returns the type and size of an object without applying deltas.
func (s *store) packedHeader(p *pack, off int64, depth int) (kind, int64, error) {
	e, err := p.entry(off)
	if err != nil || e.kind != kindOfs && e.kind != kindRef {
		return e.kind, e.size, err
	}
	if depth >= maxDelta {
		return 0, 0, errDetour
	}
	size, err := p.deltaResult(e)
	if err != nil {
		return 0, 0, err
	}
	base, err := p.baseOffset(e)
	if err != nil {
		return 0, 0, err
	}
	k, _, err := s.packedHeader(p, base, depth+1)
	return k, size, err
}

// deltaResult returns the size of a delta's result, from the delta's first bytes.
func (p *pack) deltaResult(e packEntry) (int64, error) {
	f, err := p.open()
	if err != nil {
		return 0, err
	}
	src := sources.Get().(*bufio.Reader)
	defer sources.Put(src)
	src.Reset(io.NewSectionReader(f, e.data, 1<<62))
	z, err := inflater(src)
	if err != nil {
		return 0, fmt.Errorf("%s.pack at %d: %w: %w", p.base, e.data, ErrCorrupt, err)
	}
	defer inflaters.Put(z)
	var head [2 * binary.MaxVarintLen64]byte
	n, err := io.ReadFull(z, head[:min(e.size, int64(len(head)))])
	size, ok := deltaSize(head[:n])
	if !ok {
		return 0, fmt.Errorf("%s.pack at %d: delta: %w: %w", p.base, e.data, ErrCorrupt, err)
	}
	return size, nil
}

// deltaSize returns the size of a delta's result.
func deltaSize(delta []byte) (size int64, ok bool) {
	_, n := binary.Uvarint(delta) // the size of its base
	if n <= 0 {
		return 0, false
	}
	r, m := binary.Uvarint(delta[n:])
	return int64(r), m > 0 && r < 1<<62
}
