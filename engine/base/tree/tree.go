package tree

import (
	"crypto/sha1" //nolint:gosec // Git's object names, not a security boundary of ours.
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

// Hash is a Git object name (SHA-1). The zero value means "no object" or, for
// an entry of a view without stored objects, "not computed".
type Hash [20]byte

// IsZero reports whether h names no object.
func (h Hash) IsZero() bool { return h == Hash{} }

// String returns 40 lower-case hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Short returns the first 10 digits, for people.
func (h Hash) Short() string { return h.String()[:10] }

// MarshalText writes the 40 digits; the zero hash is written as "".
func (h Hash) MarshalText() ([]byte, error) {
	if h.IsZero() {
		return nil, nil
	}
	return []byte(h.String()), nil
}

// UnmarshalText parses the output of MarshalText.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*h = Hash{}
		return nil
	}
	parsed, err := ParseHash(string(text))
	*h = parsed
	return err
}

// ParseHash parses 40 hexadecimal digits.
func ParseHash(s string) (Hash, error) {
	var h Hash
	//defence:errors-of-hashes-repeat-little
	if len(s) != 2*len(h) {
		return h, fmt.Errorf("object name %.80q: want 40 hexadecimal digits", s)
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, fmt.Errorf("object name %q: %w", s, err)
	}
	return h, nil
}

// BlobHash returns Git's hash of a blob with this content.
func BlobHash(content []byte) Hash {
	sum := sha1.New() //nolint:gosec // see the import
	sum.Write([]byte("blob " + strconv.Itoa(len(content)) + "\x00"))
	sum.Write(content)
	return Hash(sum.Sum(nil))
}

// Mode is a Git file mode.
type Mode uint32

// The modes that Git writes.
const (
	Dir        Mode = 0o040000
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Submodule  Mode = 0o160000
)

// String returns the mode as Git prints it, such as 100644.
func (m Mode) String() string { return fmt.Sprintf("%06o", uint32(m)) }

// IsFile reports whether m is a regular or executable file, the only modes that
// a workspace admits under governed paths.
func (m Mode) IsFile() bool { return m == Regular || m == Executable }

// Entry is one entry of a tree.
type Entry struct {
	// Path is slash-separated from the root of the view, without a leading slash.
	Path string
	Mode Mode
	// Hash names the blob or tree; zero if the view does not compute it.
	Hash Hash
	// Size is the size of a blob in bytes, or -1 if it would have to be read.
	Size int64
}

// View is a read-only, immutable tree. It may be used by several goroutines.
type View interface {
	// Lookup returns the entry at path, or ErrNotExist. The empty path is the root directory.
	Lookup(path string) (Entry, error)
	// List returns the entries directly inside directory dir ("" is the root), in
	// Git's order (a directory sorts as if its name ended in '/').
	List(dir string) ([]Entry, error)
	// Read returns the content of the regular file at path, or the target of a symlink, or
	// ErrNotExist.
	Read(path string) ([]byte, error)
}

// ErrNotExist is returned by a View for a missing path. It matches fs.ErrNotExist with
// errors.Is.
var ErrNotExist = fmt.Errorf("no such path in this tree: %w", fs.ErrNotExist)

// Exists reports whether v has path.
func Exists(v View, path string) (bool, error) {
	_, err := v.Lookup(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Files calls visit for every entry below dir that is not a directory, in the path order of
// Git's trees. A missing dir is empty. The walk ends with an error of visit, or with
// ErrTooLarge if the tree exceeds the bounds.
func Files(v View, dir string, visit func(Entry) error) error {
	return FilesWithin(v, dir, maxCompared, visit)
}

// FilesWithin is Files for a tree of at most most entries, including directories. A directory's
// entries are counted before any of them is visited.
func FilesWithin(v View, dir string, most int, visit func(Entry) error) error {
	w := walk{view: v, left: most, visit: visit}
	return w.dir(dir)
}

// maxPath bounds paths and so the depth of a walk. No system opens a longer path.
const maxPath = 4096

type walk struct {
	view  View
	left  int
	visit func(Entry) error
}

func (w *walk) dir(dir string) error {
	entries, err := w.view.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	//defence:walking-is-bounded
	if w.left -= len(entries); w.left < 0 {
		return fmt.Errorf("%.80s: %w", dir, ErrTooLarge)
	}
	for _, e := range entries {
		if len(e.Path) > maxPath {
			return fmt.Errorf("%.80s: %w", e.Path, ErrTooLarge)
		}
		if e.Mode == Dir {
			err = w.dir(e.Path)
		} else {
			err = w.visit(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Join joins a directory ("" is the root) and a name.
func Join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// Compare orders two entries of one directory as Git does.
func Compare(aName string, aMode Mode, bName string, bMode Mode) int {
	n := min(len(aName), len(bName))
	for i := range n {
		if aName[i] != bName[i] {
			return int(aName[i]) - int(bName[i])
		}
	}
	return int(tail(aName, n, aMode)) - int(tail(bName, n, bMode))
}

func tail(name string, n int, m Mode) byte {
	switch {
	case len(name) > n:
		return name[n]
	case m == Dir:
		return '/'
	default:
		return 0
	}
}

// Sizer is implemented by views that know a file's size without reading it.
type Sizer interface {
	Size(e Entry) (int64, error)
}

// Size returns the size of the file e in v. It reads the file only if the view has no other
// way.
func Size(v View, e Entry) (int64, error) {
	if e.Size >= 0 {
		return e.Size, nil
	}
	if s, ok := v.(Sizer); ok {
		return s.Size(e)
	}
	data, err := v.Read(e.Path)
	return int64(len(data)), err
}
