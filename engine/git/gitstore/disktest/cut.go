package disktest

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Loss says which unsynced data a power cut loses.
type Loss int

const (
	// LoseAll loses all unsynced names and contents.
	LoseAll Loss = iota
	// LoseContent keeps names and loses unsynced contents: a file that was renamed into place
	// exists and is empty.
	LoseContent
	// LoseSome decides each name and content at random, and whether the unsynced rest of a
	// content reads as zeros, as if its length was already durable.
	LoseSome
)

// Cut changes dir, a copy of root before the first operation, to the state that a power cut
// after the first n of ops leaves. It ignores operations elsewhere. chance is used for
// LoseSome.
func Cut(dir, root string, ops []Op, n int, loss Loss, chance *rand.Rand) error {
	m := model{root: root, loss: loss, chance: chance, handles: map[int]*node{}}
	m.top = &node{dir: true, from: dir}
	for _, op := range ops[:n] {
		if !op.Failed || op.Kind == Write { // half of a torn write happened
			m.replay(op)
		}
	}
	return m.write(m.top, dir)
}

// node is a file or folder of the model.
type node struct {
	dir bool
	// from is the path of the unchanged original in the copy, "" for a new file.
	from string
	// data is the current content, synced the durable one.
	data, synced []byte
	loaded       bool
	// entries are a folder's current entries, durable those at its last sync, and changes the
	// changes since.
	entries, durable map[string]*node
	changes          []map[string]*node
}

type model struct {
	root    string
	loss    Loss
	chance  *rand.Rand
	top     *node
	handles map[int]*node
}

// load reads an original on first use.
func (n *node) load() {
	if n.loaded {
		return
	}
	n.loaded = true
	if !n.dir {
		if n.from != "" {
			n.data, _ = os.ReadFile(n.from)
			n.synced = n.data
		}
		return
	}
	n.entries, n.durable = map[string]*node{}, map[string]*node{}
	if n.from == "" {
		return
	}
	list, _ := os.ReadDir(n.from)
	for _, e := range list {
		c := &node{dir: e.IsDir(), from: filepath.Join(n.from, e.Name())}
		n.entries[e.Name()], n.durable[e.Name()] = c, c
	}
}

// find returns the folder of path and the name in it; nil for a path that is not below the
// root.
func (m *model) find(path string) (*node, string) {
	rel, err := filepath.Rel(m.root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil, ""
	}
	at := m.top
	parts := strings.Split(rel, string(filepath.Separator))
	for _, p := range parts[:len(parts)-1] {
		at.load()
		if at = at.entries[p]; at == nil {
			return nil, ""
		}
	}
	at.load()
	return at, parts[len(parts)-1]
}

func (n *node) change(c map[string]*node) {
	for name, to := range c {
		if n.entries[name] = to; to == nil {
			delete(n.entries, name)
		}
	}
	n.changes = append(n.changes, c)
}

func (m *model) replay(op Op) {
	dir, name := m.find(op.Path)
	if dir == nil {
		return
	}
	switch op.Kind {
	case Open:
		if op.fresh {
			dir.change(map[string]*node{name: {loaded: true}})
		}
		m.handles[op.handle] = dir.entries[name]
	case Mkdir:
		dir.change(map[string]*node{name: {dir: true}})
	case Remove:
		dir.change(map[string]*node{name: nil})
	case Rename: // within one folder, as in Git's protocol
		if moved := dir.entries[name]; moved != nil && !moved.dir {
			moved.load()
		}
		dir.change(map[string]*node{name: nil, filepath.Base(op.To): dir.entries[name]})
	case Link:
		if to, also := m.find(op.To); to != nil && dir.entries[name] != nil {
			dir.entries[name].load()
			to.change(map[string]*node{also: dir.entries[name]})
		}
	case Write:
		if f := m.handles[op.handle]; f != nil {
			f.load()
			f.data = append(slices.Clip(f.data), op.Data...)
		}
	case Sync:
		if f := m.handles[op.handle]; f != nil {
			f.load()
			f.synced = f.data
		}
	case SyncDir:
		m.syncDir(op.Path)
	}
}

func (m *model) syncDir(path string) {
	n := m.top
	if path != m.root {
		dir, name := m.find(path)
		if dir == nil || dir.entries[name] == nil {
			return
		}
		n = dir.entries[name]
	}
	n.load()
	n.durable, n.changes = map[string]*node{}, nil
	for name, c := range n.entries {
		n.durable[name] = c
	}
}

// survivors returns a folder's entries after the cut.
func (m *model) survivors(n *node) map[string]*node {
	left := map[string]*node{}
	for name, c := range n.durable {
		left[name] = c
	}
	for _, change := range n.changes {
		if m.loss == LoseContent || m.loss == LoseSome && m.chance.IntN(2) == 0 {
			for name, c := range change {
				if left[name] = c; c == nil {
					delete(left, name)
				}
			}
		}
	}
	return left
}

// content returns a file's content after the cut.
func (m *model) content(n *node) []byte {
	if m.loss != LoseSome {
		return n.synced
	}
	left := slices.Clone(n.data[:len(n.synced)+m.chance.IntN(len(n.data)-len(n.synced)+1)])
	if m.chance.IntN(2) == 0 {
		left = append(left, make([]byte, len(n.data)-len(left))...)
	}
	return left
}

// write changes a folder of the copy to the surviving content of n.
func (m *model) write(n *node, path string) error {
	if !n.loaded {
		return nil
	}
	left := m.survivors(n)
	list, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range list {
		// An original at its own path is unchanged; everything else is recreated below.
		at := filepath.Join(path, e.Name())
		if c := left[e.Name()]; c == nil || c.from != at {
			if err := os.RemoveAll(at); err != nil {
				return err
			}
		}
	}
	for name, c := range left {
		if err := m.writeEntry(c, filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) writeEntry(c *node, path string) error {
	if c.dir {
		if err := os.Mkdir(path, 0o777); err != nil && !os.IsExist(err) {
			return err
		}
		return m.write(c, path)
	}
	if c.from == path && !c.loaded {
		return nil
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(path, m.content(c), fs.FileMode(0o644))
}
