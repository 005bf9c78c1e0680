package gitstore

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Sent returns the objects that a push would send, by the short walk and by the full comparison
// of histories. near is nil if the walk gave up.
func (pk *Packer) Sent(wants []tree.Hash, there Known) (near, beyond []tree.Hash, err error) {
	commits, met, err := pk.walkBack(there, wants)
	if err != nil {
		return nil, nil, err
	}
	if met {
		if near, err = pk.sent(commits); err != nil {
			return nil, nil, err
		}
	}
	if commits, err = pk.compareHistories(there, wants); err != nil {
		return nil, nil, err
	}
	beyond, err = pk.sent(commits)
	return near, beyond, err
}

func (pk *Packer) sent(commits []Outline) ([]tree.Hash, error) {
	objects, err := pk.collectObjects(commits)
	hashes := make([]tree.Hash, len(objects))
	for i, o := range objects {
		hashes[i] = o.hash
	}
	return hashes, err
}

// Closure adds to into all objects that roots reach, except the targets of submodules, which
// are not stored here.
func (db *Objects) Closure(into map[tree.Hash]bool, roots ...tree.Hash) error {
	for todo := slices.Clone(roots); len(todo) > 0; {
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if into[h] {
			continue
		}
		into[h] = true
		if h == emptyTree() {
			continue
		}
		o, err := db.object(h, blobBounds(1<<30))
		if err != nil {
			return err
		}
		next, err := links(o)
		if err != nil {
			return err
		}
		if o.kind == kindTree {
			if next, err = db.entriesOf(h); err != nil {
				return err
			}
		}
		todo = append(todo, next...)
	}
	return nil
}

func (db *Objects) entriesOf(h tree.Hash) (out []tree.Hash, err error) {
	entries, err := db.tree(h)
	for _, e := range entries {
		if e.mode != tree.Submodule {
			out = append(out, e.hash)
		}
	}
	return out, err
}
