package gitstore

import (
	"crypto/sha1" //nolint:gosec // Git's object names.
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/assent-dev/assent/engine/base/tree"
)

// kind is an object's type, numbered as in packs.
type kind byte

const (
	kindCommit kind = 1
	kindTree   kind = 2
	kindBlob   kind = 3
	kindTag    kind = 4
	kindOfs    kind = 6
	kindRef    kind = 7
)

func (k kind) String() string {
	switch k {
	case kindCommit:
		return "commit"
	case kindTree:
		return "tree"
	case kindBlob:
		return "blob"
	case kindTag:
		return "tag"
	default:
		return "kind " + strconv.Itoa(int(k))
	}
}

func parseKind(s string) (kind, error) {
	for k := kindCommit; k <= kindTag; k++ {
		if k.String() == s {
			return k, nil
		}
	}
	return 0, fmt.Errorf("object type %q: %w", s, ErrCorrupt)
}

type object struct {
	kind kind
	data []byte
}

func hashObject(k kind, data []byte) tree.Hash {
	sum := sha1.New() //nolint:gosec // see the import
	sum.Write([]byte(k.String() + " " + strconv.Itoa(len(data)) + "\x00"))
	sum.Write(data)
	return tree.Hash(sum.Sum(nil))
}

// Objects reads and writes the blobs, trees and commits of a repository. New objects stay in
// memory until Sync, or until a ref that needs them moves.
type Objects struct {
	stores  *storeCache
	packs   *packFolder
	trees   *byteCache[tree.Hash]
	pending pending
	git     *catFile
}

// newObjects opens the object folder of a repository on first use.
func newObjects(place Place, disk Disk, locks *Locks) *Objects {
	dir := filepath.Join(place.commonDir, "objects")
	return &Objects{
		git:    &catFile{place: place},
		stores: &storeCache{dir: dir},
		packs:  &packFolder{dir: filepath.Join(dir, "pack"), disk: disk, locks: locks},
		trees:  newByteCache[tree.Hash](32 << 20),
	}
}

// object returns the object h from memory, a pack, the loose store or an alternate. It verifies
// the hash, because a program that can write files could replace an object that was judged. An
// object that exceeds its bound is refused unread.
func (db *Objects) object(h tree.Hash, b bounds) (object, error) {
	if o, ok := db.pending.get(h); ok {
		return o, checkSize(o.kind, int64(len(o.data)), b)
	}
	o, err := reopening(db.stores, h, func(s *store) (object, bool, error) {
		o, ok, err := s.read(h, b)
		//defence:objects-are-what-they-are-named
		if ok && hashObject(o.kind, o.data) != h {
			return object{}, false, fmt.Errorf("its content does not match its hash, see git fsck: %w", ErrCorrupt)
		}
		return o, ok, err
	})
	//defence:storage-changes-no-object
	if errors.Is(err, errDetour) {
		o, _, err = db.whole(h, b)
	}
	return o, addHash(h, err)
}

func (db *Objects) header(h tree.Hash) (kind, int64, error) {
	if o, ok := db.pending.get(h); ok {
		return o.kind, int64(len(o.data)), nil
	}
	type header struct {
		kind kind
		size int64
	}
	hd, err := reopening(db.stores, h, func(s *store) (header, bool, error) {
		k, n, ok, err := s.header(h)
		return header{k, n}, ok, err
	})
	if errors.Is(err, errDetour) {
		var o object
		if o, hd.size, err = db.whole(h, blobBounds(MaxBlob)); err == nil || hd.size > 0 { // an object that exceeds the bound has its kind with the error
			hd.kind, err = o.kind, nil
		}
	}
	return hd.kind, hd.size, err
}

// maxReopen bounds how many repacks in a row one read follows. It only guarantees termination:
// every repack takes longer than a read.
const maxReopen = 1000

// maxVanished bounds how often a listed pack may fail to open: it was removed and recreated
// meanwhile, or the file system is inconsistent.
const maxVanished = 10

// reopening reads from the store as opened. If that fails, it lists the packs again and retries
// if they changed, because another process may have repacked, repeatedly if there are many
// writers. An object is missing only if the same packs existed before and after the read.
func reopening[T any](c *storeCache, h tree.Hash, read func(*store) (T, bool, error)) (T, error) {
	var none T
	s, err := c.currentStore()
	if err != nil {
		return none, err
	}
	for reopened := 0; ; reopened++ {
		v, ok, err := read(s)
		if err == nil && ok {
			return v, nil
		}
		if err != nil && reopened > 0 && !errors.Is(err, fs.ErrNotExist) {
			return none, fmt.Errorf("reading object %s: %w", h, err)
		}
		fresh, after, oerr := c.reopenStore(s)
		if oerr != nil {
			return none, oerr
		}
		settled := after && fresh.same(s) && (err == nil && reopened > 0 || reopened >= maxVanished)
		if settled || reopened == maxReopen {
			if err == nil {
				err = ErrNoObject
			}
			return none, fmt.Errorf("reading object %s: %w", h, err)
		}
		s = fresh
	}
}

func (db *Objects) typed(h tree.Hash, want kind, b bounds) ([]byte, error) {
	o, err := db.object(h, b)
	if err != nil {
		return nil, err
	}
	if o.kind != want {
		return nil, &BadObject{Kind: want.String(), Hash: h, What: "is a " + o.kind.String()}
	}
	return o.data, nil
}

// Blob returns the content of blob h, which has at most MaxBlob bytes. The caller must not
// change it.
func (db *Objects) Blob(h tree.Hash) ([]byte, error) {
	return db.typed(h, kindBlob, blobBounds(MaxBlob))
}

// BlobWithin is Blob with a smaller bound. A larger blob is a *BadObject and is not read.
func (db *Objects) BlobWithin(h tree.Hash, most int64) ([]byte, error) {
	return db.typed(h, kindBlob, blobBounds(most))
}

// BlobSize returns the size of blob h in bytes without reading all of it.
func (db *Objects) BlobSize(h tree.Hash) (int64, error) {
	k, n, err := db.header(h)
	if err == nil && k != kindBlob {
		err = &BadObject{Kind: "blob", Hash: h, What: "is a " + k.String()}
	}
	return n, err
}

// WriteBlob stores content and returns its hash. The blob becomes durable with the first Update
// that needs it, or with Sync.
func (db *Objects) WriteBlob(content []byte) (tree.Hash, error) { return db.put(kindBlob, content) }

func (db *Objects) put(k kind, data []byte) (tree.Hash, error) {
	h := hashObject(k, data)
	if err := checkSize(k, int64(len(data)), blobBounds(MaxBlob)); err != nil {
		return h, fmt.Errorf("writing an object: %w", addHash(h, err))
	}
	if db.pending.put(h, object{k, data}) > maxPending {
		if err := db.Sync(); err != nil {
			return h, err
		}
	}
	return h, nil
}
