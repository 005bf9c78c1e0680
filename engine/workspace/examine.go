package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Examined is everything that can be found out about one pull request.
type Examined struct {
	Case   gate.Case
	Result Result
	Report validate.Report
	// Covered reports whether the merge brings only changes of the proposal's own commits. It is
	// false if main holds unattested commits that the proposal does not adopt.
	Covered bool
	Risk    policy.Risk
	Verdict policy.Verdict
	// Excepted is set if the merge is in force although today's rules would refuse it: the version
	// that allowed it, and today's reason; see Rejudge.
	Excepted string
	// Way is the remedy for Case.Held.
	Way string
	// File is the path of the proposal's own file.
	File string

	settled string // gate.Effect.Settled of the proposal
	// disbelieved is set if the record claims another version and nothing bears that out.
	disbelieved bool
	// crowded is set for a change with more paths than the limit: its report refuses it.
	crowded bool
	// bypasses says which announced merge the branch holds that main lacks, see Held.
	bypasses string
}

// Examine observes one pull request against the content in force: the merge result,
// the report on it, and the verdict.
func (s Session) Examine(ctx context.Context, id string) (ex Examined, err error) {
	pull, err := s.Forge.Get(ctx, id)
	if err != nil {
		return Examined{}, err
	}
	defer func() {
		if broke := recover(); broke != nil {
			err = broken(pull, fmt.Errorf("%w: %v", errBroke, broke))
		}
	}()
	if pull.State == forge.Merged {
		ex, err = s.merged(ctx, pull)
		return ex, broken(pull, err)
	}
	activity, err := s.Forge.Activity(ctx, id)
	if err != nil {
		return Examined{}, err
	}
	ex, err = s.waiting(ctx, pull, activity)
	return ex, broken(pull, err)
}

// waiting examines a pull request that is not merged, as a merge would.
func (s Session) waiting(ctx context.Context, pull forge.Pull, activity forge.Activity) (Examined, error) {
	ex, err := s.open(ctx, pull, activity)
	if err == nil {
		err = addCurrentFacts(ctx, s, &ex)
	}
	if err == nil && !ex.Case.Conflicted {
		ex.bypasses, err = s.bypassing(ctx, ex)
	}
	if err == nil {
		ahead, _ := s.Ahead() // a main that cannot be read hides no proposal
		ex.Case.Held, ex.Way = Held(s, ex, ahead)
	}
	return ex, err
}

// broken marks an error in one proposal's commits, which any pusher can cause, as Damaged, and
// wraps other failures. Damage in one proposal must not block the others.
func broken(pull forge.Pull, err error) error {
	if err == nil {
		return nil
	}
	//defence:a-bad-branch-is-its-own
	if unreadable(err) || attest.IsRefusal(err) {
		return &forge.Damaged{ID: pull.ID, Where: "refs/heads/" + pull.Branch, Err: err}
	}
	return fmt.Errorf("examine proposal %s: %w", pull.ID, err)
}

// errBroke says that the program broke on a proposal's content. That is a fault of the program, and
// must not stop those who read other proposals.
var errBroke = errors.New("assent broke while it examined this proposal: report this as a fault")

// unreadable reports whether an error is about content, and not a failure to read it.
func unreadable(err error) bool {
	return errors.Is(err, ErrUnrelated) || errors.Is(err, errBroke) || gitstore.IsContent(err)
}

func (s Session) open(ctx context.Context, pull forge.Pull, activity forge.Activity) (Examined, error) {
	result, err := s.Result(s.Main, pull.Head)
	//defence:a-malformed-main-hides-no-proposal
	if unreadable(err) && len(s.Blocked) > 0 {
		return examineBlocked(ctx, s, pull, activity)
	}
	if err != nil {
		return Examined{}, err
	}
	if len(result.Conflicts) > 0 { // judged against where it began, so that it can still be shown
		begun, err := s.At(startAt(s, result.MergeBase))
		if err != nil {
			return Examined{}, err
		}
		head, err := s.Repo.Commit(pull.Head)
		if err != nil {
			return Examined{}, err
		}
		begun.Policies = s.Policies
		shown := result
		shown.Main, shown.Tree = tree.Hash{}, head.Tree
		ex, err := begun.examine(ctx, pull, activity, shown, s.Now(), nil)
		if err == nil {
			ex.Case.Taken, err = findTaken(ctx, s, result, pull.Head, activity)
		}
		ex.Result, ex.Case.Conflicted, ex.Case.Hearsay = result, true, true
		ex.Verdict, ex.Risk = gate.Judge(ex.Case)
		return ex, err
	}
	ex, err := s.examine(ctx, pull, activity, result, s.Now(), s.Alike)
	if err == nil && !ex.Covered && len(s.Blocked) > 0 {
		ex, err = examineBlocked(ctx, s, pull, activity)
	}
	//defence:unreadable-files-of-main-hide-no-proposal
	if unreadable(err) && len(s.Blocked) > 0 {
		ex, err = examineBlocked(ctx, s, pull, activity)
	}
	if err != nil {
		return ex, err
	}
	if ex.Case.Taken, err = findTaken(ctx, s, result, pull.Head, activity); err != nil {
		return ex, err
	}
	ex.Hope()
	return ex, nil
}

