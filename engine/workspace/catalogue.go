package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/indexfile"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/index"
)

// Catalogue answers questions about the capabilities of one tree from an index, without reading
// them all again. The first question opens, updates or builds the index. It is kept in the user's
// own folder: a push must not reach data that a gate reads. If it cannot be kept, or is damaged,
// the answers are the same and cost more.
//
// It is safe for several goroutines.
type Catalogue struct {
	repo   *gitstore.Repo
	view   *gitstore.Snapshot
	folder indexfile.Folder
	// keep is set if the tree is in force now; indexes of older trees are made in memory.
	keep bool
	say  func(format string, args ...any)

	mu     sync.Mutex
	index  *index.Index
	listed capability.Namer // names without an index
	// tried reports that kept is known: whether the index can be kept is asked once, by a file.
	tried, kept bool
}

func (c *Catalogue) writable() bool {
	if !c.tried {
		c.tried, c.kept = true, c.keep && c.folder.Dir != "" && c.folder.Writable()
	}
	return c.kept
}

func (w *Workspace) catalogue(view *gitstore.Snapshot, genesis tree.Hash, keep bool) *Catalogue {
	c := &Catalogue{repo: w.Repo, view: view, say: w.Say, keep: keep}
	if home, err := keys.Home(); err == nil {
		c.folder.Dir = filepath.Join(home, "index", genesis.String())
	}
	return c
}

// Named implements capability.Namer. It is the one question that a tree answers by
// itself at little cost, so that no index is built for it that could not be kept.
func (c *Catalogue) Named(name string) (out []capability.Folder, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listed == nil && c.open(c.writable()) == nil {
		if out, err = c.index.Named(name); err == nil {
			return out, nil
		}
	}
	if c.listed == nil {
		c.listed = capability.NamerOf(c.view)
	}
	return c.listed.Named(name)
}

// Folders lists where all capabilities stand.
func (c *Catalogue) Folders() (out []capability.Folder, err error) {
	err = c.ask(func(x *index.Index) error {
		out = make([]capability.Folder, 0, x.Len())
		for f, err := range x.Folders() {
			if err != nil {
				return err
			}
			out = append(out, f)
		}
		return nil
	})
	return out, err
}

// Entries lists the capabilities that admit lets through, in the order of
// capability.Folders.
func (c *Catalogue) Entries(admit func(index.Entry) bool) (out []index.Entry, err error) {
	err = c.ask(func(x *index.Index) error {
		out = nil
		for e, err := range x.Entries() {
			if err != nil {
				return err
			}
			if admit(e) {
				out = append(out, e)
			}
		}
		return nil
	})
	return out, err
}

// Index returns the index.
func (c *Catalogue) Index() (out *index.Index, err error) {
	err = c.ask(func(x *index.Index) error {
		out = x
		return nil
	})
	return out, err
}

// Related lists the capabilities in a relation to a name.
func (c *Catalogue) Related(r index.Relation, name string) (out []index.Entry, err error) {
	err = c.ask(func(x *index.Index) error {
		out, err = x.Related(r, name)
		return err
	})
	return out, err
}

// Implementing implements capability.Implementer.
func (c *Catalogue) Implementing(name string) ([]capability.Folder, error) {
	return c.foldersOf(index.Implements, name)
}

// Applying implements capability.Applier.
func (c *Catalogue) Applying(name string) ([]capability.Folder, error) {
	return c.foldersOf(index.AppliesTo, name)
}

func (c *Catalogue) foldersOf(r index.Relation, name string) ([]capability.Folder, error) {
	found, err := c.Related(r, name)
	if err != nil {
		return nil, err
	}
	out := make([]capability.Folder, 0, len(found))
	for _, e := range found {
		out = append(out, e.Folder)
	}
	return out, nil
}

// Callers implements composed.Indexed.
func (c *Catalogue) Callers(name string) ([]capability.Folder, error) {
	return c.foldersOf(index.Calls, name)
}

