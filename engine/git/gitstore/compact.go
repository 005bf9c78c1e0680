package gitstore

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // Git's pack checksum.
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

const (
	// compactAt is the number of packs of similar size that are merged into one. Each update
	// leaves a small pack; merging makes their number grow with the logarithm of the number of
	// updates.
	compactAt = 32
	// compactMost is the largest pack that is merged. `git gc` handles larger ones and also
	// finds deltas.
	compactMost = 64 << 20
)

// compact merges small packs that updates left. It copies every object, reachable or not: only
// git collects garbage. A new pack is complete and synced before an old one is removed, so
// readers and a concurrent repack always find each object. Packs with a .keep file are skipped.
func (f *packFolder) compact() error {
	for _, bases := range packsBySize(f.dir) {
		if len(bases) < compactAt {
			continue
		}
		if err := f.merge(bases); err != nil {
			return fmt.Errorf("merging small packs: %w", err)
		}
	}
	return nil
}

// packsBySize groups the packs that consist of only .pack and .idx by magnitude, within a
// factor of 32.
func packsBySize(dir string) map[int][]string {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 2*compactAt {
		return nil
	}
	files := map[string]int{}
	for _, e := range entries {
		base, _, _ := strings.Cut(e.Name(), ".")
		files[base]++
	}
	groups := map[int][]string{}
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".pack")
		if !ok || files[base] != 2 {
			continue
		}
		if info, err := e.Info(); err == nil && info.Size() <= compactMost {
			class := bits.Len64(uint64(info.Size())) / 5
			groups[class] = append(groups[class], filepath.Join(dir, base))
		}
	}
	return groups
}

// rawObject is an object in the form of a pack entry: header and deflated bytes.
type rawObject struct {
	hash tree.Hash
	crc  uint32
	raw  []byte
}

func (f *packFolder) merge(bases []string) error {
	byName := map[tree.Hash]rawObject{}
	var merged []string
	for _, base := range bases {
		objects, err := undeltified(base)
		if err != nil {
			return err
		}
		for _, o := range objects {
			byName[o.hash] = o
		}
		if objects != nil {
			merged = append(merged, base)
		}
	}
	if len(merged) < 2 {
		return nil
	}
	body, index := joinObjects(byName)
	claim := f.locks.newClaim()
	defer claim.release()
	name, release, err := f.installPack(body, finishPack(body, index), true, claim)
	if err != nil {
		return err
	}
	defer release()
	for _, base := range merged {
		if base == name {
			continue
		}
		// Remove the index first: readers ignore a pack without one.
		for _, ext := range []string{".idx", ".pack"} {
			if err := f.disk.Remove(base + ext); err != nil && !absent(err) {
				return err
			}
		}
	}
	return nil
}

func joinObjects(byName map[tree.Hash]rawObject) (*bytes.Buffer, []packedObject) {
	var body bytes.Buffer
	body.Write(packHeader(len(byName)))
	index := make([]packedObject, 0, len(byName))
	for h, o := range byName {
		index = append(index, packedObject{hash: h, crc: o.crc})
	}
	order.Sort(index, func(a, b packedObject) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	for i := range index {
		index[i].off = uint64(body.Len())
		body.Write(byName[index[i].hash].raw)
	}
	return &body, index
}

// undeltified returns the objects of a pack. It returns nil if the pack has deltas, because git
// wrote it and packs better, or if it was removed meanwhile. The pack's checksum is verified,
// because the copy is trusted.
func undeltified(base string) ([]rawObject, error) {
	body, err := os.ReadFile(base + ".pack")
	idx, ierr := os.ReadFile(base + ".idx")
	if err := errors.Join(err, ierr); err != nil {
		if absent(err) {
			return nil, nil
		}
		return nil, err
	}
	n := len(body) - idxHash
	if n < 12 || sha1.Sum(body[:n]) != [idxHash]byte(body[n:]) { //nolint:gosec // see the import
		return nil, fmt.Errorf("%s.pack: checksum: %w; run `git fsck`", base, ErrCorrupt)
	}
	objects, offsets, err := indexEntries(idx, n)
	if err != nil {
		return nil, fmt.Errorf("%s.idx: %w", base, err)
	}
	for i := range objects {
		end := n
		if i+1 < len(objects) {
			end = offsets[i+1]
		}
		objects[i].raw = body[offsets[i]:end]
		if e, ok := parsePackEntry(objects[i].raw, int64(offsets[i])); !ok || e.kind == kindOfs || e.kind == kindRef {
			return nil, nil
		}
	}
	return objects, nil
}

// indexEntries decodes the whole index of a small pack, sorted by offset.
func indexEntries(idx []byte, packEnd int) ([]rawObject, []int, error) {
	start := idxHeader + idxFanout
	if len(idx) < start+2*idxHash {
		return nil, nil, ErrCorrupt
	}
	n := int(binary.BigEndian.Uint32(idx[start-4:]))
	if n > len(idx)/(idxHash+8) || len(idx) < start+n*(idxHash+8)+2*idxHash {
		return nil, nil, ErrCorrupt
	}
	type placed struct {
		object rawObject
		off    int
	}
	all := make([]placed, n)
	for i := range all {
		h := tree.Hash(idx[start+i*idxHash:])
		crc := binary.BigEndian.Uint32(idx[start+n*idxHash+4*i:])
		off := int(binary.BigEndian.Uint32(idx[start+n*(idxHash+4)+4*i:]))
		if off < 12 || off >= packEnd {
			return nil, nil, ErrCorrupt
		}
		all[i] = placed{rawObject{hash: h, crc: crc}, off}
	}
	order.Sort(all, func(a, b placed) int { return a.off - b.off })
	objects, offsets := make([]rawObject, n), make([]int, n)
	for i, p := range all {
		objects[i], offsets[i] = p.object, p.off
	}
	return objects, offsets, nil
}
