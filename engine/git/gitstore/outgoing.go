package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// ErrForGit means that the caller should use the git program instead. The text before it says
// why.
var ErrForGit = errors.New("git does this better")

const (
	// maxWalkBack bounds the commits that walkBack visits before the histories are compared instead.
	maxWalkBack = 256
	// maxPushObjects and maxPushBytes bound a pack that is sent without deltas.
	maxPushObjects = 20_000
	maxPushBytes   = 32 << 20
)

// Known lists objects that another repository has.
type Known struct {
	// Refs are its refs.
	Refs map[string]tree.Hash
	// Others are further commits that it has.
	Others []tree.Hash
}

// Packer makes packs for other repositories.
type Packer struct {
	place   Place
	objects *Objects
}

// Outgoing returns a pack of the objects that the commits wants need and the other side lacks.
// It returns ErrForGit if the pack would be large, or needs features that only git has.
func (pk *Packer) Outgoing(wants []tree.Hash, there Known) ([]byte, error) {
	if _, err := os.Stat(filepath.Join(pk.place.commonDir, "shallow")); err == nil {
		return nil, fmt.Errorf("this clone is shallow: %w", ErrForGit)
	}
	objects, err := pk.missingObjects(there, wants)
	if errors.Is(err, ErrCorrupt) {
		return nil, fmt.Errorf("%w: %w", ErrForGit, err) // malformed objects are left to git; a push does not judge them
	}
	if err != nil {
		return nil, err
	}
	order.Sort(objects, func(a, b namedObject) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	body, index, err := encodePack(objects)
	if err != nil {
		return nil, fmt.Errorf("writing the pack: %w", err)
	}
	finishPack(body, index)
	return body.Bytes(), nil
}

// missingObjects returns the objects that wants need beyond those of the other side. It may return
// more, never less.
func (pk *Packer) missingObjects(there Known, wants []tree.Hash) ([]namedObject, error) {
	for _, h := range wants {
		if k, _, err := pk.objects.header(h); err != nil {
			return nil, err
		} else if k != kindCommit {
			return nil, fmt.Errorf("%s is a %s: %w", h.Short(), k, ErrForGit)
		}
	}
	commits, met, err := pk.walkBack(there, wants)
	if err == nil && !met {
		commits, err = pk.compareHistories(there, wants)
	}
	if err != nil {
		return nil, err
	}
	return pk.collectObjects(commits)
}

// collectObjects returns the objects that commits need beyond those that their uncollected parents
// reach.
func (pk *Packer) collectObjects(commits []Outline) ([]namedObject, error) {
	g := gathering{objects: pk.objects, packed: map[tree.Hash]bool{}, done: map[string]bool{}}
	for _, c := range commits {
		if err := g.commit(c); err != nil {
			return nil, err
		}
	}
	return g.found, nil
}

// walkBack walks from wants back to commits that the other side has. For a proposal on main, or an
// event of a journal, that takes a step or two. It gives up, with met false, after too many
// commits.
func (pk *Packer) walkBack(there Known, wants []tree.Hash) (commits []Outline, met bool, err error) {
	done := map[tree.Hash]bool{}
	for _, h := range there.Refs {
		done[h] = true
	}
	for _, h := range there.Others {
		done[h] = true
	}
	for todo := slices.Clone(wants); len(todo) > 0; {
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if done[h] {
			continue
		}
		done[h] = true
		c, err := pk.objects.Commit(h)
		if err != nil {
			return nil, false, err
		}
		commits = append(commits, c.Outline())
		if len(commits) > maxWalkBack+2*len(wants) {
			return nil, false, nil
		}
		todo = append(todo, c.Parents...)
	}
	return commits, true, nil
}

// compareHistories compares histories: it returns the commits that wants reach and no known branch or
// journal of the other side does.
func (pk *Packer) compareHistories(there Known, wants []tree.Hash) ([]Outline, error) {
	p := newPainter(pk.objects)
	for name, h := range there.Refs {
		if !strings.HasPrefix(name, "refs/heads/") && !strings.HasPrefix(name, "refs/assent/") || !pk.objects.stores.holds(h) {
			continue
		}
		if err := p.exclude(h); err != nil {
			return nil, err
		}
	}
	for _, h := range wants {
		if err := p.mark(h, fromRight); err != nil {
			return nil, err
		}
	}
	out, err := p.included()
	if err != nil {
		return nil, err
	}
	if len(out) > maxPushObjects {
		return nil, fmt.Errorf("%d commits: %w", len(out), ErrForGit)
	}
	return out, nil
}

// holds reports whether the commit h is here. It does not reopen the store, so an object that
// another process has just packed may be reported missing.
func (c *storeCache) holds(h tree.Hash) bool {
	s, err := c.currentStore()
	if err != nil {
		return false
	}
	k, _, ok, err := s.header(h)
	return ok && err == nil && k == kindCommit
}

// gathering collects the objects of commits. The caller guarantees that each parent of a
// collected commit is either collected too or complete on the other side.
//
// Invariant at the end: the pack and the other side together have the closure of every
// collected commit. It holds for a commit if it holds for its parents, because a tree is
// compared with its parents' trees only. Comparisons do not carry over: in a history A, B, A
// the second A is compared with B and adds only that difference. So a comparison may be skipped
// only if the same tree was compared with the same trees before.
type gathering struct {
	objects *Objects
	packed  map[tree.Hash]bool
	done    map[string]bool // comparisons, by comparisonKey
	found   []namedObject
	size    int
}

func (g *gathering) commit(c Outline) error {
	if err := g.add(c.Hash); err != nil {
		return err
	}
	var before []tree.Hash
	for _, h := range c.Parents {
		p, err := g.objects.Commit(h)
		switch {
		case errors.Is(err, ErrNoObject): // only the other side has it: no tree to compare with
		case err != nil:
			return err
		case !slices.Contains(before, p.Tree):
			before = append(before, p.Tree)
		}
	}
	return g.tree(c.Tree, before)
}

// tree collects the objects of h that no tree in before has at the same path. before is in the
// order of the parents.
func (g *gathering) tree(h tree.Hash, before []tree.Hash) error {
	if slices.Contains(before, h) || g.done[comparisonKey(h, nil)] || g.done[comparisonKey(h, before)] {
		return nil
	}
	g.done[comparisonKey(h, before)] = true
	if err := g.add(h); err != nil {
		return err
	}
	entries, err := g.objects.tree(h)
	if err != nil {
		return err
	}
	others := make([][]treeEntry, len(before))
	for i, b := range before {
		if others[i], err = g.objects.tree(b); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if e.mode == tree.Submodule {
			continue
		}
		if err := g.entry(e, others); err != nil {
			return err
		}
	}
	return nil
}

// entry collects one entry of a tree. An entry of the same hash in others covers it only if it
// has the same kind: a submodule names an object of another repository.
func (g *gathering) entry(e treeEntry, others [][]treeEntry) error {
	var below []tree.Hash
	for _, o := range others {
		was, ok := named(o, e.name)
		if !ok || was.mode == tree.Submodule || (was.mode == tree.Dir) != (e.mode == tree.Dir) {
			continue
		}
		if was.hash == e.hash {
			return nil
		}
		if e.mode == tree.Dir && !slices.Contains(below, was.hash) {
			below = append(below, was.hash)
		}
	}
	if e.mode == tree.Dir {
		return g.tree(e.hash, below)
	}
	return g.add(e.hash)
}

// comparisonKey identifies the comparison of a tree with others.
func comparisonKey(h tree.Hash, before []tree.Hash) string {
	key := make([]byte, 0, len(h)*(1+len(before)))
	key = append(key, h[:]...)
	for _, b := range before {
		key = append(key, b[:]...)
	}
	return string(key)
}

func (g *gathering) add(h tree.Hash) error {
	if g.packed[h] {
		return nil
	}
	g.packed[h] = true
	o := object{kind: kindTree} // the empty tree, which is stored nowhere
	if h != emptyTree() {
		var err error
		if o, err = g.objects.object(h, blobBounds(maxPushBytes)); err != nil {
			return err
		}
	}
	g.found = append(g.found, namedObject{h, o})
	if g.size += len(o.data); len(g.found) > maxPushObjects || g.size > maxPushBytes {
		return fmt.Errorf("more than %d objects or %d MiB: %w", maxPushObjects, maxPushBytes>>20, ErrForGit)
	}
	return nil
}
