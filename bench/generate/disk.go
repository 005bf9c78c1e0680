package generate

import (
	"io/fs"
	"os"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// unsynced is the file system without syncing: what is generated can be generated
// again, and a hundred thousand events would wait for the disk for an hour.
type unsynced struct{}

type unsyncedFile struct{ *os.File }

func (unsyncedFile) Sync() error { return nil }

func (unsynced) OpenFile(name string, flag int, perm fs.FileMode) (gitstore.File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}

func (unsynced) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }
func (unsynced) Rename(from, to string) error              { return os.Rename(from, to) }
func (unsynced) Link(name, also string) error              { return os.Link(name, also) }
func (unsynced) Remove(name string) error                  { return os.Remove(name) }
func (unsynced) SyncDir(string) error                      { return nil }
