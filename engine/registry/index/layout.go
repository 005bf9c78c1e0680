package index

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"hash/fnv"

	"github.com/assent-dev/assent/engine/base/tree"
)

// A segment is
//
//	header | sections, one after the other | checksums of the blocks
//
// with blocks of blockSize between header and checksums.
// Numbers are little-endian, texts and lists begin with their length as a varint.
//
//	offsets    the start of each entry in records, and the end of the last one
//	records    entries, in the order of capability.Folders
//	traits     for each entry: kind, status
//	directory  the start of each bucket in keys, and the end of the last one
//	keys       (hash, value) by hash: names and relations lead to entries, words to
//	           postings; a reader that follows a key compares the name or word there
//	postings   for each term: the term, how many entries have it, and for each of
//	           those the distance to the one before and the weight; likewise for three
//	           characters in a row the terms that have them, by place, and their lengths
//	gone       paths of the state below that are removed or replaced here
const (
	magic      = "assentix"
	headerSize = 256
	blockSize  = 32 << 10

	// LayoutVersion changes with this layout, ParserVersion with the fields read from a
	// capability and with the splitting into words. Other versions are not read.
	LayoutVersion = 3
	ParserVersion = 5
)

type section int

const (
	offsets section = iota
	records
	traits
	directory
	keys
	postings
	gone
	sections
)

// ErrDamaged says that bytes are no segment, or not the one that was written.
var ErrDamaged = errors.New("the index is damaged")

// ErrVersion says that a segment was written by another version of the program.
var ErrVersion = errors.New("the index is of another version")

// Header says what a segment is about.
type Header struct {
	// Tree is the skills/ tree that the segment completes the description of, Below
	// the one that is described by the segments under it: zero for a base.
	Tree, Below tree.Hash
	// Entries counts capabilities, Gone those that replace or remove ones below.
	Entries, Gone uint32

	spans [sections]span
	sums  uint32 // checksum of the checksums
}

// span is where a section lies, from the end of the header.
type span struct{ at, size uint64 }

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func (h Header) encode() []byte {
	b := make([]byte, 0, headerSize)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, LayoutVersion)
	b = binary.LittleEndian.AppendUint32(b, ParserVersion)
	b = append(append(b, h.Tree[:]...), h.Below[:]...)
	b = binary.LittleEndian.AppendUint32(b, h.Entries)
	b = binary.LittleEndian.AppendUint32(b, h.Gone)
	for _, s := range h.spans {
		b = binary.LittleEndian.AppendUint64(b, s.at)
		b = binary.LittleEndian.AppendUint64(b, s.size)
	}
	b = binary.LittleEndian.AppendUint32(b, h.sums)
	b = append(b, make([]byte, headerSize-4-len(b))...)
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

// decodeHeader is the inverse of encode. Sections must follow each other without
// a gap: then their sum bounds each of them.
func decodeHeader(b []byte) (Header, error) {
	var h Header
	if len(b) != headerSize || string(b[:8]) != magic {
		return h, ErrDamaged
	}
	if binary.LittleEndian.Uint32(b[8:]) != LayoutVersion || binary.LittleEndian.Uint32(b[12:]) != ParserVersion {
		return h, ErrVersion
	}
	if checksum(b[:headerSize-4]) != binary.LittleEndian.Uint32(b[headerSize-4:]) {
		return h, ErrDamaged
	}
	h.Tree, h.Below = tree.Hash(b[16:36]), tree.Hash(b[36:56])
	h.Entries, h.Gone = binary.LittleEndian.Uint32(b[56:]), binary.LittleEndian.Uint32(b[60:])
	at, next := spansAt, uint64(0)
	for i := range h.spans {
		s := span{binary.LittleEndian.Uint64(b[at:]), binary.LittleEndian.Uint64(b[at+8:])}
		if s.at != next || s.size > maxSection {
			return h, ErrDamaged
		}
		h.spans[i] = s
		at, next = at+16, next+s.size
	}
	h.sums = binary.LittleEndian.Uint32(b[at:])
	if h.spans[offsets].size != 4*(uint64(h.Entries)+1) || h.spans[traits].size != traitSize*uint64(h.Entries) {
		return h, ErrDamaged
	}
	return h, nil
}

// maxSection is the largest value of a 32-bit offset.
const maxSection = 1<<32 - 1

// end returns the end of the sections.
func (h Header) end() uint64 { return h.spans[gone].at + h.spans[gone].size }

// traitSize is the number of bytes for each entry's traits.
const traitSize = 2

// spansAt is the place of the spans in the header.
const spansAt = 64

// keyOf is the hash under which a name, relation or word is found.
func keyOf(space byte, text string) uint32 {
	f := fnv.New64a()
	f.Write([]byte{space})
	f.Write([]byte(text))
	sum := f.Sum64()
	return uint32(sum>>32) ^ uint32(sum)
}

// The spaces of keys beside those of relations.
const (
	spaceName = 'n'
	spaceTerm = 'w'
	spaceGram = 'g'
)

// perBucket is how many keys one bucket has on average.
const perBucket = 8

// bucketOf is the bucket of a hash among n.
func bucketOf(hash uint32, n int) int { return int(uint64(hash) * uint64(n) >> 32) }
