package workspace

import (
	"context"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// judge decides again whether a merge on main was allowed: from the commits, the signed reviews
// and the policies before it. Journal claims count only if they can be verified.
func (w *Workspace) judge(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
	_, _, err := w.Rejudge(ctx, before, c)
	return err
}

// Rejudge decides whether a merge on main was allowed, as of the moment of the merge. If it was
// not, the error is a Refusal (see package attest), and the claims and findings so far are
// returned with it.
//
// vouchers are keys with checkpoints, kept outside the repository, that saw the merge in force.
// They count only if another version of the program allowed it.
//
//defence:merges-judged
func (w *Workspace) Rejudge(ctx context.Context, before attest.Standing, c gitstore.Commit, vouchers ...policy.Actor) (attest.Attestation, Examined, error) {
	if r, is, err := w.ReanchorOf(before, c); is {
		if err = acceptedReanchor(before, r); err == nil {
			w.policies.judged(before, c.Hash, "")
		}
		return attest.Attestation{}, Examined{}, err
	} else if err != nil && !unreadable(err) {
		return attest.Attestation{}, Examined{}, err
	}
	current, err := w.At(before)
	if err != nil {
		return attest.Attestation{}, Examined{}, err
	}
	roles := current.Policies.Roles
	found, err := w.claims().forCommit(ctx, before.InForce, roles, c)
	if err != nil {
		return attest.Attestation{}, Examined{}, err
	}
	var att attest.Attestation
	var ex Examined
	why := found.why
	// Anybody can announce a commit, even before its true announcement. So each announcement is
	// judged by the events before it, and one that passes is enough.
	for i, one := range found.claims {
		if one, err = one.loaded(); err != nil {
			return one.att, ex, err
		}
		examined, err := rejudgeClaim(ctx, current, one, c, vouchers)
		if err == nil {
			w.policies.judged(before, c.Hash, one.att.Engine)
			return one.att, examined, nil
		}
		if !attest.IsRefusal(err) {
			return one.att, examined, err
		}
		if i == 0 {
			att, ex, why = one.att, examined, err
		}
	}
	return att, ex, w.claims().refusal(found, roles, c, why)
}

// rejudgeClaim judges a merge by one announcement of it. Whatever a journal names can only refuse
// the announcements in it: an error about content hides neither another announcement nor that a
// listed key vouches for the commit. Neither does content on which the program breaks.
func rejudgeClaim(ctx context.Context, s Session, one claim, c gitstore.Commit, vouchers []policy.Actor) (ex Examined, err error) {
	//defence:a-fault-refuses-one-claim
	defer func() {
		if broke := recover(); broke != nil {
			err = attest.Restorable(bringBack(one.proposal)+orTakeBack, "it cannot be judged: %v: %v", errBroke, broke)
		}
	}()
	ex, err = judgeClaim(ctx, s, one, c, vouchers)
	//defence:content-refuses-one-claim
	if unreadable(err) {
		err = attest.Restorable(bringBack(one.proposal)+orTakeBack, "it cannot be judged: %v", err)
	}
	return ex, err
}

func judgeClaim(ctx context.Context, s Session, one claim, c gitstore.Commit, vouchers []policy.Actor) (Examined, error) {
	if one.why != nil {
		return Examined{}, one.why
	}
	if err := sameMerge(one.att, s.InForce, c); err != nil {
		return Examined{}, err
	}
	if err := signedAsRequired(s.Policies, one, c); err != nil {
		return Examined{}, err
	}
	pull, activity, err := one.read()
	if err != nil {
		return Examined{}, err
	}
	return rejudge(ctx, s, one.att, c, pull, activity, vouchers)
}

// sameMerge compares the attestation with the commit. A service may have squashed the proposal
// into one commit on top of the commit in force.
func sameMerge(att attest.Attestation, from tree.Hash, c gitstore.Commit) error {
	switch {
	//defence:attested-parents
	case !slices.Equal(c.Parents, []tree.Hash{att.Base, att.Head}) && !(att.Afterwards() && slices.Equal(c.Parents, []tree.Hash{att.Base}) && att.Base == from):
		return attest.Refuse("its parents are not those that were judged")
	//defence:attested-tree
	case c.Tree != att.Tree:
		return attest.Refuse("its tree is not the one that was judged")
	//defence:attested-base
	case att.From != from:
		return attest.Refuse("it was judged against %s, but %s was in force", att.From.Short(), from.Short())
	}
	return nil
}

// rejudge recomputes result, facts and verdict.
func rejudge(ctx context.Context, s Session, att attest.Attestation, c gitstore.Commit, pull forge.Pull, activity forge.Activity, vouchers []policy.Actor) (Examined, error) {
	pull.State, pull.Head = forge.Open, att.Head
	result, err := s.Result(att.Base, att.Head)
	if unreadable(err) {
		return Examined{}, attest.Refuse("%v", err)
	}
	if err != nil {
		return Examined{}, err
	}
	//defence:only-computed-trees
	if len(result.Conflicts) > 0 || result.Tree != c.Tree {
		return Examined{}, attest.Refuse("its tree is not what merging %s gives", att.Head.Short())
	}
	if adds, err := s.History().adds(s.InForce, c.Hash, att.Proposal); err != nil {
		return Examined{}, err
	} else if !adds {
		return Examined{}, attest.Refuse("it does not add the file of proposal %s: a proposal merges once", att.Proposal)
	}
	if err := s.plausible(s.Standing, att, c); err != nil {
		return Examined{}, err
	}
	//defence:unrecorded-head-has-unknown-pusher
	if !slices.ContainsFunc(activity.Pushes, func(p forge.Push) bool { return p.New == att.Head }) {
		// The engine records what it merges, so this head is an unrecorded push.
		activity.Pushes = append(slices.Clone(activity.Pushes), forge.Push{New: att.Head})
	}
	if activity, err = vouched(s.Policies.Roles, att, c, activity); err != nil {
		return Examined{}, err
	}
	j := rejudging{before: s, pull: pull, commit: c, att: att, result: result, vouchers: vouchers}
	j.recorded, j.missing = recordedReport(att, activity)
	if !att.Afterwards() {
		return j.at(ctx, att.At, activity)
	}
	ex, err := j.at(ctx, att.Merged, asOf(activity, att.Merged))
	if err != nil {
		return ex, err
	}
	_, err = j.at(ctx, att.At, activity)
	//defence:still-allowed-when-attested
	if attest.IsRefusal(err) {
		return ex, attest.Refuse("it was allowed when it was merged, and not any more when that was attested: %v", err)
	}
	if !attest.IsRefusal(err) {
		return ex, err
	}
	return ex, nil
}

// rejudging is one merge that is judged again.
type rejudging struct {
	before   Session
	pull     forge.Pull
	commit   gitstore.Commit
	att      attest.Attestation
	result   Result
	vouchers []policy.Actor
	// recorded is the report that the attestation names; missing says why there is none.
	recorded validate.Report
	missing  error
}

// at judges as of an instant.
func (j rejudging) at(ctx context.Context, at time.Time, activity forge.Activity) (Examined, error) {
	examined, err := j.before.examine(ctx, j.pull, activity, j.result, at, comparedIn(j.recorded))
	if err != nil {
		return examined, err
	}
	//defence:merge-brings-what-was-proposed
	if !examined.Covered {
		return examined, attest.Refuse("it brings changes that its proposal does not make")
	}
	if j.missing != nil {
		return examined, j.missing
	}
	examined.Case.Taken, examined.Case.Rejected = j.att.Taken, j.att.Rejected
	if err := j.attested(&examined); err != nil {
		return examined, err
	}
	signers := append(slices.Clone(j.vouchers), attester(activity, j.commit)...)
	if !vouchedFor(j.before.Policies.Roles, &examined, j.att, signers) {
		derived, err := signedRejections(ctx, j.before, &examined, OnItsWay)
		if err != nil {
			return examined, err
		}
		examined.Case.Rejected = join(examined.Case.Rejected, derived)
	}
	examined.Verdict, examined.Risk = gate.Judge(examined.Case)
	if err := excuse(ctx, j.before, &examined, j.recorded, j.att, signers); err != nil {
		return examined, err
	}
	//defence:merges-judged-again
	if examined.Verdict.Outcome != policy.Allowed {
		return examined, attest.Refuse("judged again it is %s: %s%s", examined.Verdict.Outcome, examined.Verdict.Reason, examined.remedy())
	}
	return examined, nil
}

// skew is how far the clocks of two machines may differ.
const skew = 5 * time.Minute

// plausible bounds the attested instant: near the commit's date, and not before the newest merge
// that it was judged upon. The instant itself is unproven; the bounds keep an expired approval
// from being revived at will. A service's merge bears the date of its commit and is attested no
// earlier.
func (w *Workspace) plausible(before attest.Standing, att attest.Attestation, c gitstore.Commit) error {
	from, err := w.judgedUpon(before)
	if err != nil {
		return err
	}
	if now := w.Now(); att.At.After(now.Add(skew)) {
		at := att.At.UTC().Format(time.RFC3339)
		return attest.Restorable("set the clock if it is wrong; else the merge comes into force by itself at "+at+", and docs/repositories.md says how to go on before that",
			"it is dated %s, and the clock here says %s", at, now.UTC().Format(time.RFC3339))
	}
	off := att.Instant().Sub(c.Committer.When)
	near := off >= -skew && off <= skew
	if att.Afterwards() {
		near = off == 0 && !att.At.Before(att.Merged.Add(-skew))
	}
	//defence:merges-are-dated
	if !near || att.Instant().Before(from.Committer.When.Add(-skew)) {
		return attest.Refuse("it claims to be of %s, which cannot be", att.Instant().UTC().Format(time.RFC3339))
	}
	return nil
}

// judgedUpon returns the newest merge in force; a later merge cannot be dated before it. Commits
// after it change nothing in force, and anybody can date them: they bound nothing.
func (w *Workspace) judgedUpon(st attest.Standing) (gitstore.Commit, error) {
	//defence:dates-of-other-work-bind-nothing
	if !st.Judged.IsZero() {
		return w.Repo.Commit(st.Judged)
	}
	var out gitstore.Commit // seen in force by a program that did not record this merge
	err := w.Repo.Lineage(st.InForce, func(c gitstore.Commit) (bool, error) {
		out = c
		if len(c.Parents) == 0 || c.Hash == st.Genesis {
			return false, nil
		}
		changed, err := attest.Governed(w.Repo, c.Parents[0], c.Hash)
		if gitstore.IsUnfit(err) { // such a commit was blocked
			return true, nil
		}
		return len(changed) == 0, err
	})
	return out, err
}

// Ahead returns the date of the newest merge in force where it lies after the clock, and
// zero otherwise. A merge upon it would be dated before its base, and readers would
// refuse it.
func (s Session) Ahead() (time.Time, error) {
	c, err := s.judgedUpon(s.Standing)
	if err != nil || !c.Committer.When.After(s.Now().Add(skew)) {
		return time.Time{}, err
	}
	return c.Committer.When, nil
}

// recordedReport finds the report that an attestation names.
func recordedReport(att attest.Attestation, activity forge.Activity) (validate.Report, error) {
	for _, s := range activity.Statuses {
		if s.Digest != att.Report {
			continue
		}
		//defence:report-digest-recomputed
		if canonical.Digest(s.Report) != s.Digest {
			return validate.Report{}, attest.Restorable(bringBack(att.Proposal), "its report is not the one that the attestation names")
		}
		recorded, err := validate.ParseReport(s.Report)
		if err != nil {
			return recorded, attest.Restorable(bringBack(att.Proposal), "its report cannot be read: %v", err)
		}
		return recorded, nil
	}
	return validate.Report{}, attest.Restorable(bringBack(att.Proposal), "its report is missing from the journal")
}
