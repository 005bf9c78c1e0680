package workspace

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/validate"
)

// judge decides again whether a merge that main shows was allowed: from the
// commits, from the signed reviews and from the policies before it. What the
// journal claims is used only where it can be checked.
//
//defence:merges-judged
func (w *Workspace) judge(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
	_, _, err := w.Rejudge(ctx, before, c)
	return err
}

// Rejudge decides whether a merge that main shows was allowed, as of the moment
// of the merge. The error is a Refusal (see package attest) when it was not; what
// was claimed and what was found out comes with it, as far as it got.
//
// vouchers are keys whose checkpoints, which somebody kept outside of the repository, saw
// the merge in force. They count only where another version of the program let it pass.
func (w *Workspace) Rejudge(ctx context.Context, before attest.Standing, c gitstore.Commit, vouchers ...policy.Actor) (attest.Attestation, Examined, error) {
	said, err := w.claimOf(ctx, before, c)
	if err != nil {
		return said.att, Examined{}, err
	}
	if err := sameMerge(said.att, before.InForce, c); err != nil {
		return said.att, Examined{}, err
	}
	ex, err := w.rejudge(before, said.att, c, said.pull, said.activity, vouchers)
	return said.att, ex, err
}

// evidence reads what the record has about a proposal, and asks no service: what was
// decided there stands in the attestation. That there is nothing, or
// nothing that can be understood, is a reason to refuse: anybody can write a
// trailer and a ref, and neither must keep others from reading what is in force.
func (w *Workspace) evidence(ctx context.Context, id string) (forge.Pull, forge.Activity, error) {
	pull, activity, err := w.Record.Read(ctx, id)
	var damaged *forge.Damaged
	switch {
	case errors.Is(err, forge.ErrNotFound) && !forge.IsID(id):
		return pull, activity, attest.Refuse("%q is not the id of a proposal", id)
	case errors.Is(err, forge.ErrNotFound):
		return pull, activity, attest.Refuse("the journal of proposal %s is not here; fetch it with: git fetch origin 'refs/assent/*:refs/assent/*'", id)
	case errors.As(err, &damaged):
		return pull, activity, attest.Refuse("%v", err)
	}
	return pull, activity, err
}

// attestationOf is what a merge was announced with, and what was done until then: a
// second opinion or a review that was recorded afterwards takes nothing back, whatever date
// it bears.
func attestationOf(activity forge.Activity, c gitstore.Commit) (attest.Attestation, forge.Activity, error) {
	for _, m := range activity.Merges {
		if m.Commit != c.Hash {
			continue
		}
		att, err := attest.Decode(m.Attestation)
		if err != nil {
			return att, activity, attest.Refuse("its attestation cannot be read: %v", err)
		}
		//defence:later-advice-is-too-late
		activity.Advice = activity.Advice[:m.Advice]
		//defence:later-reviews-are-too-late
		activity.Reviews = activity.Reviews[:m.Reviews]
		return att, activity, nil
	}
	return attest.Attestation{}, activity, attest.Refuse("its pull request does not announce this commit: it was not merged by assent")
}

