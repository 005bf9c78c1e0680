package gitstore

import (
	"crypto/sha1" //nolint:gosec // Git's object names.
	"errors"
	"fmt"
	"io/fs"
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

// object returns the object h from memory, a pack, the loose store or an alternate. What
// lies there is what its name says: whoever can write files could put something else in
// the place of what was judged. What is out of bounds is refused unread.
func (r *Repo) object(h tree.Hash, b bounds) (object, error) {
	if o, ok := r.pending.get(h); ok {
		return o, checkSize(o.kind, int64(len(o.data)), b)
	}
	o, err := reopening(r, h, func(s *store) (object, bool, error) {
		o, ok, err := s.read(h, b)
		//defence:objects-are-what-they-are-named
		if ok && hashObject(o.kind, o.data) != h {
			return object{}, false, fmt.Errorf("what lies there is not what it is named after, see git fsck: %w", ErrCorrupt)
		}
		return o, ok, err
	})
	return o, nameBad(h, err)
}

func (r *Repo) header(h tree.Hash) (kind, int64, error) {
	if o, ok := r.pending.get(h); ok {
		return o.kind, int64(len(o.data)), nil
	}
	type header struct {
		kind kind
		size int64
	}
	hd, err := reopening(r, h, func(s *store) (header, bool, error) {
		k, n, ok, err := s.header(h)
		return header{k, n}, ok, err
	})
	return hd.kind, hd.size, err
}

// maxReopen bounds how many repacks in a row a single read follows. It is only
// there to end: each of them must have come in between, and they take longer than a
// read does.
const maxReopen = 1000

// maxVanished bounds how often a pack may be gone although it is listed again: it
// was made anew meanwhile, or the file system is not what it says.
const maxVanished = 10

// reopening reads from the store as it was opened. Where that fails, it looks what
// packs there are now, and reads again if they are others: somebody repacked, and
// where many processes write, somebody else may do it before the new packs were
// opened. An object is missing when the same packs were there before it was read
// and after.
func reopening[T any](r *Repo, h tree.Hash, read func(*store) (T, bool, error)) (T, error) {
	var none T
	s, err := r.currentStore()
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
		fresh, after, oerr := r.reopenStore(s)
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

func (r *Repo) typed(h tree.Hash, want kind, b bounds) ([]byte, error) {
	o, err := r.object(h, b)
	if err != nil {
		return nil, err
	}
	if o.kind != want {
		return nil, &BadObject{Kind: want.String(), Hash: h, What: "is a " + o.kind.String()}
	}
	return o.data, nil
}

// Blob returns the content of blob h, of at most MaxBlob bytes. The caller must not
// change it.
func (r *Repo) Blob(h tree.Hash) ([]byte, error) { return r.typed(h, kindBlob, within(MaxBlob)) }

// BlobWithin is Blob with a smaller bound. A larger blob is a *BadObject, and was not read.
func (r *Repo) BlobWithin(h tree.Hash, most int64) ([]byte, error) {
	return r.typed(h, kindBlob, within(most))
}

// BlobSize returns the size of blob h in bytes without reading all of it.
func (r *Repo) BlobSize(h tree.Hash) (int64, error) {
	k, n, err := r.header(h)
	if err == nil && k != kindBlob {
		err = &BadObject{Kind: "blob", Hash: h, What: "is a " + k.String()}
	}
	return n, err
}

// WriteBlob stores content and returns its name. It becomes durable with the
// first Update that needs it, or with Sync.
func (r *Repo) WriteBlob(content []byte) (tree.Hash, error) { return r.put(kindBlob, content) }

func (r *Repo) put(k kind, data []byte) (tree.Hash, error) {
	h := hashObject(k, data)
	if err := checkSize(k, int64(len(data)), within(MaxBlob)); err != nil {
		return h, fmt.Errorf("writing an object: %w", nameBad(h, err))
	}
	if r.pending.put(h, object{k, data}) > maxPending {
		if err := r.Sync(); err != nil {
			return h, err
		}
	}
	return h, nil
}
