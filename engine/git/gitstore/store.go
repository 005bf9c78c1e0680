package gitstore

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/assent-dev/assent/engine/base/tree"
)

// store is an opened set of object directories: the repository's own and its alternates. It is
// immutable except for caches, and may be used by several goroutines.
type store struct {
	dirs  []string
	packs []*pack
	bases *byteCache[baseKey]
}

// maxAlternates bounds the nesting of alternates, as in Git.
const maxAlternates = 5

func openStore(objects string) (*store, error) {
	s := &store{bases: newByteCache[baseKey](32 << 20)}
	if err := s.addDir(objects, 0); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *store) addDir(dir string, depth int) error {
	if depth > maxAlternates {
		return fmt.Errorf("alternates of %s: nested more than %d deep", s.dirs[0], maxAlternates)
	}
	for _, known := range s.dirs {
		if known == dir {
			return nil
		}
	}
	s.dirs = append(s.dirs, dir)
	entries, err := os.ReadDir(filepath.Join(dir, "pack"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("listing packs: %w", err)
	}
	idx := ""
	for _, e := range entries {
		// Other names are packs that a concurrent repack has not finished writing. A pack
		// without its index is being removed.
		name, ok := strings.CutSuffix(e.Name(), ".pack")
		if ok && name == idx && strings.HasPrefix(name, "pack-") {
			s.packs = append(s.packs, &pack{base: filepath.Join(dir, "pack", name)})
		}
		if strings.HasSuffix(e.Name(), ".idx") {
			idx = strings.TrimSuffix(e.Name(), ".idx")
		}
	}
	return s.addAlternates(dir, depth)
}

func (s *store) addAlternates(dir string, depth int) error {
	f, err := os.Open(filepath.Join(dir, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading alternates: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		if _, err := os.Stat(line); err != nil {
			return fmt.Errorf("alternate object folder %s (from info/alternates of %s) cannot be read; restore it or clone again without --shared: %w", line, dir, err)
		}
		if err := s.addDir(filepath.Clean(line), depth+1); err != nil {
			return err
		}
	}
	return lines.Err()
}

// read returns object h; ok is false if it does not exist. An object that exceeds its bound is
// refused before it is inflated.
func (s *store) read(h tree.Hash, b bounds) (object, bool, error) {
	p, off, err := s.find(h)
	if err != nil {
		return object{}, false, err
	}
	var detour error
	if p != nil {
		o, err := s.readPacked(p, off, chain{bounds: b})
		if detour = err; !errors.Is(err, errDetour) {
			return o, err == nil, err
		}
	}
	for _, dir := range s.dirs {
		o, err := readLoose(loosePath(dir, h), b)
		if err == nil || detour == nil && !errors.Is(err, fs.ErrNotExist) {
			return o, err == nil, err
		}
	}
	return object{}, false, detour
}

// header returns the type and size of object h; ok is false if it does not exist.
func (s *store) header(h tree.Hash) (kind, int64, bool, error) {
	p, off, err := s.find(h)
	if err != nil {
		return 0, 0, false, err
	}
	var detour error
	if p != nil {
		k, n, err := s.packedHeader(p, off, 0)
		if detour = err; !errors.Is(err, errDetour) {
			return k, n, err == nil, err
		}
	}
	for _, dir := range s.dirs {
		k, n, err := looseHeader(loosePath(dir, h))
		if err == nil || detour == nil && !errors.Is(err, fs.ErrNotExist) {
			return k, n, err == nil, err
		}
	}
	return 0, 0, false, detour
}

// find returns the pack that contains h, or nil.
func (s *store) find(h tree.Hash) (*pack, int64, error) {
	for _, p := range s.packs {
		off, ok, err := p.find(h)
		if err != nil {
			return nil, 0, err
		}
		if ok {
			return p, off, nil
		}
	}
	return nil, 0, nil
}

// storeCache opens the object folders of a repository, and reopens them after a repack.
type storeCache struct {
	dir     string
	reopen  sync.Mutex
	current atomic.Pointer[store]
}

// currentStore returns the object store, which it opens on first use.
func (c *storeCache) currentStore() (*store, error) {
	if s := c.current.Load(); s != nil {
		return s, nil
	}
	s, _, err := c.reopenStore(nil)
	return s, err
}

// reopenStore replaces the store in which a caller's read failed. If another goroutine has
// already replaced it, it returns that store with after false, because it may have been opened
// before the caller's read failed.
func (c *storeCache) reopenStore(stale *store) (s *store, after bool, err error) {
	c.reopen.Lock()
	defer c.reopen.Unlock()
	if s := c.current.Load(); s != nil && s != stale {
		return s, false, nil
	}
	s, err = openStore(c.dir)
	if err != nil {
		return nil, false, err
	}
	s.adopt(stale)
	c.current.Store(s)
	return s, true, nil
}

// adopt takes over the packs that still exist, with their descriptors and loaded indexes. Other
// packs are closed when their last reader releases them.
func (s *store) adopt(old *store) {
	if old == nil {
		return
	}
	byBase := make(map[string]*pack, len(old.packs))
	for _, p := range old.packs {
		byBase[p.base] = p
	}
	for i, p := range s.packs {
		if known := byBase[p.base]; known != nil {
			s.packs[i] = known
		}
	}
	s.bases = old.bases
}

// same reports whether both stores list the same packs in the same folders.
func (s *store) same(other *store) bool {
	return slices.Equal(s.dirs, other.dirs) &&
		slices.EqualFunc(s.packs, other.packs, func(a, b *pack) bool { return a.base == b.base })
}

// byteCache keeps recently used values up to about 2×limit bytes, in two generations: cheap,
// bounded, and sufficient for delta bases and trees. It does not keep a value larger than half
// the limit.
type byteCache[K comparable] struct {
	mu        sync.Mutex
	limit     int
	size      int
	now, then map[K]any
}

func newByteCache[K comparable](limit int) *byteCache[K] {
	return &byteCache[K]{limit: limit, now: map[K]any{}}
}

func (c *byteCache[K]) get(k K) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.now[k]
	if !ok {
		v, ok = c.then[k]
	}
	return v, ok
}

func (c *byteCache[K]) put(k K, v any, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if size > c.limit/2 {
		return
	}
	if c.size += size; c.size > c.limit {
		c.then, c.now, c.size = c.now, map[K]any{}, size
	}
	c.now[k] = v
}
