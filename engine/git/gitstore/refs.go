package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Ref is one ref and the object that it names.
type Ref struct {
	Name string
	Hash tree.Hash
	// Symbolic is the ref that a symbolic ref names, else "".
	Symbolic string
}

// Head is the state of HEAD.
type Head struct {
	// Branch is the full name, refs/heads/…; "" when detached.
	Branch string
	// Commit is zero if the branch is unborn.
	Commit tree.Hash
	// Detached is set if HEAD names a commit and no branch.
	Detached bool
}

// RefStore reads and moves the refs of a repository, with their reflogs.
type RefStore struct {
	place    Place
	disk     Disk
	settings *Settings
	locks    *Locks
	objects  *Objects
	packed   *packedCache
	updates  *sync.Mutex // one ref transaction at a time within the process
	offer    Offer       // nil if moves need no offer
}

// Head reads this worktree's HEAD.
func (s *RefStore) Head() (Head, error) {
	value, err := s.readLooseRef("HEAD")
	if err != nil {
		return Head{}, fmt.Errorf("reading HEAD: %w", err)
	}
	if value.Symbolic == "" {
		return Head{Commit: value.Hash, Detached: true}, nil
	}
	h, err := s.Ref(value.Symbolic)
	if errors.Is(err, ErrNoRef) {
		err = nil
	}
	return Head{Branch: value.Symbolic, Commit: h}, err
}

// maxSymbolic bounds the nesting of symbolic refs, as in Git.
const maxSymbolic = 5

// Ref returns the object that a ref names, following symbolic refs, or ErrNoRef. The name is
// full: refs/heads/main, or HEAD.
func (s *RefStore) Ref(name string) (tree.Hash, error) {
	start := name
	for range maxSymbolic {
		ref, err := s.rawRef(name)
		if err != nil || ref.Symbolic == "" {
			return ref.Hash, err
		}
		name = ref.Symbolic
	}
	return tree.Hash{}, fmt.Errorf("%s: symbolic refs nested more than %d deep: %w", start, maxSymbolic, ErrCorrupt)
}

// rawRef reads one ref without following it: loose first, then packed. `git pack-refs` adds a
// ref to packed-refs before it removes the loose file, so this order never misses the ref.
func (s *RefStore) rawRef(name string) (Ref, error) {
	if !headLike(name) {
		if err := CheckRefName(name); err != nil {
			return Ref{}, err
		}
	}
	ref, err := s.readLooseRef(name)
	if !errors.Is(err, ErrNoRef) {
		return ref, err
	}
	packed, perr := s.packed.load(s.place.commonDir)
	if perr != nil {
		return Ref{}, perr
	}
	if h, ok := packed.find(name); ok {
		return Ref{Name: name, Hash: h}, nil
	}
	return Ref{}, err
}

// headLike reports whether name is HEAD, MERGE_HEAD or another ref beside refs/.
func headLike(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// refDir returns the Git folder of a ref. Some refs belong to each worktree.
func (s *RefStore) refDir(name string) string {
	if headLike(name) || strings.HasPrefix(name, "refs/bisect/") ||
		strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/") {
		return s.place.gitDir
	}
	return s.place.commonDir
}

// refPath returns the path of a ref's loose file.
func (s *RefStore) refPath(name string) string {
	return filepath.Join(s.refDir(name), filepath.FromSlash(name))
}

func (s *RefStore) readLooseRef(name string) (Ref, error) {
	path := s.refPath(name)
	raw, err := os.ReadFile(path)
	if err != nil {
		if absent(err) || isDir(path) {
			return Ref{}, fmt.Errorf("%s: %w", name, ErrNoRef)
		}
		return Ref{}, fmt.Errorf("reading ref %s: %w", name, err)
	}
	return parseRef(name, string(raw))
}

