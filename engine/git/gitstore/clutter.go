package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Clutter is what a repository gathers in use.
type Clutter struct {
	// Packs is the number of packs, LooseRefs of refs in files of their own.
	Packs, LooseRefs int
}

// Upkeep has git tidy objects and refs.
type Upkeep struct {
	place Place
	refs  *RefStore
}

// Clutter looks for what may be tidied.
func (u *Upkeep) Clutter() (Clutter, error) {
	entries, err := os.ReadDir(filepath.Join(u.place.commonDir, "objects", "pack"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Clutter{}, fmt.Errorf("listing packs: %w", err)
	}
	var c Clutter
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".pack") {
			c.Packs++
		}
	}
	var broken []error
	c.LooseRefs = len(u.refs.looseNames("refs/", &broken))
	return c, errors.Join(broken...)
}

// Repack has git join small packs. Each object is copied, reachable or not, and
// packs with a .keep file are left alone, so it is safe beside writers.
// gitrun.ErrNoGit where the git program is not installed.
func (u *Upkeep) Repack() error {
	return u.place.tidy("repack", "--geometric=2", "-d", "-q")
}

// PackRefs has git put loose refs into one file. gitrun.ErrNoGit where the git program is
// not installed.
func (u *Upkeep) PackRefs() error {
	return u.place.tidy("pack-refs", "--all")
}
