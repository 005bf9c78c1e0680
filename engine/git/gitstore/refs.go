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

	"github.com/assent-dev/assent/engine/base/tree"
)

// Ref is one ref and the object it names.
type Ref struct {
	Name string
	Hash tree.Hash
	// Symbolic is the ref that this one follows, "" for a plain one.
	Symbolic string
}

// Head is what is checked out.
type Head struct {
	// Branch is the full name, refs/heads/…; "" when detached.
	Branch string
	// Commit is zero when the branch is unborn.
	Commit tree.Hash
	// Detached: HEAD names a commit and no branch.
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
	offer    Offer       // nil: moves are not offered first
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

// maxSymbolic bounds how often a ref may point to another, as Git does.
const maxSymbolic = 5

// Ref returns the object that a ref names, following symbolic refs; ErrNoRef
// when there is none. The name is full: refs/heads/main, or HEAD.
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

// rawRef reads one ref without following it: loose first, then packed. A ref
// that is being packed is in packed-refs before its loose file goes, so looking
// in this order never misses it.
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

// headLike: HEAD, MERGE_HEAD and such, which live beside refs/.
func headLike(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// refDir is the Git folder that a ref lives in. Some are each worktree's own.
func (s *RefStore) refDir(name string) string {
	if headLike(name) || strings.HasPrefix(name, "refs/bisect/") ||
		strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/") {
		return s.place.gitDir
	}
	return s.place.commonDir
}

// refPath is where the loose file of a ref is.
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

// SyncRef makes what a ref shows now durable: another process may have moved it
// and not have synced it yet. It is for those who remember elsewhere what they saw.
func (s *RefStore) SyncRef(name string) error {
	dir := filepath.Dir(s.refPath(name))
	if !isDir(dir) { // it is packed
		dir = s.place.commonDir
	}
	for _, d := range []string{dir, s.place.commonDir} {
		if err := s.disk.SyncDir(d); err != nil {
			return fmt.Errorf("syncing %s: %w", name, err)
		}
	}
	return nil
}

// Refs returns the refs whose names start with prefix, sorted, symbolic ones
// followed and left out when they lead nowhere. Refs that are broken are left
// out too, and named in the error (see BrokenRefs): the list beside it is usable.
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
	slices.SortFunc(out, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
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
				return err // lock files and other strangers are no refs
			}
			if i == 0 && s.refPath(name) != path {
				return nil // another worktree's own
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
