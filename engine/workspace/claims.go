package workspace

import (
	"context"
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// maxClaims bounds the announcements of one commit that are judged: for each place in the journal,
// per listed signer and for all others together. Any pusher can announce any commit.
const maxClaims = 8

// claim is one announcement of a commit in the journal of a proposal.
//
// Only loaded fills the announcement's evidence and att, for the claim that is judged next: a
// journal holds any number of claims.
type claim struct {
	local.Announced
	proposal string
	att      attest.Attestation
	// key is the key that signed the attestation; empty if none did.
	key review.Fingerprint
	// fits is set if the attestation is about the commit, after if it says that a service made it.
	fits, after bool
	// why is the reason to refuse a claim that cannot be about the commit.
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

// loaded returns the claim with its evidence.
func (c claim) loaded() (claim, error) {
	var why, err error
	c.Announced, err = c.Load()
	switch {
	case unreadable(err):
		why, err = attest.Refuse("its attestation cannot be read: %v", err), nil
	case err == nil:
		c.att, why = attestationIn(c.Attestation, c.proposal)
	}
	if c.why == nil {
		c.why = why
	}
	return c, err
}

// bringBack returns instructions to restore the evidence of a proposal.
func bringBack(id string) string {
	return "restore the journal of " + id + ": assent doctor --fix --remote, or `assent push` in a clone that has it and `assent pull` here; docs/audit.md says under Breaks how to go on if no clone has it"
}

// orTakeBack continues bringBack for a commit that may never have been a merge.
const orTakeBack = "; if no clone has it, the commit was made past the gate, and is to be taken back"

// claimed holds the recorded claims about how a commit came to main. The proposal is named by the
// commit's trailer (a merge by assent) or by the file it adds (a merge by a service).
type claimed struct {
	claims []claim
	// proposal is the one whose journal was read first. why is the refusal if no claim makes the
	// commit a merge.
	proposal string
	why      error
}

// claimReader reads claims about commits from the journals of proposals.
type claimReader struct{ w *Workspace }

func (w *Workspace) claims() claimReader { return claimReader{w} }

// forCommit collects the claims about a commit. An error is a failure to read them.
func (r claimReader) forCommit(ctx context.Context, from tree.Hash, roles policy.Roles, c gitstore.Commit) (claimed, error) {
	named := attest.ProposalNamed(c)
	out := claimed{proposal: named, why: attest.Refuse("it belongs to no proposal: it was committed past the gate")}
	if named != "" {
		claims, why, err := r.inJournal(ctx, named, roles, c)
		if err != nil {
			return out, err
		}
		out.claims, out.why = claims, why
	}
	id, err := r.w.History().Brings(from, c.Hash)
	if err != nil || id == "" || id == named {
		return out, err
	}
	brought, why, err := r.inJournal(ctx, id, roles, c)
	if err != nil {
		return out, err
	}
	for i, b := range brought {
		//defence:assent-says-what-it-merged
		if b.why == nil && !b.after {
			brought[i].why = attest.Refuse("its attestation claims a merge by assent, but the commit's trailer does not")
		}
	}
	out.claims = append(out.claims, brought...)
	if named == "" {
		out.proposal, out.why = id, why
		if len(brought) == 0 {
			out.why = attest.Refuse("no attestation says that it merges proposal %s; if a service merged it, `assent merge %s` attests it if the gate allowed it then", id, names.ShellWord(id))
		}
	}
	return out, nil
}

// inJournal reads the claims of one proposal's journal about a commit: first those signed with
// keys that roles list, then the others, each oldest first. why says why there are none.
func (r claimReader) inJournal(ctx context.Context, id string, roles policy.Roles, c gitstore.Commit) (claims []claim, why, err error) {
	announced, damage, err := r.w.Record.Announced(ctx, id, c.Hash)
	switch {
	case errors.Is(err, forge.ErrNotFound) && !forge.IsID(id):
		return nil, attest.Refuse("%q is not the id of a proposal", id), nil
	case errors.Is(err, forge.ErrNotFound):
		return nil, attest.Restorable(bringBack(id), "the journal of proposal %s is not here; fetch it with: git fetch origin 'refs/assent/*:refs/assent/*'", id), nil
	case err != nil:
		return nil, nil, err
	case len(announced) == 0 && damage != nil:
		return nil, attest.Restorable(bringBack(id), "%v", damage), nil
	case len(announced) == 0 && len(c.Parents) > 1 && attest.ProposalNamed(c) == id: // its journal may be truncated
		return nil, attest.Restorable(bringBack(id)+orTakeBack, "its pull request does not announce this commit: it was not merged by assent"), nil
	case len(announced) == 0:
		return nil, attest.Refuse("its pull request does not announce this commit: it was not merged by assent"), nil
	}
	claims, err = judgeable(announced, id, roles, c)
	return claims, nil, err
}

// judgeable selects the announcements to judge. A copy of an honest one in a forged journal
// differs only in the events before it, such as a review left out, and there can be any number.
// Where the honest one is, all copies come later: it existed first. So the oldest of each
// attestation is kept at each place, and neither copies nor other signers crowd it out.
func judgeable(announced []local.Announced, id string, roles policy.Roles, c gitstore.Commit) ([]claim, error) {
	type group struct {
		place   int
		by      string    // empty if no listed key signed it
		unfit   bool      // not about the commit
		content tree.Hash // of the attestation, for copies
	}
	kept, copies := map[group]int{}, map[group]bool{}
	var listed, others, unfit []claim
	for _, a := range announced {
		one, err := outlined(a, id, c)
		if err != nil {
			return nil, err
		}
		g := group{place: a.Place, unfit: !one.fits}
		if one.fits {
			g.by = announcer(roles, one.key)
		}
		same := g
		same.content = a.Content
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
	return slices.Concat(listed, others, unfit[:min(len(unfit), maxClaims)]), nil
}

// outlined reads a claim about a commit, and leaves out its evidence.
func outlined(a local.Announced, id string, c gitstore.Commit) (claim, error) {
	one, err := claim{Announced: a, proposal: id}.loaded()
	one.fits, one.after = one.why == nil && ofCommit(one.att, c), one.att.Afterwards()
	if one.fits && len(one.Signature) > 0 {
		if key, err := review.VerifyAttestation(one.Attestation, one.Signature); err == nil {
			one.key = key
		}
	}
	one.att, one.Announced = attest.Attestation{}, a
	return one, err
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

// ofCommit reports whether an attestation is about a commit. Its signature covers only tree and
// parents, so a copy in another commit's announcement proves nothing about that commit.
func ofCommit(att attest.Attestation, c gitstore.Commit) bool {
	return c.Tree == att.Tree && (slices.Equal(c.Parents, []tree.Hash{att.Base, att.Head}) ||
		att.Afterwards() && slices.Equal(c.Parents, []tree.Hash{att.Base}))
}

// announcer returns the identity that lists a key; empty if none does.
func announcer(roles policy.Roles, key review.Fingerprint) string {
	if key == "" {
		return ""
	}
	id, _ := roles.ByKey(key)
	return id.Name
}

// voucher returns the identity, listed in roles, whose key vouches for a commit as a merge: it
// signed an announcement of it, or the commit's trailer names it although the journal lacks the
// announcement. Empty if there is none.
func (f claimed) voucher(roles policy.Roles, c gitstore.Commit) string {
	for _, one := range f.claims {
		if one.why != nil || !one.fits {
			continue
		}
		if by := announcer(roles, one.key); by != "" {
			return by
		}
	}
	//defence:a-missing-announcement-is-a-break
	if id, known := roles.ByKey(review.Fingerprint(c.Trailer(attest.AttesterTrailer))); known {
		return id.Name
	}
	return ""
}

// refusal returns why a commit is refused, and whether that is a break. A key counts if the roles
// in force list it, or those on main just before the commit: the merge that listed it may have
// been voided since. Without such a key the commit is like any other past the gate.
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
		if by := f.voucher(roles, c); by != "" {
			out.Break, out.AnnouncedBy = true, by
			break
		}
	}
	return &out
}

// rolesBefore returns the roles in the first parent of a commit, in force or not.
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

// first returns the claim to show for a merge: the first of those that Rejudge would judge. It is
// unverified.
func (r claimReader) first(ctx context.Context, id string, c gitstore.Commit) (claim, error) {
	roles, err := r.rolesBefore(c)
	if err != nil {
		return claim{}, err
	}
	claims, why, err := r.inJournal(ctx, id, roles, c)
	switch {
	case err != nil:
		return claim{}, err
	case why != nil:
		return claim{}, why
	}
	one, err := claims[0].loaded()
	if err != nil {
		return one, err
	}
	return one, one.why
}
