package workspace

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// History is what the commits of a repository show, whether they are in force or not.
type History struct{ Repo *gitstore.Repo }

// History is what the commits of the workspace's repository show.
func (w *Workspace) History() History { return History{w.Repo} }

// Brings is the id of the proposal whose own file a commit adds to what another one
// holds; empty where it adds none, or several. It is a hint where to look for evidence of
// a merge that a service made, whose message says nothing that counts.
func (h History) Brings(from, commit tree.Hash) (string, error) {
	changes, err := h.proposalFiles(from, commit)
	return BroughtBy(changes), err
}

// proposalFiles compares the files of proposals in two commits; none if there are too many.
func (h History) proposalFiles(from, commit tree.Hash) ([]tree.Change, error) {
	before, err := h.Repo.Snapshot(from)
	if err != nil {
		return nil, err
	}
	after, err := h.Repo.Snapshot(commit)
	if err != nil {
		return nil, err
	}
	changes, err := tree.Diff(before, after, string(names.ProposalsArea))
	if errors.Is(err, tree.ErrTooLarge) {
		return nil, nil
	}
	return changes, err
}

// adds reports whether a commit adds the file of a proposal to what another one holds. Each
// merge does, and the file stays. So approvals, which bind a change but not what it is merged
// into, bring it into force once: not again after it was undone, whatever version of this
// program is said to have judged it.
func (h History) adds(from, commit tree.Hash, id string) (bool, error) {
	changes, err := h.proposalFiles(from, commit)
	own := func(c tree.Change) bool { return c.Added() && path.Base(c.Path) == id+".md" }
	//defence:proposals-merge-once
	if !slices.ContainsFunc(changes, own) {
		return false, err
	}
	return true, err
}

// BroughtBy is Brings of a difference that is known already.
func BroughtBy(changes []tree.Change) string {
	found := ""
	for _, c := range changes {
		id, isText := strings.CutSuffix(path.Base(c.Path), ".md")
		switch {
		case !c.Added() || !isText || names.Area(c.Path) != names.ProposalsArea || !forge.IsID(id):
		case found != "":
			return ""
		default:
			found = id
		}
	}
	return found
}

// ProposalOf is the proposal that a commit on main names, or brings where it names none;
// empty for other work. It is a hint.
func (h History) ProposalOf(c gitstore.Commit) (string, error) {
	if id := attest.ProposalNamed(c); id != "" || len(c.Parents) == 0 {
		return id, nil
	}
	return h.Brings(c.Parents[0], c.Hash)
}

// Attestation is what the record has of the merge of a proposal. It is the record's word:
// judging the merge again finds out what it is worth.
func (w *Workspace) Attestation(ctx context.Context, pull forge.Pull) (attest.Attestation, error) {
	c, err := w.Repo.Commit(pull.Merge)
	if err != nil {
		return attest.Attestation{}, err
	}
	said, err := w.claims().shown(ctx, pull.ID, c)
	if attest.IsRefusal(err) {
		said.att.Proposal, err = pull.ID, nil
	}
	return said.att, err
}
