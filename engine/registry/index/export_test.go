package index

import "encoding/binary"

// Mend makes all checksums of bytes right that have the size of a segment, so that
// the fuzzer comes past them.
func Mend(b []byte) []byte {
	if len(b) < headerSize {
		return b
	}
	end := uint64(0)
	for i := range sections {
		at := spansAt + 16*int(i)
		binary.LittleEndian.PutUint64(b[at:], end)
		end += binary.LittleEndian.Uint64(b[at+8:])
	}
	count := (end + blockSize - 1) / blockSize
	if end > uint64(len(b)) || headerSize+end+4*count != uint64(len(b)) {
		return b
	}
	sums := b[headerSize+end:]
	for n := range count {
		binary.LittleEndian.PutUint32(sums[4*n:], checksum(b[headerSize+n*blockSize:headerSize+min(end, (n+1)*blockSize)]))
	}
	binary.LittleEndian.PutUint32(b[spansAt+16*int(sections):], checksum(sums))
	binary.LittleEndian.PutUint32(b[headerSize-4:], checksum(b[:headerSize-4]))
	return b
}

// NameKey is the hash of a name.
func NameKey(name string) uint32 { return keyOf(spaceName, name) }
