package workspace

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/tree"
)

// Brings is the id of the proposal whose own file a commit adds to what another one
// holds; empty where it adds none, or several. It is a hint where to look for evidence of
// a merge that a service made, whose message says nothing that counts.
func (w *Workspace) Brings(from, commit tree.Hash) (string, error) {
	before, err := w.Repo.Snapshot(from)
	if err != nil {
		return "", err
	}
	after, err := w.Repo.Snapshot(commit)
	if err != nil {
		return "", err
	}
	changes, err := tree.Diff(before, after, string(names.ProposalsArea))
	if err != nil && !errors.Is(err, tree.ErrTooLarge) {
		return "", err
	}
	return BroughtBy(changes), nil
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
func (w *Workspace) ProposalOf(c gitstore.Commit) (string, error) {
	if id := c.Trailer(attest.ProposalTrailer); id != "" || len(c.Parents) == 0 {
		return id, nil
	}
	return w.Brings(c.Parents[0], c.Hash)
}

// Attestation is what the record has of the merge of a proposal. It is the record's word:
// judging the merge again finds out what it is worth.
func (w *Workspace) Attestation(ctx context.Context, pull forge.Pull) (attest.Attestation, error) {
	activity, err := w.Record.Activity(ctx, pull.ID)
	if err != nil {
		return attest.Attestation{}, err
	}
	c, err := w.Repo.Commit(pull.Merge)
	if err != nil {
		return attest.Attestation{}, err
	}
	att, _, err := attestationOf(activity, c)
	if attest.IsRefusal(err) {
		att.Proposal, err = pull.ID, nil
	}
	return att, err
}

// claim is what the record says of how a commit came to main: by its trailer, where assent
// made it, and by the proposal that it brings, where a service did.
type claim struct {
	pull     forge.Pull
	activity forge.Activity
	att      attest.Attestation
}

func (w *Workspace) claimOf(ctx context.Context, before attest.Standing, c gitstore.Commit) (claim, error) {
	said := c.Trailer(attest.ProposalTrailer)
	out, err := claim{}, attest.Refuse("no proposal stands behind it: it was committed past the gate")
	if said != "" {
		if out, err = w.claimBy(ctx, said, c); !attest.IsRefusal(err) {
			return out, err
		}
	}
	id, failed := w.Brings(before.InForce, c.Hash)
	if failed != nil || id == "" || id == said {
		return out, errors.Join(failed, err)
	}
	brought, why := w.claimBy(ctx, id, c)
	//defence:assent-says-what-it-merged
	if why == nil && !brought.att.Afterwards() {
		why = attest.Refuse("its attestation is that of a merge by assent, and it says nothing of that")
	}
	switch {
	case !attest.IsRefusal(why):
		return brought, why
	case said != "":
		return out, err
	case !brought.announced(c.Hash):
		why = attest.Refuse("nobody attested that it brings the proposal %s: where a service merged it, `assent merge %s` does if the gate allowed it then", id, id)
	}
	return brought, why
}

// announced reports whether the record says anything of a commit.
func (c claim) announced(commit tree.Hash) bool {
	return slices.ContainsFunc(c.activity.Merges, func(m forge.Announcement) bool { return m.Commit == commit })
}

// claimBy reads what one proposal says of a commit.
func (w *Workspace) claimBy(ctx context.Context, id string, c gitstore.Commit) (out claim, err error) {
	if out.pull, out.activity, err = w.evidence(ctx, id); err != nil {
		return out, err
	}
	if out.att, out.activity, err = attestationOf(out.activity, c); err != nil {
		return out, err
	}
	//defence:attested-proposal
	if out.att.Proposal != id {
		return out, attest.Refuse("its attestation is that of proposal %q", out.att.Proposal)
	}
	return out, nil
}
