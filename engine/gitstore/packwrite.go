package gitstore

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // Git's pack checksum.
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/assent-dev/assent/engine/tree"
)

type namedObject struct {
	hash tree.Hash
	object
}

// packed is one object of a pack being written.
type packedObject struct {
	hash tree.Hash
	crc  uint32
	off  uint64
}

// Sync makes everything written so far durable, needed by a ref or not. Update
// does it for what its refs need; call Sync only before another program must
// read objects that no ref names.
func (r *Repo) Sync() error {
	objects := r.pending.all()
	if len(objects) == 0 {
		return nil
	}
	if _, err := r.writePack(objects, false); err != nil {
		return err
	}
	r.pending.drop(objects)
	return nil
}

// writePack stores objects as one pack: two synced files whatever their number,
// where loose objects would be a file and a folder each. With keep, a .keep file
// protects the pack from a concurrent repack or prune until release, the way
// that git fetch does it; a loose object could not be protected at all.
func (r *Repo) writePack(objects []namedObject, keep bool) (release func(), err error) {
	slices.SortFunc(objects, func(a, b namedObject) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	body, index, err := encodePack(objects)
	if err != nil {
		return nil, fmt.Errorf("writing objects: %w", err)
	}
	_, release, err = r.installPack(body, finishPack(body, index), keep)
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

// finishPack appends the pack's checksum and returns its version 2 index.
// The objects must be in order of their names.
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

// installPack writes both files under temporary names, syncs them, and renames
// the pack before its index: a pack is seen when its index is. It returns the
// path without extension.
func (r *Repo) installPack(body *bytes.Buffer, index []byte, keep bool) (base string, release func(), err error) {
	dir := filepath.Join(r.commonDir, "objects", "pack")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, fmt.Errorf("writing objects: %w", err)
	}
	sum := body.Bytes()[body.Len()-idxHash:]
	base = filepath.Join(dir, fmt.Sprintf("pack-%x", sum))
	release = func() {}
	if keep {
		release, err = keepPack(base + ".keep")
		if err != nil {
			return "", nil, err
		}
	}
	if err := writeBoth(dir, base, body.Bytes(), index); err != nil {
		release()
		return "", nil, fmt.Errorf("writing objects: %w", err)
	}
	if err := syncDir(dir); err != nil {
		release()
		return "", nil, fmt.Errorf("writing objects: %w", err)
	}
	return base, release, nil
}

// keepPack makes the .keep file. One that is there already belongs to somebody
// who writes the same objects; it protects us as well, and theirs to remove.
func keepPack(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if os.IsExist(err) {
		return func() {}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("protecting new objects: %w", err)
	}
	_, err = f.WriteString(keepNote)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(path)
		return nil, fmt.Errorf("protecting new objects: %w", err)
	}
	return func() { os.Remove(path) }, nil
}

// keepNote marks our own .keep files, so that StaleLocks can tell a forgotten
// one from a pack that somebody keeps on purpose.
const keepNote = "assent: refs are being moved\n"

// tempPrefix names unfinished packs. Git's own prefix, tmp_, would not do: a
// concurrent `git prune --expire=now` deletes such files whatever their age.
const tempPrefix = "assent-unfinished-"

// writeBoth writes and syncs pack and index side by side, so that the disk does
// it in one go, and then gives them their names.
func writeBoth(dir, base string, body, index []byte) error {
	var both errgroup.Group
	var pack, idx string
	both.Go(func() (err error) { pack, err = writeTemp(dir, body); return err })
	both.Go(func() (err error) { idx, err = writeTemp(dir, index); return err })
	err := both.Wait()
	if err == nil {
		err = os.Rename(pack, base+".pack")
	}
	if err == nil {
		err = os.Rename(idx, base+".idx")
	}
	if err != nil {
		os.Remove(pack)
		os.Remove(idx)
	}
	return err
}

// writeTemp writes and syncs a file under a temporary name.
func writeTemp(dir string, data []byte) (string, error) {
	tmp, err := os.CreateTemp(dir, tempPrefix)
	if err != nil {
		return "", err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o444)
	}
	if err == nil {
		err = tmp.Sync()
	}
	return tmp.Name(), errors.Join(err, tmp.Close())
}
