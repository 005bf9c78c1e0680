package workspace

import (
	"context"
	"slices"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// vouched returns the evidence of a merge with the decisions that a service showed.
// Their voucher is the signer of the attestation, who must have the role witness in the
// policies before the merge. A journal alone proves no decision, and a merge by a service
// has no other evidence. An error is a refusal.
func vouched(roles policy.Roles, att attest.Attestation, c gitstore.Commit, activity forge.Activity) (forge.Activity, error) {
	//defence:journals-vouch-for-nobody
	activity.Reviews = slices.DeleteFunc(slices.Clone(activity.Reviews), func(r forge.Review) bool { return len(r.Record) == 0 })
	activity.Service = ""
	//defence:a-witness-attests-afterwards
	if att.Afterwards() {
		if err := witnessed(roles, att, c, activity.Merges); err != nil {
			return activity, err
		}
	}
	if len(att.Observed) == 0 {
		return activity, nil
	}
	if err := witnessed(roles, att, c, activity.Merges); err != nil {
		return activity, err
	}
	activity.Service = att.Service
	for _, o := range att.Observed {
		activity.Reviews = append(activity.Reviews, forge.Review{
			By: forge.Actor{Login: o.Login}, Decision: o.Decision, Reason: o.Reason, Head: o.Head, At: o.At,
		})
	}
	order.Stable(activity.Reviews, func(a, b forge.Review) int { return a.At.Compare(b.At) })
	return activity, nil
}

// witnessed checks that a witness signed the attestation of c.
func witnessed(roles policy.Roles, att attest.Attestation, c gitstore.Commit, merges []forge.Announcement) error {
	at := slices.IndexFunc(merges, func(m forge.Announcement) bool { return m.Commit == c.Hash })
	if at < 0 {
		return attest.Refuse("its pull request does not announce this commit: it was not merged by assent")
	}
	rests := "it rests on reviews given on " + att.Service
	if len(att.Observed) == 0 {
		rests = "it was attested after the service had merged it"
	}
	key, err := review.VerifyAttestation(merges[at].Attestation, merges[at].Signature)
	//defence:observed-reviews-need-a-witness
	if err != nil {
		return attest.Refuse("%s, and no signature vouches for that: %v", rests, err)
	}
	id, known := roles.ByKey(key)
	switch {
	//defence:witnesses-hold-the-role
	case !known || !roles.Has(id, policy.Witness):
		return attest.Refuse("%s, and %s, which vouches for that, has not the role witness", rests, key)
	case id.Expired(att.At):
		return attest.Refuse("%s, and %s, who vouches for that, had expired in %s", rests, id.Name, policy.RolesFile)
	}
	return nil
}

// Observed lists the decisions of a case that only a service vouches for.
func Observed(activity forge.Activity) []attest.Observed {
	var out []attest.Observed
	for _, r := range activity.Reviews {
		if len(r.Record) == 0 && activity.Service != "" {
			out = append(out, attest.Observed{Login: r.By.Login, Decision: r.Decision, Reason: r.Reason, Head: r.Head, At: r.At})
		}
	}
	return out
}

// CanWitness reports whether the key that signs attestations here is one of a witness.
func (s Session) CanWitness() bool {
	signer := s.Signer()
	if signer == nil {
		return false
	}
	id, known := s.Policies.Roles.ByKey(review.FingerprintOf(signer.PublicKey()))
	return known && s.Policies.Roles.Has(id, policy.Witness) && !id.Expired(s.Now())
}

// AsRead returns an examined pull request as readers see it: from its journal, with account
// decisions only if a witness here can vouch for them, and without other data of a service. A
// merge must be allowed on this view, too.
func (s Session) AsRead(ctx context.Context, ex Examined) (Examined, error) {
	pull, activity, err := recordRead(ctx, s, ex)
	if err != nil {
		return ex, err
	}
	if pull.Head != ex.Case.Pull.Head || len(ex.Result.Conflicts) > 0 || !ex.Covered {
		read, err := s.open(ctx, pull, activity)
		if err == nil {
			read.Prove(ex.Case.Proven, ex.Case.Unrun)
		}
		return read, err
	}
	view, err := s.See(ex.Result.Tree)
	if err != nil {
		return ex, err
	}
	read := ex // of the same trees, and so with the same report
	read.Case.OpenByAgent, read.Case.Rejected, read.Case.Synthesised, read.Case.Held, read.Way = 0, nil, 0, "", ""
	if err := s.recorded(&read, view, pull, activity); err != nil {
		return read, err
	}
	if read.Case.Taken, err = findTaken(ctx, s, read.Result, pull.Head, activity); err == nil {
		read.Prove(ex.Case.Proven, ex.Case.Unrun)
	}
	return read, err
}

// recordRead returns the data that readers have of an examined pull request.
func recordRead(ctx context.Context, s Session, ex Examined) (forge.Pull, forge.Activity, error) {
	id := ex.Case.Pull.ID
	pull, activity, err := s.Record.Read(ctx, id)
	if err != nil {
		return pull, activity, err
	}
	activity.Reviews = slices.DeleteFunc(activity.Reviews, func(r forge.Review) bool { return len(r.Record) == 0 })
	if s.CanWitness() {
		activity.Service = ex.Case.Activity.Service
		for _, r := range ex.Case.Activity.Reviews {
			if len(r.Record) == 0 {
				activity.Reviews = append(activity.Reviews, r)
			}
		}
		if len(Observed(activity)) == 0 {
			activity.Service = "" // the attestation names no service
		}
		order.Stable(activity.Reviews, func(a, b forge.Review) int { return a.At.Compare(b.At) })
	}
	return pull, activity, nil
}
