package gitstore

import (
	"sync"

	"github.com/assent-dev/assent/engine/base/tree"
)

// maxPending bounds the bytes of new objects in memory. Beyond it, they are written out
// although no ref needs them yet.
const maxPending = 64 << 20

// pending holds new objects until a ref needs them. A change that is only computed, or that
// loses a race, leaves nothing on the disk.
type pending struct {
	mu      sync.Mutex
	objects map[tree.Hash]object
	size    int
}

func (p *pending) get(h tree.Hash) (object, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, ok := p.objects[h]
	return o, ok
}

// put adds an object and returns the total size of all pending objects.
func (p *pending) put(h tree.Hash, o object) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.objects == nil {
		p.objects = map[tree.Hash]object{}
	}
	if _, ok := p.objects[h]; !ok {
		p.objects[h] = o
		p.size += len(o.data)
	}
	return p.size
}

// drop removes objects that are now stored.
func (p *pending) drop(stored []namedObject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range stored {
		if _, ok := p.objects[o.hash]; ok {
			delete(p.objects, o.hash)
			p.size -= len(o.data)
		}
	}
}

func (p *pending) all() []namedObject {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]namedObject, 0, len(p.objects))
	for h, o := range p.objects {
		out = append(out, namedObject{h, o})
	}
	return out
}

// closure returns the pending objects reachable from roots, including the roots.
func (p *pending) closure(roots []tree.Hash) ([]namedObject, error) {
	seen := map[tree.Hash]bool{}
	var out []namedObject
	todo := roots
	for len(todo) > 0 {
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[h] {
			continue
		}
		seen[h] = true
		o, ok := p.get(h)
		if !ok {
			continue
		}
		out = append(out, namedObject{h, o})
		next, err := links(o)
		if err != nil {
			return nil, addHash(h, err)
		}
		todo = append(todo, next...)
	}
	return out, nil
}

// links returns the objects that o refers to directly.
func links(o object) ([]tree.Hash, error) {
	var out []tree.Hash
	switch o.kind {
	case kindCommit:
		c, err := parseCommit(o.data)
		if err != nil {
			return nil, err
		}
		out = append(append(out, c.Tree), c.Parents...)
	case kindTree:
		entries, err := parseTree(o.data)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			out = append(out, e.hash)
		}
	}
	return out, nil
}