// examineBlocked examines a pull request against the content in force while main holds unattested
// commits that it does not adopt. It can be judged and reviewed, but not merged before those
// commits are adopted or reverted.
func examineBlocked(ctx context.Context, s Session, pull forge.Pull, activity forge.Activity) (Examined, error) {
	result, err := s.Result(s.InForce, pull.Head)
	if err != nil {
		return Examined{}, err
	}
	ex, err := s.examine(ctx, pull, activity, result, s.Now(), s.Alike)
	ex.Covered, ex.Case.Conflicted = false, len(result.Conflicts) > 0
	return ex, err
}

// merged shows a pull request as it was when it was merged.
func (s Session) merged(ctx context.Context, pull forge.Pull) (Examined, error) {
	if s.newest.commit == pull.Merge && s.newest.ex.Excepted == "" {
		return s.newest.ex.asMerged(pull, s.newest.att), nil
	}
	c, err := s.Repo.Commit(pull.Merge)
	if err != nil {
		return Examined{}, err
	}
	said, err := s.claims().first(ctx, pull.ID, c)
	if err != nil {
		return Examined{}, err
	}
	att := said.att
	_, activity, err := said.read()
	if err != nil {
		return Examined{}, err
	}
	before, err := s.At(startAt(s, att.From))
	if err != nil {
		return Examined{}, err
	}
	base, err := s.Repo.MergeBase(att.Base, att.Head)
	if err != nil {
		return Examined{}, err
	}
	if activity, err = vouched(before.Policies.Roles, att, c, activity); err != nil {
		return Examined{}, err
	}
	if att.Afterwards() {
		activity = asOf(activity, att.Merged)
	}
	recorded, _ := recordedReport(att, activity) // where it is missing, nothing was compared
	ex, err := before.examine(ctx, pull, activity, Result{Main: att.Base, MergeBase: base, Tree: c.Tree}, att.Instant(), comparedIn(recorded))
	if err != nil {
		return ex, err
	}
	ex.Case.MainAt = time.Time{} // of the last merge in force now
	ex.Case.Early, ex.Case.Taken, ex.Case.Rejected = att.Provenance == "", att.Taken, att.Rejected
	ex.Case.PlainStands = recorded.Engine != version.Engine && ex.settled == ex.Case.Plain
	ex.Case.Proven, ex.Case.Subjects = att.Tests, attestedSubjects(att.Tests)
	if ex.Excepted, err = excepted(ctx, before, ex, recorded, att, attester(activity, c)); err != nil {
		return ex, err
	}
	return ex.asMerged(pull, att), nil
}

// asMerged returns an examination as that of a merge, with the attested verdict.
func (ex Examined) asMerged(pull forge.Pull, att attest.Attestation) Examined {
	ex.Case.Pull = pull
	ex.Case.Proven, ex.Case.Subjects = att.Tests, attestedSubjects(att.Tests)
	ex.Verdict = att.Verdict
	_, ex.Risk = gate.Judge(ex.Case)
	return ex
}

func startAt(cur Session, commit tree.Hash) attest.Standing {
	st := cur.Standing
	st.Main, st.InForce, st.Blocked = commit, commit, nil
	return st
}

// examine validates the result and collects the case, as of one instant. alike finds possible
// duplicates.
func (s Session) examine(ctx context.Context, pull forge.Pull, activity forge.Activity, result Result, at time.Time, alike alike) (Examined, error) {
	view, err := s.See(result.Tree)
	if err != nil {
		return Examined{}, err
	}
	//defence:policies-from-base
	in := s.Input(view, at)
	in.Stopped, in.Alike, in.Branch = ctx.Err, alike, s.History().Branch(result.MergeBase, pull.Head)
	if in.Base, err = baseOf(s, result); err != nil {
		return Examined{}, err
	}
	outcome, err := validate.Run(in)
	if err != nil {
		return Examined{}, err
	}
	s.policies.examined.Add(1)
	ex := Examined{Result: result, Report: outcome.Report, File: outcome.File}
	ex.Case = gate.Case{Workspace: s.ID(), Policies: s.Policies, Now: at, Report: &ex.Report, Broken: s.Break() != nil}
	if err := requiredChecks(s, result, &ex.Case); err != nil {
		return ex, err
	}
	if ex.Case.MainAt, err = newestOnMain(s, result.Main); err != nil {
		return ex, err
	}
	if ex.Case.Copies, err = copies(s.Workspace, s.InForce, s.Genesis, ex.Report); err != nil {
		return ex, err
	}
	if outcome.Proposal != nil {
		ex.Case.Proposal = *outcome.Proposal
		if id := outcome.Proposal.ID; id != pull.ID {
			ex.Report.Diagnostics.Errorf(names.RuleProposal, diag.Pos{File: outcome.File}, "keep the file that the engine wrote for "+pull.ID,
				"the branch brings the proposal %q, but the pull request is about %s", id, pull.ID)
			ex.Report.Passed = false
		}
	}
	if err := s.recorded(&ex, view, pull, activity); err != nil {
		return ex, err
	}
	if outcome.Crowded { // it is refused, so its digest only has to be unique
		ex.crowded = true
		ex.Case.Effective = gate.Footprint{fmt.Sprintf("%s %s\n", in.BaseName, in.HeadName)}.Digest()
		return ex, nil
	}
	return ex, s.footprints(view, pull, result, &ex)
}

