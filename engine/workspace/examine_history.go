package workspace

import (
	"errors"
	"io/fs"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// historyCommits bounds how many merges are searched for earlier contents.
const historyCommits = 500

// earlier answers which blobs a path had on main before, newest first, as far back
// as the workspace goes.
func (h History) earlier(from, genesis tree.Hash) func(string) ([]validate.Earlier, error) {
	return func(path string) ([]validate.Earlier, error) {
		var out []validate.Earlier
		var next gitstore.Commit // the child of the commit looked at
		seen := 0
		err := h.Repo.Lineage(from, func(c gitstore.Commit) (bool, error) {
			by := next
			next = c
			seen++
			more := seen < historyCommits && c.Hash != genesis
			view, err := h.Repo.Snapshot(c.Tree)
			if err != nil {
				return false, err
			}
			e, err := view.Lookup(path)
			if errors.Is(err, fs.ErrNotExist) || gitstore.IsBadObject(err) { // such a commit was blocked
				return more, nil
			}
			if err == nil && (len(out) == 0 || out[len(out)-1].Hash != e.Hash) {
				out = append(out, validate.Earlier{
					Hash: e.Hash, Read: func() ([]byte, error) { return view.Read(path) },
					Replaced: func() string {
						id, _ := h.ProposalOf(by) // for a hint: none is known for a commit past the gate
						if !forge.IsID(id) {
							return ""
						}
						return id
					},
				})
			}
			return more, err
		})
		return out, err
	}
}

// mergeCommits bounds how many commits are searched for a merge to undo.
const mergeCommits = 10_000

// mergeOf finds the merge of a proposal: the commit in force that adds its file. ProposalOf is a
// hint, because anyone can name a proposal in a commit of other work.
func (h History) mergeOf(from, genesis tree.Hash) func(string) (*validate.Merged, error) {
	return func(id string) (*validate.Merged, error) {
		var out *validate.Merged
		seen := 0
		err := h.Repo.Lineage(from, func(c gitstore.Commit) (bool, error) {
			seen++
			named, err := h.ProposalOf(c)
			if err != nil || named != id || attest.ProposalNamed(c) != "" && len(c.Parents) != 2 {
				return seen < mergeCommits && c.Hash != genesis, err
			}
			//defence:undone-merges-bring-their-proposal
			if adds, err := h.adds(c.Parents[0], c.Hash, id); err != nil || !adds {
				return seen < mergeCommits && c.Hash != genesis, err
			}
			before, err := h.Repo.Snapshot(c.Parents[0])
			if err != nil {
				return false, err
			}
			after, err := h.Repo.Snapshot(c.Hash)
			out = &validate.Merged{Before: before, After: after}
			return false, err
		})
		return out, err
	}
}
