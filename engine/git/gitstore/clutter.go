package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Clutter counts files that accumulate in a repository.
type Clutter struct {
	// Packs is the number of packs, LooseRefs the number of refs with a file of their own.
	Packs, LooseRefs int
}

// Upkeep compacts objects and refs with git.
type Upkeep struct {
	place Place
	refs  *RefStore
}

// Clutter counts packs and loose refs.
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

// Repack has git join small packs. It copies every object, reachable or not, and skips packs
// with a .keep file, so it is safe beside writers. It returns gitrun.ErrNoGit if git is not
// installed.
func (u *Upkeep) Repack() error {
	return u.place.tidy("repack", "--geometric=2", "-d", "-q")
}

// PackRefs has git move loose refs into one file. It returns gitrun.ErrNoGit if git is not
// installed.
func (u *Upkeep) PackRefs() error {
	return u.place.tidy("pack-refs", "--all")
}
