package gitstore

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/klauspost/compress/zlib"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Anyone who can push decides how objects are stored, also those that others made: a hub sends the
// differences that it received. A commit of 200 bytes can be a difference from a message of 60 MB,
// or the end of a chain of any length. The invariant: how an object is stored changes neither whether
// it can be read nor, after the first time, what that costs.

// whole has git read an object that is stored at the end of a detour, and stores it by itself. The
// copy is verified like every object; git removes it with others that are in a pack, too. An object
// that exceeds its bound is refused, with its kind and size.
func (db *Objects) whole(h tree.Hash, b bounds) (object, int64, error) {
	o, size, err := db.git.object(h, b)
	if err != nil {
		return o, size, err
	}
	if hashObject(o.kind, o.data) != h {
		return object{}, 0, fmt.Errorf("its content does not match its hash, see git fsck: %w", ErrCorrupt)
	}
	//defence:detours-are-made-once
	_ = db.packs.writeLoose(loosePath(db.stores.dir, h), o) // without the copy it costs the same again
	return o, size, nil
}

// writeLoose stores an object in a file of its own.
func (f *packFolder) writeLoose(path string, o object) error {
	var raw bytes.Buffer
	z := zlib.NewWriter(&raw)
	fmt.Fprintf(z, "%s %d\x00", o.kind, len(o.data))
	if _, err := z.Write(o.data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if _, err := makeDirs(f.disk, filepath.Dir(path)); err != nil {
		return err
	}
	claim := f.locks.newClaim()
	defer claim.release()
	w := packWriter{disk: f.disk, claim: claim, base: filepath.Join(f.dir, "whole")}
	temp, err := w.temp(raw.Bytes())
	if err == nil {
		err = f.disk.Rename(temp, path)
	}
	if err != nil {
		claim.remove(f.disk, temp)
	}
	return err
}
