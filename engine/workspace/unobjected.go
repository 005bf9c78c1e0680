package workspace

import (
	"path/filepath"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
)

const (
	unobjectedFile = "unobjected"
	// maxUnobjected bounds the file, in bytes.
	maxUnobjected = 8 << 20
)

// unobjected remembers journals without an objection, by their last events, so that each is read
// once: a workspace has many more ended proposals than rejected ones. An event names all before
// it, so the memory of it stays true. It is a cache in the user's own folder, which a push does
// not reach; without it the answers are the same and cost more.
type unobjected struct {
	store home.Store
	known map[tree.Hash]bool
	// now are those of this listing; fresh is set if one of them was not known.
	now   []byte
	fresh bool
}

func openUnobjected(s Session) *unobjected {
	u := &unobjected{known: map[tree.Hash]bool{}}
	dir, err := keys.Home()
	if err != nil {
		return u
	}
	u.store = home.At(filepath.Join(dir, "index", s.Genesis.String()))
	data, err := u.store.Read(unobjectedFile, maxUnobjected)
	if err != nil {
		return u
	}
	for ; len(data) >= len(tree.Hash{}); data = data[len(tree.Hash{}):] {
		u.known[tree.Hash(data)] = true
	}
	return u
}

func (u *unobjected) has(last tree.Hash) bool {
	if !u.known[last] {
		return false
	}
	u.now = append(u.now, last[:]...)
	return true
}

// add remembers a journal; a zero event is not known and not remembered.
func (u *unobjected) add(last tree.Hash) {
	if !last.IsZero() && len(u.now)+len(last) <= maxUnobjected {
		u.now, u.fresh = append(u.now, last[:]...), true
	}
}

// save keeps those of this listing, unless nothing is kept of the workspace yet: a clone that is refused leaves
// nothing behind. A folder that cannot be written to costs time only.
func (u *unobjected) save() {
	if _, err := u.store.Stat("."); u.fresh && err == nil {
		_ = u.store.Cache(unobjectedFile, u.now)
	}
}
