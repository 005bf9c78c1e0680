package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// Segment is one run of bytes, read where it lies. It is safe for several
// goroutines if its source is.
type Segment struct {
	Header
	src    io.ReaderAt
	table  []byte                   // the checksums of the blocks
	blocks []atomic.Pointer[[]byte] // those that were read and found whole
}

// OpenSegment reads the head of a segment of size bytes. The rest is read when it
// is asked for. Errors are ErrDamaged, ErrVersion, or src's.
func OpenSegment(src io.ReaderAt, size int64) (*Segment, error) {
	head := make([]byte, headerSize)
	if err := readFull(src, head, 0); err != nil {
		return nil, err
	}
	h, err := decodeHeader(head)
	if err != nil {
		return nil, err
	}
	count := (h.end() + blockSize - 1) / blockSize
	if size < headerSize || uint64(size-headerSize) != h.end()+4*count {
		return nil, fmt.Errorf("%d bytes where %d are due: %w", size, headerSize+h.end()+4*count, ErrDamaged)
	}
	s := &Segment{Header: h, src: src, table: make([]byte, 4*count), blocks: make([]atomic.Pointer[[]byte], count)}
	if err := readFull(src, s.table, headerSize+int64(h.end())); err != nil {
		return nil, err
	}
	if checksum(s.table) != h.sums {
		return nil, ErrDamaged
	}
	return s, nil
}

func readFull(src io.ReaderAt, into []byte, at int64) error {
	n, err := src.ReadAt(into, at)
	switch {
	case n == len(into):
		return nil
	case err == nil, errors.Is(err, io.EOF):
		return fmt.Errorf("it ends too early: %w", ErrDamaged)
	}
	return fmt.Errorf("read the index: %w", err)
}

// block returns block n, compared with its checksum.
func (s *Segment) block(n uint64) ([]byte, error) {
	if b := s.blocks[n].Load(); b != nil {
		return *b, nil
	}
	b := make([]byte, min(blockSize, s.end()-n*blockSize))
	if err := readFull(s.src, b, headerSize+int64(n*blockSize)); err != nil {
		return nil, err
	}
	if checksum(b) != binary.LittleEndian.Uint32(s.table[4*n:]) {
		return nil, fmt.Errorf("block %d: %w", n, ErrDamaged)
	}
	s.blocks[n].Store(&b)
	return b, nil
}

// bytes returns n bytes of a section, which the caller must not change.
func (s *Segment) bytes(in section, at, n uint64) ([]byte, error) {
	where := s.spans[in]
	if at > where.size || n > where.size-at {
		return nil, ErrDamaged
	}
	at += where.at
	if n == 0 {
		return nil, nil
	}
	first := at / blockSize
	b, err := s.block(first)
	if err != nil {
		return nil, err
	}
	if from := at % blockSize; from+n <= uint64(len(b)) {
		return b[from : from+n], nil
	}
	out := make([]byte, 0, n)
	for from := at % blockSize; uint64(len(out)) < n; from = 0 {
		if b, err = s.block(first); err != nil {
			return nil, err
		}
		out = append(out, b[from:min(uint64(len(b)), from+n-uint64(len(out)))]...)
		first++
	}
	return out, nil
}

// record returns the encoded entry id.
func (s *Segment) record(id uint32) ([]byte, error) {
	at, err := s.bytes(offsets, 4*uint64(id), 8)
	if err != nil {
		return nil, err
	}
	from, to := uint64(binary.LittleEndian.Uint32(at)), uint64(binary.LittleEndian.Uint32(at[4:]))
	if to < from {
		return nil, ErrDamaged
	}
	return s.bytes(records, from, to-from)
}

func (s *Segment) entry(id uint32) (Entry, error) {
	b, err := s.record(id)
	if err != nil {
		return Entry{}, err
	}
	return decodeEntry(b)
}

// path is the path of entry id.
func (s *Segment) path(id uint32) (string, error) {
	b, err := s.record(id)
	if err != nil {
		return "", err
	}
	c := cursor{rest: b}
	path := c.text()
	if c.bad {
		return "", ErrDamaged
	}
	return path, nil
}

// lookup returns the values under a key. Some may be of another text with the same
// hash.
func (s *Segment) lookup(space byte, text string) ([]uint32, error) {
	buckets := int(s.spans[directory].size/4) - 1
	if buckets < 1 {
		return nil, ErrDamaged
	}
	hash := keyOf(space, text)
	at, err := s.bytes(directory, 4*uint64(bucketOf(hash, buckets)), 8)
	if err != nil {
		return nil, err
	}
	from, to := uint64(binary.LittleEndian.Uint32(at)), uint64(binary.LittleEndian.Uint32(at[4:]))
	if to < from {
		return nil, ErrDamaged
	}
	bucket, err := s.bytes(keys, 8*from, 8*(to-from))
	if err != nil {
		return nil, err
	}
	var out []uint32
	for ; len(bucket) > 0; bucket = bucket[8:] {
		value := binary.LittleEndian.Uint32(bucket[4:])
		if binary.LittleEndian.Uint32(bucket) == hash && (len(out) == 0 || out[len(out)-1] != value) {
			out = append(out, value)
		}
	}
	return out, nil
}

// removed lists the paths of the state below that are removed or replaced here.
func (s *Segment) removed() ([]string, error) {
	b, err := s.bytes(gone, 0, s.spans[gone].size)
	if err != nil {
		return nil, err
	}
	c := cursor{rest: b}
	var out []string
	for range s.Gone {
		if out = append(out, c.text()); c.bad {
			return nil, ErrDamaged
		}
	}
	return out, nil
}

// posting is the list of one term, or of three characters.
type posting struct {
	count int
	list  []byte
}

// posting finds the list of a term; an empty one when no entry has it.
func (s *Segment) posting(space byte, term string) (posting, error) {
	places, err := s.lookup(space, term)
	if err != nil {
		return posting{}, err
	}
	for _, at := range places {
		found, p, list, err := s.postingAt(at)
		if err != nil {
			return posting{}, err
		}
		if found == term {
			p.list, err = s.bytes(postings, list.at, list.size)
			return p, err
		}
	}
	return posting{}, nil
}

// postingAt reads the head of a posting: its term, and where its list lies.
func (s *Segment) postingAt(at uint32) (term string, p posting, list span, err error) {
	size := s.spans[postings].size
	if uint64(at) >= size {
		return "", p, list, ErrDamaged
	}
	head, err := s.bytes(postings, uint64(at), min(maxHead, size-uint64(at)))
	if err != nil {
		return "", p, list, err
	}
	c := cursor{rest: head}
	term = c.text()
	count, length := c.number(), c.number()
	if c.bad || 2*count > length || length > size {
		return "", p, list, ErrDamaged
	}
	return term, posting{count: int(count)}, span{uint64(at) + uint64(len(head)-len(c.rest)), length}, nil
}

// maxHead bounds a term with its two numbers.
const maxHead = 2*maxWord + 3*binary.MaxVarintLen64