// sameMerge compares the attestation with the commit. A service may have squashed the
// proposal into one commit, upon what was in force.
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
func (w *Workspace) rejudge(before attest.Standing, att attest.Attestation, c gitstore.Commit, pull forge.Pull, activity forge.Activity, vouchers []policy.Actor) (Examined, error) {
	current, err := w.At(before)
	if err != nil {
		return Examined{}, err
	}
	pull.State, pull.Head = forge.Open, att.Head
	result, err := w.Result(att.Base, att.Head)
	//defence:a-bad-merge-is-its-own
	if errors.Is(err, ErrUnrelated) || errors.Is(err, gitstore.ErrBadEdit) || errors.Is(err, tree.ErrTooLarge) {
		return Examined{}, attest.Refuse("%v", err)
	}
	if err != nil {
		return Examined{}, err
	}
	//defence:only-computed-trees
	if len(result.Conflicts) > 0 || result.Tree != c.Tree {
		return Examined{}, attest.Refuse("its tree is not what merging %s gives", att.Head.Short())
	}
	if err := w.plausible(att, c); err != nil {
		return Examined{}, err
	}
	//defence:unrecorded-head-has-unknown-pusher
	if !slices.ContainsFunc(activity.Pushes, func(p forge.Push) bool { return p.New == att.Head }) {
		// The engine records what it merges; somebody else moved the branch.
		activity.Pushes = append(slices.Clone(activity.Pushes), forge.Push{New: att.Head})
	}
	if activity, err = vouched(current.Policies.Roles, att, c, activity); err != nil {
		return Examined{}, err
	}
	j := rejudging{w: w, before: current, pull: pull, commit: c, att: att, result: result, vouchers: vouchers}
	j.recorded, j.missing = recordedReport(att, activity)
	if !att.Afterwards() {
		return j.at(att.At, activity)
	}
	ex, err := j.at(att.Merged, asOf(activity, att.Merged))
	if err != nil {
		return ex, err
	}
	_, err = j.at(att.At, activity)
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
	w        *Workspace
	before   Current
	pull     forge.Pull
	commit   gitstore.Commit
	att      attest.Attestation
	result   Result
	vouchers []policy.Actor
	// recorded is the report that the attestation names, missing why there is none.
	recorded validate.Report
	missing  error
}

// at judges as of an instant.
func (j rejudging) at(at time.Time, activity forge.Activity) (Examined, error) {
	examined, err := j.w.examine(j.before, j.pull, activity, j.result, at, comparedIn(j.recorded))
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
	examined.Case.Early, examined.Case.Taken = j.att.Provenance == "", j.att.Taken
	if err := j.attested(&examined); err != nil {
		return examined, err
	}
	examined.Verdict, examined.Risk = gate.Judge(examined.Case)
	if judgedElse(j.recorded, examined.Report) && examined.Verdict.Outcome != policy.Allowed {
		examined.except(j.recorded, append(slices.Clone(j.vouchers), attester(activity, j.commit)...))
	}
	//defence:merges-judged-again
	if examined.Verdict.Outcome != policy.Allowed {
		return examined, attest.Refuse("judged again it is %s: %s%s", examined.Verdict.Outcome, examined.Verdict.Reason, examined.remedy())
	}
	return examined, nil
}

// skew is how far the clocks of two machines may differ.
const skew = 5 * time.Minute

// plausible bounds the instant that an attestation claims to be from: that of its
// commit, and not before what it was judged against. Nothing proves the instant
// itself; the bounds keep an expired approval from being revived at will. What a service
// made bears the date of its commit, and is attested no earlier.
func (w *Workspace) plausible(att attest.Attestation, c gitstore.Commit) error {
	from, err := w.Repo.Commit(att.From)
	if err != nil {
		return err
	}
	if now := w.Now(); att.At.After(now.Add(skew)) {
		return attest.Refuse("it is dated %s, and the clock here says %s: set the clock if it is wrong; else it was made by one that was ahead: git revert -m 1 %s takes it back, so that it can be proposed again",
			att.At.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339), c.Hash.Short())
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

// Ahead returns the date of what is in force where it lies after the clock, and
// zero otherwise. A merge upon it would be dated before what it is judged against,
// so that nobody would accept it.
func (w *Workspace) Ahead(cur Current) (time.Time, error) {
	c, err := w.Repo.Commit(cur.InForce)
	if err != nil || !c.Committer.When.After(w.Now().Add(skew)) {
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
		if validate.DigestOf(s.Report) != s.Digest {
			return validate.Report{}, attest.Refuse("its report is not the one that the attestation names")
		}
		recorded, err := validate.ParseReport(s.Report)
		if err != nil {
			return recorded, attest.Refuse("its report cannot be read: %v", err)
		}
		return recorded, nil
	}
	return validate.Report{}, attest.Refuse("its report is missing from the journal")
}