// Needing implements capability.Needer.
func (c *Catalogue) Needing(name string) ([]capability.Folder, error) {
	var out []capability.Folder
	for _, r := range []index.Relation{index.Requires, index.AppliesTo} {
		found, err := c.foldersOf(r, name)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	order.Sort(out, capability.CompareFolders)
	return slices.Compact(out), nil
}

// Find searches.
func (c *Catalogue) Find(q index.Query) (out []index.Match, err error) {
	err = c.ask(func(x *index.Index) error {
		out, err = x.Find(q)
		return err
	})
	return out, err
}

// ask puts a question to the index. It rebuilds a damaged index and asks again.
func (c *Catalogue) ask(question func(*index.Index) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.open(true); err != nil {
		return err
	}
	if question(c.index) == nil {
		return nil
	}
	if err := c.build(); err != nil {
		return err
	}
	if err := question(c.index); err != nil {
		return fmt.Errorf("search the capabilities: %w", err)
	}
	return nil
}

// errNone says that there is no index, and that none shall be built.
var errNone = errors.New("there is no index")

// open finds the index of the tree: kept, or made from the newest one that is kept,
// or, if that may be, built.
func (c *Catalogue) open(mayBuild bool) error {
	if c.index != nil {
		return nil
	}
	skills, err := c.skills()
	if err != nil {
		return err
	}
	if c.index, err = c.folder.Open(skills); err == nil {
		return nil
	}
	for _, t := range c.folder.Trees() {
		if c.refresh(t, skills) {
			return nil
		}
	}
	if !mayBuild {
		return errNone
	}
	return c.build()
}

// skills returns the hash of the indexed folder; zero if there is no such folder.
func (c *Catalogue) skills() (tree.Hash, error) {
	e, err := c.view.Lookup(capability.Root)
	if errors.Is(err, fs.ErrNotExist) || err == nil && e.Mode != tree.Dir {
		return tree.Hash{}, nil
	}
	return e.Hash, err
}

// refresh makes the index of this tree from that of another one, if both that tree
// and its index are still whole.
func (c *Catalogue) refresh(other, skills tree.Hash) bool {
	below, err := c.folder.Open(other)
	if err != nil {
		return false
	}
	segments := below.Segments()[:below.Keep()]
	if below, err = index.New(segments...); err != nil {
		return false
	}
	before, err := c.repo.Snapshot(below.Tree())
	if err != nil {
		return false
	}
	made, ok, err := index.Refresh(below, tree.NewMount(capability.Root, before), c.view, skills, workers())
	if err != nil || !ok {
		return false
	}
	return c.use(segments, made, skills) == nil
}

// manyFolders is the number of groups from which on indexing takes noticeably long.
const manyFolders = 100

// build reads everything.
func (c *Catalogue) build() error {
	skills, err := c.skills()
	if err != nil {
		return err
	}
	if groups, err := c.view.List(capability.Root); err == nil && len(groups) > manyFolders && c.say != nil {
		c.say("reading all capabilities, which is done once")
	}
	made, err := index.Build(c.view, skills, workers())
	if err != nil {
		return fmt.Errorf("index the capabilities: %w", err)
	}
	return c.use(nil, made, skills)
}

// use adds a new segment on top of those below it, and keeps it if it can.
func (c *Catalogue) use(below []*index.Segment, made []byte, skills tree.Hash) error {
	s, err := index.OpenSegment(bytes.NewReader(made), int64(len(made)))
	if err != nil {
		return err
	}
	x, err := index.New(append(below[:len(below):len(below)], s)...)
	if err != nil {
		return err
	}
	c.index = x
	if c.keep && c.folder.Dir != "" && !skills.IsZero() && c.folder.Save(skills, made) == nil {
		// Read the index from the file, so that made can be freed. On a read-only home the index
		// stays in memory.
		if x, err = c.folder.Open(skills); err == nil {
			c.index = x
		}
	}
	return nil
}

func workers() int { return runtime.GOMAXPROCS(0) }
