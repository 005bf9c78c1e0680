package workspace

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// taught is an entry of a learned list. A capability that is learned again has another day.
type taught struct{ file, name, day string }

// taughtIn reads the learned lists of a tree. It does not look for the folders of capabilities, which
// could need an index.
func taughtIn(v tree.View) (map[taught]bool, error) {
	out := map[taught]bool{}
	agents, err := v.List(string(names.SoulArea))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	for _, a := range agents {
		file := a.Path + "/SOUL.md"
		src, readErr := v.Read(file)
		if !errors.Is(readErr, fs.ErrNotExist) {
			err = errors.Join(err, readErr)
		}
		entries, _ := soul.ReadLearned(src) // an entry that cannot be read names nothing
		for _, e := range entries {
			out[taught{file, names.Fold(e.Name), e.Learned}] = true
		}
	}
	return out, err
}

// Brought returns the folded names of the capabilities that agents brought in: those in the learned lists of
// a tree, without the entries that the commit which began the workspace added. These belong to the examples of
// init. Entries that the repository had before that commit count.
func Brought(s Session, v tree.View) (map[string]bool, error) {
	all, err := taughtIn(v)
	if err != nil || len(all) == 0 {
		return map[string]bool{}, err
	}
	first, err := begunWith(s.Repo, s.Genesis)
	if err != nil {
		return nil, fmt.Errorf("read the learned lists with which the workspace began: %w", err)
	}
	out := map[string]bool{}
	for e := range all {
		if !first[e] {
			out[e.name] = true
		}
	}
	return out, nil
}

// begunWith returns the entries that the first commit of a workspace added.
func begunWith(repo *gitstore.Repo, genesis tree.Hash) (map[taught]bool, error) {
	c, err := repo.Commit(genesis)
	if err != nil {
		return nil, err
	}
	v, err := repo.Snapshot(genesis)
	if err != nil {
		return nil, err
	}
	out, err := taughtIn(v)
	if err != nil || len(c.Parents) == 0 {
		return out, err
	}
	if v, err = repo.Snapshot(c.Parents[0]); err != nil {
		return nil, err
	}
	before, err := taughtIn(v)
	for e := range before {
		delete(out, e)
	}
	return out, err
}

// Synthesised counts the capabilities in force that agents brought in; limits.yaml bounds them.
func Synthesised(s Session) (int, error) {
	found, err := Brought(s, s.View)
	return len(found), err
}
