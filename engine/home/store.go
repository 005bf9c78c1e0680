package home

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

const (
	privateDir  fs.FileMode = 0o700
	privateFile fs.FileMode = 0o600
	// unfinished is the prefix of incomplete files.
	unfinished = ".new-"
	// lockRetry is the pause between attempts at a held lock.
	lockRetry = 5 * time.Millisecond
)

// ErrTooLarge is returned for a file that is larger than its bound.
var ErrTooLarge = errors.New("the file is too large")

// Store is one folder. Names of files are relative to it, with slashes. Every use of the zero
// value is an error.
type Store struct{ dir string }

// At returns the store of a folder, which the first write creates.
func At(dir string) Store { return Store{dir} }

// Path returns the path of a file, for messages.
func (s Store) Path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// Read returns the content of a file of at most so many bytes. The error is fs.ErrNotExist for
// a missing file, and ErrTooLarge for a larger one.
func (s Store) Read(name string, most int64) ([]byte, error) {
	root, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return s.read(root, name, most)
}

// Open opens a regular file for reading.
func (s Store) Open(name string) (*os.File, error) {
	root, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return regular(root, name)
}

// Stat returns information about a file.
func (s Store) Stat(name string) (fs.FileInfo, error) {
	root, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Stat(filepath.FromSlash(name))
}

// List returns the complete regular files of a folder, sorted by name. A missing folder has
// none.
func (s Store) List(dir string) ([]fs.FileInfo, error) {
	root, err := s.open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && e.Name()[0] != '.' {
			out = append(out, info)
		}
	}
	return out, err
}

// Write replaces a file, or creates it. When Write returns nil, the file is on the disk.
func (s Store) Write(name string, data []byte) error { return s.write(name, data, true) }

// Cache is Write without syncing, for content that can be computed again.
func (s Store) Cache(name string, data []byte) error { return s.write(name, data, false) }

// Create writes a file with the given permissions. An existing file is an error (fs.ErrExist).
// When Create returns nil, the file is on the disk.
func (s Store) Create(name string, data []byte, mode fs.FileMode) error {
	root, err := s.make(name)
	if err != nil {
		return err
	}
	defer root.Close()
	name = filepath.FromSlash(name)
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return syncDir(root, filepath.Dir(name))
}

// Change replaces a file by the result of next for its content, which is nil if there is none.
// It holds a lock for which other processes that change the file wait. If next fails, the file
// stays unchanged.
func (s Store) Change(ctx context.Context, name string, most int64, next func(old []byte) ([]byte, error)) error {
	root, err := s.make(name)
	if err != nil {
		return err
	}
	defer root.Close()
	unlock, err := lock(ctx, root, name+".lock")
	if err != nil {
		return fmt.Errorf("lock %s: %w", s.Path(name), err)
	}
	defer unlock()
	old, err := s.read(root, name, most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	data, err := next(old)
	if err != nil {
		return err
	}
	if int64(len(data)) > most {
		return fmt.Errorf("write %s: %d bytes: %w", s.Path(name), len(data), ErrTooLarge)
	}
	return replace(root, name, data, true)
}

// Remove removes a file; a missing one is no error.
func (s Store) Remove(name string) error {
	root, err := s.open(name)
	if err == nil {
		defer root.Close()
		err = root.Remove(filepath.FromSlash(name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Tidy removes unfinished files of a folder that are older than after.
func (s Store) Tidy(dir string, after time.Duration) {
	root, err := s.open(dir)
	if err != nil {
		return
	}
	defer root.Close()
	entries, _ := fs.ReadDir(root.FS(), dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), unfinished) && time.Since(info.ModTime()) > after {
			_ = root.Remove(filepath.Join(filepath.FromSlash(dir), e.Name()))
		}
	}
}

// Writable returns an error if the folder cannot be written to.
func (s Store) Writable() error {
	name := unfinished + rand.Text()
	return errors.Join(s.Cache(name, nil), s.Remove(name))
}

func (s Store) write(name string, data []byte, durable bool) error {
	root, err := s.make(name)
	if err != nil {
		return err
	}
	defer root.Close()
	return replace(root, name, data, durable)
}

// open opens the store's folder. It returns fs.ErrNotExist if the folder is missing.
func (s Store) open(name string) (*os.Root, error) {
	if s.dir == "" || !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.OpenRoot(s.dir)
}

// make is open that creates the folder and the parent folders of the named file.
func (s Store) make(name string) (*os.Root, error) {
	if s.dir != "" {
		if err := os.MkdirAll(s.dir, privateDir); err != nil {
			return nil, err
		}
	}
	root, err := s.open(name)
	if err != nil {
		return nil, err
	}
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), privateDir); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	return root, nil
}

func (s Store) read(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := regular(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%s has more than %d bytes: %w", s.Path(name), most, ErrTooLarge)
	}
	return data, nil
}

// regular opens a regular file. It refuses others, because a pipe would block its reader.
func regular(root *os.Root, name string) (*os.File, error) {
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: filepath.Join(root.Name(), name), Err: errors.New("not a regular file")}
	}
	if err != nil {
		return nil, err
	}
	return root.Open(name)
}

// replace writes a complete file before it gets its name: readers find the old or the new
// content.
func replace(root *os.Root, name string, data []byte, durable bool) error {
	name = filepath.FromSlash(name)
	temp := filepath.Join(filepath.Dir(name), unfinished+rand.Text())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privateFile)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	if !durable {
		return nil
	}
	return syncDir(root, filepath.Dir(name))
}

// syncDir makes a new name durable, if the system can sync folders.
func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !unsupportedSync(err) {
		return err
	}
	return nil
}

// lock waits for the lock file's lock, which ends with the process.
func lock(ctx context.Context, root *os.Root, name string) (unlock func(), err error) {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDWR|os.O_CREATE, privateFile)
	if err != nil {
		return nil, err
	}
	for {
		held, err := tryLock(f)
		if held {
			return func() { _ = f.Close() }, nil
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(lockRetry):
		}
	}
}
