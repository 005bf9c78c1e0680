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

// History reads the commits of a repository, in force or not.
type History struct{ Repo *gitstore.Repo }

// History reads the commits of the workspace's repository.
func (w *Workspace) History() History { return History{w.Repo} }

// Brings returns the id of the proposal whose own file a commit adds to those in from; empty if it
// adds none, or several. It is a hint where to look for evidence of a merge that a service made,
// because the message of such a merge proves nothing.
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

// adds reports whether commit adds the file of a proposal to those in from. Each merge does, and
// the file stays. An approval binds a change but not the commit it is merged into, so this makes
// it merge once: not again after an undo, whichever version of this program is recorded as having
// judged it.
func (h History) adds(from, commit tree.Hash, id string) (bool, error) {
	changes, err := h.proposalFiles(from, commit)
	own := func(c tree.Change) bool { return c.Added() && path.Base(c.Path) == id+".md" }
	//defence:proposals-merge-once
	if !slices.ContainsFunc(changes, own) {
		return false, err
	}
	return true, err
}

// BroughtBy is Brings for changes that the caller has.
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

// Attestation returns the recorded attestation of a proposal's merge. It is unverified: Rejudge
// verifies it.
func (w *Workspace) Attestation(ctx context.Context, pull forge.Pull) (attest.Attestation, error) {
	c, err := w.Repo.Commit(pull.Merge)
	if err != nil {
		return attest.Attestation{}, err
	}
	found, err := w.claims().first(ctx, pull.ID, c)
	if attest.IsRefusal(err) {
		found.att.Proposal, err = pull.ID, nil
	}
	return found.att, err
}
