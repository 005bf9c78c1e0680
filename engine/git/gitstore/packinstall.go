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

// keepNote marks assent's own .keep files, so that StaleLocks can distinguish a forgotten one
// from one that a user created.
const keepNote = "assent: refs are being moved\n"

// tempPrefix starts the names of unfinished packs. It is not Git's own prefix tmp_, because a
// concurrent `git prune --expire=now` deletes such files at any age.
const tempPrefix = "assent-unfinished-"

// packFolder adds packs to an object folder, and merges small ones.
type packFolder struct {
	dir   string
	disk  Disk
	locks *Locks
}

// installPack writes pack and index under temporary names, syncs them, and renames the pack
// before the index, because readers look for the index. It returns the path without extension.
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

// keep creates the .keep file. An existing one belongs to a process that writes the same
// objects; it protects this pack as well and that process removes it. The file gets its name
// with its content, because an empty file of a killed process would look like one that a user
// created.
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
	w.claim.addContent(path, file, keepNote)
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

// tempName returns a claimed name for an unfinished file.
func (w packWriter) tempName() string {
	name := filepath.Join(filepath.Dir(w.base), tempPrefix+rand.Text())
	w.claim.addName(name)
	return name
}

// write writes and syncs pack and index concurrently, so that the disk can combine the syncs,
// and then renames them.
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
