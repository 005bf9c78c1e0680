package workspace

import (
	"sync"
	"sync/atomic"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// loaded caches policies by the tree that they were read from: a walk over history needs
// the same ones at every step, and reading them is a large part of judging a small merge.
type loaded struct {
	mu sync.Mutex
	// examined counts the validations of merge results: each takes most of a merge's time.
	examined atomic.Int64
	// newest is the newest version of the merges up to each one that was judged, see believed.
	newest map[tree.Hash]string
	// objections are those of the present observation.
	objections *objections
}

// observing begins an observation, which reads the objections to proposals again.
func (l *loaded) observing() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.objections = nil
}

// objectionsNow returns the objections of the present observation.
func (l *loaded) objectionsNow() *objections {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.objections == nil {
		l.objections = &objections{}
	}
	return l.objections
}

// maxLoaded bounds how many are remembered. It is more than a history of changing
// policies needs at a time.
const maxLoaded = 16

// PolicyCache keeps policies, by their folder's hash. The zero value is ready. Openings of a workspace by one
// program may share it.
type PolicyCache struct {
	mu sync.Mutex
	of map[tree.Hash]policy.Policies
}

// PoliciesAt reads the policies of a tree. They must not be changed.
func (w *Workspace) PoliciesAt(view *gitstore.Snapshot) (policy.Policies, diag.List) {
	dir, err := view.Lookup(string(names.PoliciesArea))
	if err != nil {
		return policy.Load(view)
	}
	w.PolicyCache.mu.Lock()
	defer w.PolicyCache.mu.Unlock()
	if p, ok := w.PolicyCache.of[dir.Hash]; ok {
		return p, nil
	}
	p, diags := policy.Load(view)
	if len(diags) > 0 { // they may be of a disk that fails now and not later
		return p, diags
	}
	if len(w.PolicyCache.of) >= maxLoaded || w.PolicyCache.of == nil {
		w.PolicyCache.of = map[tree.Hash]policy.Policies{}
	}
	w.PolicyCache.of[dir.Hash] = p
	return p, nil
}
