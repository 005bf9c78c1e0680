package home

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Locked calls do under the lock of this name, which other processes wait for. The lock ends
// with the process.
func (s Store) Locked(ctx context.Context, name string, do func() error) error {
	root, err := s.make(name)
	if err != nil {
		return err
	}
	defer root.Close()
	unlock, err := lock(ctx, root, name)
	if err != nil {
		return fmt.Errorf("lock %s: %w", s.Path(name), err)
	}
	defer unlock()
	return do()
}

// Append appends data to a file, which it creates if missing. When Append returns nil, the
// whole file is on the disk. After an error, any part of data may be.
func (s Store) Append(name string, data []byte) error {
	root, err := s.make(name)
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = root.Stat(filepath.FromSlash(name))
	created := errors.Is(err, fs.ErrNotExist)
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_APPEND|os.O_CREATE, privateFile)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil || !created {
		return err
	}
	return syncDir(root, filepath.Dir(filepath.FromSlash(name)))
}

// OpenAppend opens an existing file to append to it, for content that may be lost.
func (s Store) OpenAppend(name string) (*os.File, error) {
	root, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_APPEND, privateFile)
}

// Truncate cuts a file to so many bytes. When Truncate returns nil, the change is on the disk.
func (s Store) Truncate(name string, size int64) error {
	root, err := s.open(name)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY, privateFile)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}
