package workspace

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Branch returns the changes of each commit between base and head, oldest first, for Input.Branch.
// In a merge, content that all parents but one had belongs to that parent.
func (h History) Branch(base, head tree.Hash) func() ([]validate.Brought, error) {
	return func() ([]validate.Brought, error) {
		commits, err := h.Repo.Between(base, head)
		if err != nil {
			return nil, err
		}
		slices.Reverse(commits)
		var out []validate.Brought
		for _, c := range commits {
			brought, err := h.brought(c)
			if err != nil {
				return nil, err
			}
			if out = append(out, brought...); len(out) > validate.MaxBrought {
				break
			}
		}
		return out, nil
	}
}

// brought are the files of a commit that none of its parents has as they are.
func (h History) brought(c gitstore.Outline) ([]validate.Brought, error) {
	now, err := h.Repo.Snapshot(c.Hash)
	if err != nil {
		return nil, err
	}
	parents := []tree.View{}
	for _, p := range c.Parents {
		view, err := h.Repo.Snapshot(p)
		if err != nil {
			return nil, err
		}
		parents = append(parents, view)
	}
	if len(parents) == 0 {
		parents = append(parents, tree.NewMap())
	}
	changes, err := tree.Diff(parents[0], now)
	if err != nil {
		return nil, err
	}
	var out []validate.Brought
	for _, ch := range changes {
		if ch.Removed() || !ch.New.Mode.IsFile() || ch.Old.Hash == ch.New.Hash {
			continue
		}
		if !slices.ContainsFunc(parents[1:], func(v tree.View) bool {
			e, err := v.Lookup(ch.Path)
			return err == nil && e.Hash == ch.New.Hash
		}) {
			out = append(out, validate.Brought{Commit: c.Hash, Change: ch, Read: h.Repo.Blob})
		}
	}
	return out, nil
}