// recorded fills in the facts that come from the record of a pull request: pushes, authors and the
// dependencies of its tests. Everything else follows from the trees alone.
func (s Session) recorded(ex *Examined, result *View, pull forge.Pull, activity forge.Activity) error {
	into := ex.Result.Main
	if into.IsZero() { // a conflict, shown where it began
		into = s.Main
	}
	own, err := engineCommits(s, into, activity, ex.Case.Now)
	if err != nil {
		return err
	}
	if activity.Pushes, err = observedPushes(s, into, activity.Pushes, own, ex.Case.Now); err != nil {
		return err
	}
	ex.Case.Forge, ex.Case.Pull, ex.Case.Activity = activity.Service, pull, activity
	if ex.Case.Subjects, err = subjects(s, result, ex.Case, version.Engine); err != nil {
		return err
	}
	ex.Case.Authors, err = s.History().authors(ex.Result.MergeBase, pull.Head, own)
	return err
}

// baseOf returns the tree to compare a merge result with: the governed folders in force, and
// everything else, which assent does not judge, from main.
func baseOf(s Session, result Result) (tree.View, error) {
	if result.Main.IsZero() || result.Main == s.InForce {
		return s.View, nil
	}
	main, err := s.Repo.Snapshot(result.Main)
	if err != nil {
		return nil, fmt.Errorf("read main: %w", err)
	}
	var governed []string
	for _, a := range names.GovernedAreas() {
		governed = append(governed, string(a))
	}
	return tree.NewGraft(main, s.View, governed...), nil
}

// Input returns the validation of view against the content in force.
func (s Session) Input(view *View, at time.Time) validate.Input {
	return validate.Input{
		Base: s.View, Head: view,
		BaseName: s.View.Tree().String(), HeadName: view.Tree().String(),
		Policies: s.Policies, PolicyDiags: s.PolicyDiags,
		Alike: s.Alike, History: s.History().earlier(s.InForce, s.Genesis), Merge: s.History().mergeOf(s.InForce, s.Genesis), Schedule: Schedule,
		Today: at.UTC().Truncate(24 * time.Hour), Engine: version.Engine,
	}
}

// footprints computes the effective tree, and whether the merge brings more.
func (s Session) footprints(result *View, pull forge.Pull, r Result, ex *Examined) error {
	own, err := effectOf(s, r.MergeBase, pull.Head, ex.Case.Now)
	if err != nil {
		return err
	}
	ex.Case.Effective, ex.Case.Unwritten, ex.Case.Plain, ex.settled = own.Digest, own.Unwritten, own.Plain, own.Settled
	began, err := s.See(r.MergeBase)
	if err != nil {
		return err
	}
	head, err := s.See(pull.Head)
	if err != nil {
		return err
	}
	if began.Tree() == s.View.Tree() && head.Tree() == result.Tree() {
		ex.Covered = true // nothing moved since: it is the same change
		return nil
	}
	brought, err := gate.EffectOf(s.View, result, ex.Case.Now, validate.Governed()...)
	if err != nil {
		return err
	}
	// If main is in force as a whole, the engine's merge of it and the head brings what the head
	// brings. Commits past the gate could also change the engine's regions.
	inForce := r.Main.IsZero() || r.Main == s.InForce
	//defence:blocked-commits-stay-out
	ex.Covered = own.Covers(brought)
	if inForce {
		ex.Covered = own.CoversPlain(brought)
	}
	return nil
}

// effectOf returns the change from base to head.
func effectOf(s Session, base, head tree.Hash, at time.Time) (gate.Effect, error) {
	before, err := s.See(base)
	if err != nil {
		return gate.Effect{}, err
	}
	after, err := s.See(head)
	if err != nil {
		return gate.Effect{}, err
	}
	return gate.EffectOf(before, after, at)
}

// Preview examines a pull request that no forge knows yet, as if it were open.
func (s Session) Preview(ctx context.Context, pull forge.Pull, activity forge.Activity) (Examined, error) {
	return s.waiting(ctx, pull, activity)
}