func parseRef(name, text string) (Ref, error) {
	text = strings.TrimRight(text, " \t\r\n")
	if target, ok := strings.CutPrefix(text, "ref:"); ok {
		target = strings.TrimLeft(target, " \t")
		if err := CheckRefName(target); err != nil {
			return Ref{}, &BrokenRef{Name: name, Text: text}
		}
		return Ref{Name: name, Symbolic: target}, nil
	}
	if len(text) > 40 && strings.ContainsRune(" \t\n", rune(text[40])) {
		text = text[:40]
	}
	h, err := tree.ParseHash(text)
	if err != nil || h.IsZero() {
		return Ref{}, &BrokenRef{Name: name, Text: text}
	}
	return Ref{Name: name, Hash: h}, nil
}

func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// SyncRef makes the current value of a ref durable: another process may have moved it and not
// synced it yet. Callers use it before they record the value elsewhere.
func (s *RefStore) SyncRef(name string) error {
	dir := filepath.Dir(s.refPath(name))
	if !isDir(dir) { // the ref is packed
		dir = s.place.commonDir
	}
	for _, d := range []string{dir, s.place.commonDir} {
		if err := s.disk.SyncDir(d); err != nil {
			return fmt.Errorf("syncing %s: %w", name, err)
		}
	}
	return nil
}

// Refs returns the refs that start with prefix, sorted by name. Symbolic refs are resolved, and
// omitted if their target does not exist. Broken refs are also omitted and reported in the
// error (see BrokenRefs); the returned list is usable nevertheless.
func (s *RefStore) Refs(prefix string) ([]Ref, error) {
	found := map[string]Ref{}
	var broken []error
	for _, name := range s.looseNames(prefix, &broken) {
		ref, err := s.readLooseRef(name)
		switch {
		case errors.Is(err, ErrNoRef): // deleted or packed since it was listed
		case err != nil:
			broken = append(broken, err)
			found[name] = Ref{}
		default:
			found[name] = ref
		}
	}
	packed, err := s.packed.load(s.place.commonDir)
	if err != nil {
		return nil, err
	}
	for name, h := range packed.from(prefix) {
		if _, ok := found[name]; !ok {
			found[name] = Ref{Name: name, Hash: h}
		}
	}
	out := make([]Ref, 0, len(found))
	for _, ref := range found {
		if ref.Symbolic != "" {
			if ref.Hash, err = s.Ref(ref.Symbolic); err != nil && !errors.Is(err, ErrNoRef) {
				broken = append(broken, err)
			}
		}
		if !ref.Hash.IsZero() {
			out = append(out, ref)
		}
	}
	order.Sort(out, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
	return out, errors.Join(broken...)
}

// looseNames lists the loose refs that start with prefix.
func (s *RefStore) looseNames(prefix string, broken *[]error) []string {
	dir := "refs"
	if i := strings.LastIndexByte(prefix, '/'); i > 0 && strings.HasPrefix(prefix, "refs/") {
		dir = prefix[:i]
	}
	var names []string
	roots := []string{s.place.commonDir}
	if s.place.gitDir != s.place.commonDir {
		roots = append(roots, s.place.gitDir)
	}
	for i, root := range roots {
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(dir)), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				if absent(err) {
					return nil
				}
				return err
			}
			rel, err := filepath.Rel(root, path)
			name := filepath.ToSlash(rel)
			if err != nil || d.IsDir() || !strings.HasPrefix(name, prefix) || CheckRefName(name) != nil {
				return err // lock files and other files are no refs
			}
			if i == 0 && s.refPath(name) != path {
				return nil // belongs to another worktree
			}
			names = append(names, name)
			return nil
		})
		if err != nil {
			*broken = append(*broken, fmt.Errorf("listing refs: %w", err))
		}
	}
	return names
}

// Dangling returns the refs that start with prefix and name an object that is missing here.
func Dangling(r *Repo, prefix string) ([]Ref, error) {
	all, err := r.Refs(prefix)
	if _, err = BrokenRefs(err); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(ref Ref) bool {
		_, _, err := r.header(ref.Hash)
		return !errors.Is(err, ErrNoObject)
	}), nil
}
