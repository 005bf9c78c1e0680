package gitstore

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// keepNote marks our own .keep files, so that StaleLocks can tell a forgotten
// one from a pack that is kept on purpose.
const keepNote = "assent: refs are being moved\n"

// tempPrefix names unfinished packs. Git's own prefix, tmp_, would not do: a
// concurrent `git prune --expire=now` deletes such files whatever their age.
const tempPrefix = "assent-unfinished-"

// packFolder adds packs to an object folder, and merges those that it added.
type packFolder struct {
	dir   string
	disk  Disk
	locks *Locks
}

// installPack writes both files under temporary names, syncs them, and renames
// the pack before its index: a pack is seen when its index is. It returns the
// path without extension.
func (f *packFolder) installPack(body *bytes.Buffer, index []byte, keep bool, claim *claim) (base string, release func(), err error) {
	changed, err := makeDirs(f.disk, f.dir)
	if err != nil {
		return "", nil, fmt.Errorf("writing objects: %w", err)
	}
	sum := body.Bytes()[body.Len()-idxHash:]
	w := packWriter{disk: f.disk, claim: claim, base: filepath.Join(f.dir, fmt.Sprintf("pack-%x", sum))}
	release = func() {}
	if keep {
		if release, err = w.keep(); err != nil {
			return "", nil, fmt.Errorf("protecting new objects: %w", err)
		}
	}
	err = w.write(body.Bytes(), index)
	for _, d := range append(changed, f.dir) {
		if err == nil {
			err = f.disk.SyncDir(d)
		}
	}
	if err != nil {
		release()
		return "", nil, fmt.Errorf("writing objects: %w", err)
	}
	return w.base, release, nil
}

// packWriter writes the files of one pack.
type packWriter struct {
	disk  Disk
	claim *claim
	base  string // path without extension
}

// keep makes the .keep file. One that exists belongs to a process that
// writes the same objects. It protects us as well, and that process removes it. It
// appears with its note in it: an empty one, left by a process that was killed in
// between, would look like one that was made on purpose.
func (w packWriter) keep() (release func(), err error) {
	path := w.base + ".keep"
	if _, err := os.Lstat(path); err == nil {
		return func() {}, nil
	}
	note := w.tempName()
	file, err := w.disk.OpenFile(note, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	w.claim.content(path, file, keepNote)
	_, err = file.Write([]byte(keepNote))
	ours, serr := file.Stat()
	if err = errors.Join(err, serr, file.Close()); err == nil {
		err = w.disk.Rename(note, path)
	}
	if err != nil {
		w.claim.remove(w.disk, note)
		return nil, err
	}
	return func() {
		// Another process may have replaced our file with its own.
		if now, err := os.Lstat(path); err == nil && fileNumber(now) == fileNumber(ours) {
			w.claim.remove(w.disk, path)
		}
	}, nil
}

// tempName is a name for a file that is not finished yet, claimed.
func (w packWriter) tempName() string {
	name := filepath.Join(filepath.Dir(w.base), tempPrefix+rand.Text())
	w.claim.name(name)
	return name
}

// write writes and syncs pack and index side by side, so that the disk does it in
// one go, and then gives them their names.
func (w packWriter) write(body, index []byte) error {
	var both errgroup.Group
	var pack, idx string
	both.Go(func() (err error) { pack, err = w.temp(body); return err })
	both.Go(func() (err error) { idx, err = w.temp(index); return err })
	err := both.Wait()
	if err == nil {
		err = w.disk.Rename(pack, w.base+".pack")
	}
	if err == nil {
		err = w.disk.Rename(idx, w.base+".idx")
	}
	if err != nil {
		w.claim.remove(w.disk, pack)
		w.claim.remove(w.disk, idx)
	}
	return err
}

// temp writes and syncs a file under a temporary name.
func (w packWriter) temp(data []byte) (path string, err error) {
	path = w.tempName()
	file, err := w.disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return path, err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return path, errors.Join(err, file.Close())
}
