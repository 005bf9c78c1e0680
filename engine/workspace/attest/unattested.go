package attest

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Unattested is a commit that the gate never allowed.
type Unattested struct {
	Commit  tree.Hash `json:"commit"`
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	// Paths are the first governed paths that it changed.
	Paths []string `json:"paths"`
	// Why is the missing or wrong evidence.
	Why string `json:"why"`
	// Proposal is the recorded proposal of the commit; empty if there is none.
	Proposal string `json:"proposal"`
	// Break reports that a listed key vouches for the commit as a merge, and that it is refused
	// nevertheless; AnnouncedBy is the key's owner. Reverting the commit does not clear a break,
	// see Standing.Break.
	Break       bool   `json:"break"`
	AnnouncedBy string `json:"announced_by,omitempty"`
	// Bypassed is the announced merge that main's first-parent line lacks, if the commit is a
	// break for that reason, see Observe.
	Bypassed tree.Hash `json:"bypassed,omitzero"`
	// Reanchor is the key of a re-anchor that was not accepted here, see Standing.Halt.
	Reanchor string `json:"reanchor,omitempty"`
	// ToResolve is the remedy for a break; empty for other commits.
	ToResolve string `json:"to_resolve,omitempty"`
	// Restore says how to bring back the evidence of a merge that may be honest; empty if
	// the commit was not announced. Such a commit is not reverted, since the merge would be lost.
	Restore string `json:"restore,omitempty"`
	// Merge reports whether it is a merge commit.
	Merge bool `json:"-"`
	// Back is the commit in force before an unreadable one; zero for others.
	Back tree.Hash `json:"-"`
}

// Remedy says how to go on. The invariant: only a commit without any announcement, or with whole
// and insufficient evidence, is ever to be reverted.
func (u Unattested) Remedy() string {
	//defence:honest-merges-are-restored
	switch {
	case u.Restore != "":
		return u.Restore
	case u.Break:
		return u.WaysOut()
	case !u.Back.IsZero(): // git's own commands may fail on unreadable or vast trees
		return u.revert() + " takes it back, in every clone whose main has it and on the hub; assent pull follows"
	case slices.ContainsFunc(u.Paths, func(p string) bool { return strings.HasPrefix(p, string(names.ProposalsArea)+"/") }):
		return u.revert() + " takes it back; it changes proposals/, which assent alone writes, so propose the rest again with assent propose or assent undo"
	}
	return "assent adopt puts it through the gate; " + u.revert() + " takes it back"
}

// revert is the command that takes it back: of a merge commit, Git wants to know which
// parent stays. A commit that cannot be read leaves main with all that follows it. Hashes are whole:
// git takes a tag before a commit whose hash begins so, and anyone who can push makes tags.
func (u Unattested) revert() string {
	//defence:printed-commits-are-whole
	back, commit := names.ShellWord(u.Back.String()), names.ShellWord(u.Commit.String())
	if !u.Back.IsZero() {
		return "git update-ref " + MainRef + " " + back
	}
	if u.Merge {
		return "git revert -m 1 " + commit
	}
	return "git revert " + commit
}
