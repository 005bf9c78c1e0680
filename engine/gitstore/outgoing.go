package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/tree"
)

// ErrForGit says that the git program does this better: why is in front of it.
var ErrForGit = errors.New("git does this better")

const (
	// maxNear is how many commits are walked in the hope to meet one that the remote
	// named, before the two histories are compared properly.
	maxNear = 256
	// maxPushObjects and maxPushBytes bound what is sent without looking for deltas.
	maxPushObjects = 20_000
	maxPushBytes   = 32 << 20
)

// Known is what another repository has, as far as it told.
type Known struct {
	// Refs are its refs.
	Refs map[string]tree.Hash
	// Others are further commits that it has.
	Others []tree.Hash
}

// Outgoing returns a pack of what wants, which are commits, need beyond what is
// there. ErrForGit when it is large, or about what only git understands.
func (r *Repo) Outgoing(wants []tree.Hash, there Known) ([]byte, error) {
	if _, err := os.Stat(filepath.Join(r.commonDir, "shallow")); err == nil {
		return nil, fmt.Errorf("this clone is shallow: %w", ErrForGit)
	}
	objects, err := r.lacking(there, wants)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(objects, func(a, b namedObject) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	body, index, err := encodePack(objects)
	if err != nil {
		return nil, fmt.Errorf("writing the pack: %w", err)
	}
	finishPack(body, index)
	return body.Bytes(), nil
}

// lacking returns what wants need beyond what the other side has. It may return
// more than that, never less.
func (r *Repo) lacking(there Known, wants []tree.Hash) ([]namedObject, error) {
	for _, h := range wants {
		if k, _, err := r.header(h); err != nil {
			return nil, err
		} else if k != kindCommit {
			return nil, fmt.Errorf("%s is a %s: %w", h.Short(), k, ErrForGit)
		}
	}
	commits, met, err := r.near(there, wants)
	if err == nil && !met {
		commits, err = r.beyond(there, wants)
	}
	if err != nil {
		return nil, err
	}
	g := gathering{repo: r, seen: map[tree.Hash]bool{}}
	for _, c := range commits {
		if err := g.commit(c); err != nil {
			return nil, err
		}
	}
	return g.objects, nil
}

// near walks back from wants to commits that the other side named: for a proposal
// on what is in force, and for events on a journal, that is a step or two. It gives
// up when it meets too many others.
func (r *Repo) near(there Known, wants []tree.Hash) (commits []Commit, met bool, err error) {
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
		c, err := r.Commit(h)
		if err != nil {
			return nil, false, err
		}
		commits = append(commits, c)
		if len(commits) > maxNear+2*len(wants) {
			return nil, false, nil
		}
		todo = append(todo, c.Parents...)
	}
	return commits, true, nil
}

// beyond compares the histories: what wants reach and no branch or journal that we
// know of the other side does.
func (r *Repo) beyond(there Known, wants []tree.Hash) ([]Commit, error) {
	p := newPainter(r)
	for name, h := range there.Refs {
		if !strings.HasPrefix(name, "refs/heads/") && !strings.HasPrefix(name, "refs/assent/") || !r.holds(h) {
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

// holds reports whether the commit h is here, without looking twice: what somebody
// else has just packed away may be taken for missing.
func (r *Repo) holds(h tree.Hash) bool {
	s, err := r.currentStore()
	if err != nil {
		return false
	}
	k, _, ok, err := s.header(h)
	return ok && err == nil && k == kindCommit
}

// gathering collects the objects of commits whose parents' objects are there, or
// are collected as well.
type gathering struct {
	repo    *Repo
	seen    map[tree.Hash]bool
	objects []namedObject
	size    int
}

func (g *gathering) commit(c Commit) error {
	if err := g.add(c.Hash); err != nil {
		return err
	}
	var before []tree.Hash
	for _, h := range c.Parents {
		p, err := g.repo.Commit(h)
		switch {
		case errors.Is(err, ErrNoObject): // the other side has it, and we do not: nothing to compare with
		case err != nil:
			return err
		default:
			before = append(before, p.Tree)
		}
	}
	return g.tree(c.Tree, before)
}

// tree collects what h holds and none of the trees before holds at the same place.
func (g *gathering) tree(h tree.Hash, before []tree.Hash) error {
	if g.seen[h] || slices.Contains(before, h) {
		return nil
	}
	if err := g.add(h); err != nil {
		return err
	}
	entries, err := g.repo.tree(h)
	if err != nil {
		return err
	}
	others := make([][]treeEntry, len(before))
	for i, b := range before {
		if others[i], err = g.repo.tree(b); err != nil {
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

func (g *gathering) entry(e treeEntry, others [][]treeEntry) error {
	var below []tree.Hash
	for _, o := range others {
		was, ok := named(o, e.name)
		switch {
		case ok && was.hash == e.hash:
			return nil
		case ok && was.mode == tree.Dir:
			below = append(below, was.hash)
		}
	}
	if e.mode == tree.Dir {
		return g.tree(e.hash, below)
	}
	return g.add(e.hash)
}

func (g *gathering) add(h tree.Hash) error {
	if g.seen[h] {
		return nil
	}
	g.seen[h] = true
	o := object{kind: kindTree} // the empty tree, which is nowhere stored
	if h != emptyTree() {
		var err error
		if o, err = g.repo.object(h); err != nil {
			return err
		}
	}
	g.objects = append(g.objects, namedObject{h, o})
	if g.size += len(o.data); len(g.objects) > maxPushObjects || g.size > maxPushBytes {
		return fmt.Errorf("more than %d objects or %d MiB: %w", maxPushObjects, maxPushBytes>>20, ErrForGit)
	}
	return nil
}
