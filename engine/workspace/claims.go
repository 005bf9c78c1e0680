package workspace

import (
	"context"
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// maxClaims bounds the announcements of one commit that are judged: at each place of the
// journal those by each listed person, and those by others. Any pusher can announce any commit.
const maxClaims = 8

// claim is one announcement of a commit in the journal of a proposal.
type claim struct {
	local.Announced
	proposal string
	att      attest.Attestation
	// why refuses a claim that cannot be about the commit.
	why error
}

// read returns the proposal as of the announcement in its journal.
func (c claim) read() (forge.Pull, forge.Activity, error) {
	pull, activity, err := c.Read()
	var damaged *forge.Damaged
	if errors.As(err, &damaged) {
		err = attest.Restorable(bringBack(c.proposal), "%v", damaged)
	}
	return pull, activity, err
}

// bringBack says how the evidence of a proposal comes back.
func bringBack(id string) string {
	return "restore the journal of " + id + ": assent doctor --fix --remote, or `assent push` in a clone that has it and `assent pull` here; docs/audit.md says under Breaks how to go on if no clone has it"
}

// claimed is what the record says of how a commit came to main: by its trailer, where
// assent made it, and by the proposal that it brings, where a service did.
type claimed struct {
	claims []claim
	// proposal is the one whose journal was read first, why a refusal that says why
	// nothing in it makes the commit a merge.
	proposal string
	why      error
}

// claimReader reads what the journals of proposals claim of commits.
type claimReader struct{ w *Workspace }

func (w *Workspace) claims() claimReader { return claimReader{w} }

// of collects what is claimed of a commit. An error is a failure to find out.
func (r claimReader) of(ctx context.Context, from tree.Hash, roles policy.Roles, c gitstore.Commit) (claimed, error) {
	said := attest.ProposalNamed(c)
	out := claimed{proposal: said, why: attest.Refuse("no proposal stands behind it: it was committed past the gate")}
	if said != "" {
		claims, why, err := r.by(ctx, said, roles, c)
		if err != nil {
			return out, err
		}
		out.claims, out.why = claims, why
	}
	id, err := r.w.History().Brings(from, c.Hash)
	if err != nil || id == "" || id == said {
		return out, err
	}
	brought, why, err := r.by(ctx, id, roles, c)
	if err != nil {
		return out, err
	}
	for i, b := range brought {
		//defence:assent-says-what-it-merged
		if b.why == nil && !b.att.Afterwards() {
			brought[i].why = attest.Refuse("its attestation is that of a merge by assent, and it says nothing of that")
		}
	}
	out.claims = append(out.claims, brought...)
	if said == "" {
		out.proposal, out.why = id, why
		if len(brought) == 0 {
			out.why = attest.Refuse("nobody attested that it brings the proposal %s: where a service merged it, `assent merge %s` does if the gate allowed it then", id, id)
		}
	}
	return out, nil
}

// by reads what one proposal says of a commit: claims by keys that roles list come
// first, then the others, each oldest first. why says why there is none.
func (r claimReader) by(ctx context.Context, id string, roles policy.Roles, c gitstore.Commit) (claims []claim, why, err error) {
	told, damage, err := r.w.Record.Announced(ctx, id, c.Hash)
	switch {
	case errors.Is(err, forge.ErrNotFound) && !forge.IsID(id):
		return nil, attest.Refuse("%q is not the id of a proposal", id), nil
	case errors.Is(err, forge.ErrNotFound):
		return nil, attest.Restorable(bringBack(id), "the journal of proposal %s is not here; fetch it with: git fetch origin 'refs/assent/*:refs/assent/*'", id), nil
	case err != nil:
		return nil, nil, err
	case len(told) == 0 && damage != nil:
		return nil, attest.Restorable(bringBack(id), "%v", damage), nil
	case len(told) == 0 && len(c.Parents) > 1 && attest.ProposalNamed(c) == id: // its journal may have been cut short
		return nil, attest.Restorable(bringBack(id)+"; if no clone has it, the commit was made past the gate, and is to be taken back",
			"its pull request does not announce this commit: it was not merged by assent"), nil
	case len(told) == 0:
		return nil, attest.Refuse("its pull request does not announce this commit: it was not merged by assent"), nil
	}
	return judgeable(told, id, roles, c), nil, nil
}

// judgeable are the announcements to judge. A copy of an honest one in a forged journal differs
// only in the events before it, such as a review left out, and there can be any number. At the
// place of the honest one all copies are above it: it existed first. So the oldest of each
// attestation is kept at each place, and neither copies nor other signers crowd it out.
func judgeable(told []local.Announced, id string, roles policy.Roles, c gitstore.Commit) []claim {
	type group struct {
		place   int
		by      string // empty if no listed key signed it
		unfit   bool   // not about the commit
		content string // of the attestation, for copies
	}
	kept, copies := map[group]int{}, map[group]bool{}
	var listed, others, unfit []claim
	for _, a := range told {
		one, g := claim{Announced: a, proposal: id}, group{place: a.Place}
		one.att, one.why = attestationIn(a.Attestation, id)
		if g.unfit = one.why != nil || !ofCommit(one.att, c); !g.unfit {
			g.by = announcer(roles, a.Announcement)
		}
		same := g
		same.content = string(a.Attestation)
		//defence:copies-crowd-out-nothing
		if copies[same] || kept[g] == maxClaims {
			continue
		}
		kept[g]++
		copies[same] = true
		switch {
		case g.unfit:
			unfit = append(unfit, one)
		case g.by != "":
			listed = append(listed, one)
		default:
			others = append(others, one)
		}
	}
	//defence:an-earlier-announcement-hides-nothing
	return slices.Concat(listed, others, unfit[:min(len(unfit), maxClaims)])
}

// attestationIn reads the attestation of an announcement in the journal of a proposal.
func attestationIn(data []byte, id string) (attest.Attestation, error) {
	att, err := attest.Decode(data)
	if err != nil {
		return att, attest.Refuse("its attestation cannot be read: %v", err)
	}
	//defence:attested-proposal
	if att.Proposal != id {
		return att, attest.Refuse("its attestation is that of proposal %q", att.Proposal)
	}
	return att, nil
}

// ofCommit reports whether an attestation is about a commit. The signature names tree and
// parents only, so that a copy of it beside another commit says nothing about that.
func ofCommit(att attest.Attestation, c gitstore.Commit) bool {
	return c.Tree == att.Tree && (slices.Equal(c.Parents, []tree.Hash{att.Base, att.Head}) ||
		att.Afterwards() && slices.Equal(c.Parents, []tree.Hash{att.Base}))
}

// announcer names whose listed key signed an announcement; empty where none did.
func announcer(roles policy.Roles, a forge.Announcement) string {
	if len(a.Signature) == 0 {
		return ""
	}
	key, err := review.VerifyAttestation(a.Attestation, a.Signature)
	if err != nil {
		return ""
	}
	id, _ := roles.ByKey(key)
	return id.Name
}

// stoodFor returns the identity, listed in roles, whose key vouches for a commit as a merge.
// The key signed an announcement of it, or the commit's trailer names it and the journal
// lacks the announcement. Empty if there is none.
func (f claimed) stoodFor(roles policy.Roles, c gitstore.Commit) string {
	for _, one := range f.claims {
		if one.why != nil || !ofCommit(one.att, c) {
			continue
		}
		if by := announcer(roles, one.Announcement); by != "" {
			return by
		}
	}
	//defence:a-missing-announcement-is-a-break
	if id, known := roles.ByKey(review.Fingerprint(c.Trailer(attest.AttesterTrailer))); known {
		return id.Name
	}
	return ""
}

// refusal is why a commit is refused, with what makes it a break. A key counts that the
// roles in force list, or those on main in front of the commit: the merge that listed the
// key may have been voided before. A commit that no listed key stands for is like any
// commit past the gate.
func (r claimReader) refusal(f claimed, inForce policy.Roles, c gitstore.Commit, why error) error {
	var refused *attest.Refusal
	if !errors.As(why, &refused) {
		return why
	}
	out := *refused
	out.Proposal = f.proposal
	// A commit dated ahead was never in force for a clock that is right. It can be taken back.
	if c.Committer.When.After(r.w.Now().Add(skew)) {
		return &out
	}
	onMain, err := r.rolesBefore(c)
	if err != nil {
		return err
	}
	all := []policy.Roles{inForce}
	//defence:keys-on-main-make-breaks
	all = append(all, onMain)
	for _, roles := range all {
		//defence:counted-merges-break
		if by := f.stoodFor(roles, c); by != "" {
			out.Break, out.AnnouncedBy = true, by
			break
		}
	}
	return &out
}

// rolesBefore are the roles in the first parent of a commit, in force or not.
func (r claimReader) rolesBefore(c gitstore.Commit) (policy.Roles, error) {
	if len(c.Parents) == 0 {
		return policy.Roles{}, nil
	}
	before, err := r.w.Repo.Snapshot(c.Parents[0])
	if gitstore.IsBadObject(err) {
		return policy.Roles{}, nil
	}
	if err != nil {
		return policy.Roles{}, err
	}
	policies, _ := r.w.PoliciesAt(before)
	return policies.Roles, nil
}

// shown is the announcement that tells most about a merge which is only shown: the
// first of those that would be judged. Whether it is right, Rejudge finds out.
func (r claimReader) shown(ctx context.Context, id string, c gitstore.Commit) (claim, error) {
	roles, err := r.rolesBefore(c)
	if err != nil {
		return claim{}, err
	}
	claims, why, err := r.by(ctx, id, roles, c)
	switch {
	case err != nil:
		return claim{}, err
	case why != nil:
		return claim{}, why
	}
	return claims[0], claims[0].why
}
