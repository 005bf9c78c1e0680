//go:build amd64 || arm64

package stage

import (
	"encoding/binary"
	"slices"
)

// page is the largest page size of Linux on the supported processors.
const page = 0x10000

// Constants of the ELF format (elf(5)).
const (
	executable       = 2
	loaded, stack    = 1, 0x6474e551
	run, write, read = 1, 2, 4
	headerSize       = 64
	partSize         = 56
)

// head returns the ELF header and program headers: a static program, its loaded segments, and a
// stack that is not executable.
func head(code, data int) []byte {
	text, rest := uint64(headSize+code), uint64(data)
	parts := [][]uint64{
		{loaded | (read|run)<<32, 0, codeAt, 0, text, text, page},
		{loaded | (read|write)<<32, dataStart, dataAt, 0, rest, rest, page},
		{stack | (read|write)<<32, 0, 0, 0, 0, 0, 16},
	}
	words := []uint64{
		executable | machine<<16 | 1<<32, codeAt + headSize, headerSize, 0,
		headerSize<<32 | partSize<<48, uint64(len(parts)),
	}
	out := []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00") // 64 bits, little-endian, version 1
	for _, word := range append(words, slices.Concat(parts...)...) {
		out = binary.LittleEndian.AppendUint64(out, word)
	}
	return append(out, make([]byte, headSize-len(out))...)
}
