package gitstore

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // Git's pack checksum.
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zlib"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

type namedObject struct {
	hash tree.Hash
	object
}

// packedObject is the index entry of one object in a pack being written.
type packedObject struct {
	hash tree.Hash
	crc  uint32
	off  uint64
}

// Sync makes all new objects durable, whether or not a ref needs them. Update does this for the
// objects that its refs need. Call Sync only before another program has to read objects that no
// ref names.
func (db *Objects) Sync() error {
	objects := db.pending.all()
	if len(objects) == 0 {
		return nil
	}
	claim := db.packs.locks.newClaim()
	defer claim.release()
	if _, err := db.packs.writePack(objects, false, claim); err != nil {
		return err
	}
	db.pending.drop(objects)
	return nil
}

// writePack stores objects as one pack: two synced files for any number of objects, instead of
// a file and a folder for each loose object. With keep, a .keep file protects the pack from a
// concurrent repack or prune until release, as in git fetch; loose objects cannot be protected.
func (f *packFolder) writePack(objects []namedObject, keep bool, claim *claim) (release func(), err error) {
	order.Sort(objects, func(a, b namedObject) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	body, index, err := encodePack(objects)
	if err != nil {
		return nil, fmt.Errorf("writing objects: %w", err)
	}
	_, release, err = f.installPack(body, finishPack(body, index), keep, claim)
	return release, err
}

// encodePack returns the pack without its checksum.
func encodePack(objects []namedObject) (*bytes.Buffer, []packedObject, error) {
	var body bytes.Buffer
	body.Write(packHeader(len(objects)))
	index := make([]packedObject, 0, len(objects))
	z, err := zlib.NewWriterLevel(nil, zlib.BestSpeed)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range objects {
		start := body.Len()
		body.Write(entryHeader(o.kind, uint64(len(o.data))))
		z.Reset(&body)
		if _, err := z.Write(o.data); err != nil {
			return nil, nil, err
		}
		if err := z.Close(); err != nil {
			return nil, nil, err
		}
		index = append(index, packedObject{o.hash, crc32.ChecksumIEEE(body.Bytes()[start:]), uint64(start)})
	}
	return &body, index, nil
}

func packHeader(objects int) []byte {
	return binary.BigEndian.AppendUint32(append([]byte("PACK"), 0, 0, 0, 2), uint32(objects))
}

func entryHeader(k kind, size uint64) []byte {
	c := byte(k)<<4 | byte(size&15)
	size >>= 4
	var out []byte
	for size > 0 {
		out = append(out, c|0x80)
		c, size = byte(size&0x7f), size>>7
	}
	return append(out, c)
}

// finishPack appends the pack's checksum and returns its version 2 index. The objects must be
// sorted by hash.
func finishPack(body *bytes.Buffer, objects []packedObject) []byte {
	sum := sha1.Sum(body.Bytes()) //nolint:gosec // see the import
	body.Write(sum[:])
	out := []byte{0xff, 't', 'O', 'c', 0, 0, 0, 2}
	next := 0
	for b := range 256 {
		for next < len(objects) && int(objects[next].hash[0]) <= b {
			next++
		}
		out = binary.BigEndian.AppendUint32(out, uint32(next))
	}
	for _, o := range objects {
		out = append(out, o.hash[:]...)
	}
	for _, o := range objects {
		out = binary.BigEndian.AppendUint32(out, o.crc)
	}
	var large []byte
	for _, o := range objects {
		if o.off < 1<<31 {
			out = binary.BigEndian.AppendUint32(out, uint32(o.off))
			continue
		}
		out = binary.BigEndian.AppendUint32(out, 1<<31|uint32(len(large)/8))
		large = binary.BigEndian.AppendUint64(large, o.off)
	}
	out = append(append(out, large...), sum[:]...)
	own := sha1.Sum(out) //nolint:gosec // see the import
	return append(out, own[:]...)
}
