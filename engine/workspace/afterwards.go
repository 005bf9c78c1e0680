package workspace

import (
	"context"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Made is a merge that a service made on its own, before it was attested.
type Made struct {
	Commit gitstore.Commit
	// Seen is judged by the service's current data. Then is judged as of the merge, by the data
	// that readers have: the journal, and the decisions that a witness vouches for.
	Seen, Then Examined
	// before is the standing at the merge; pull and activity are the data that readers have.
	before   attest.Standing
	pull     forge.Pull
	activity forge.Activity
}

// Afterwards examines a merge that a service made on its own. The commit must be on main after the
// commit in force, merge the proposal's newest head, and have exactly the tree that merging this
// head into its first parent gives. Otherwise a Refusal names the reason.
func (s Session) Afterwards(ctx context.Context, pull forge.Pull, commit tree.Hash) (Made, error) {
	m, err := examineAfterwards(ctx, s, pull, commit)
	if attest.IsRefusal(err) {
		return m, err
	}
	return m, broken(pull, err)
}

func examineAfterwards(ctx context.Context, s Session, pull forge.Pull, commit tree.Hash) (Made, error) {
	m := Made{before: s.Standing}
	result, err := resultOf(s, pull, commit, &m)
	if err != nil {
		return m, err
	}
	then := s
	then.Standing = m.before
	shown, err := s.Forge.Activity(ctx, pull.ID)
	if err != nil {
		return m, err
	}
	if m.Seen, err = judgeMade(ctx, then, pull, shown, result, s.Now()); err != nil {
		return m, err
	}
	if err := addCurrentFacts(ctx, s, &m.Seen); err != nil {
		return m, err
	}
	if m.pull, m.activity, err = recordRead(ctx, s, m.Seen); err != nil {
		return m, err
	}
	date := m.Commit.Committer.When.UTC()
	m.Then, err = judgeMade(ctx, then, m.pull, asOf(m.activity, date), result, date)
	return m, err
}

// resultOf checks that a commit merges the proposal's head, and sets m.Commit and m.before.
func resultOf(s Session, pull forge.Pull, commit tree.Hash, m *Made) (Result, error) {
	past, newer := false, map[tree.Hash]bool{}
	err := s.Repo.Lineage(s.Main, func(c gitstore.Commit) (bool, error) {
		newer[c.Hash] = true
		if past = c.Hash == commit; past {
			m.Commit = c
		}
		return !past && c.Hash != s.InForce, nil
	})
	parents := m.Commit.Parents
	switch {
	case err != nil:
		return Result{}, err
	case !past || commit == s.InForce:
		return Result{}, attest.Refuse("main does not hold %s past what is in force: it was reverted, or this clone is behind", commit.Short())
	case len(parents) == 0 || len(parents) > 2:
		return Result{}, attest.Refuse("%s has %d parents, so it does not merge a proposal", commit.Short(), len(parents))
	//defence:merge-of-judged-head
	case len(parents) == 2 && parents[1] != pull.Head:
		return Result{}, attest.Refuse("%s merged %s, and the proposal was at %s", commit.Short(), parents[1].Short(), pull.Head.Short())
	case len(parents) == 1 && parents[0] != s.InForce:
		return Result{}, attest.Refuse("%s holds only a part of the proposal: turn rebase merges off on the service", commit.Short())
	}
	m.before.Main, m.before.Blocked = parents[0], breaksBefore(s, newer)
	result, err := s.Result(parents[0], pull.Head)
	if err == nil && (len(result.Conflicts) > 0 || result.Tree != m.Commit.Tree) {
		err = attest.Refuse("the tree of %s is not what merging %s gives", commit.Short(), pull.Head.Short())
	}
	return result, err
}

// breaksBefore returns the breaks that are older than the commits in newer.
func breaksBefore(cur Session, newer map[tree.Hash]bool) []attest.Unattested {
	var out []attest.Unattested
	for _, b := range cur.Blocked {
		if b.Break && !newer[b.Commit] {
			out = append(out, b)
		}
	}
	return out
}

// judgeMade examines one merge result against the state before it, as of one instant.
func judgeMade(ctx context.Context, s Session, pull forge.Pull, activity forge.Activity, result Result, at time.Time) (Examined, error) {
	ex, err := s.examine(ctx, pull, activity, result, at, s.Alike)
	if err == nil {
		ex.Case.Taken, err = findTaken(ctx, s, result, pull.Head, activity)
	}
	if err == nil {
		ex.Verdict, ex.Risk = gate.Judge(ex.Case)
	}
	return ex, err
}

// asOf returns the decisions up to an instant, by the dates that were signed or that a
// witness vouches for. Later decisions are about a change that was merged already; no
// difference of clocks is tolerated.
func asOf(activity forge.Activity, at time.Time) forge.Activity {
	//defence:approved-before-the-merge
	activity.Reviews = slices.DeleteFunc(slices.Clone(activity.Reviews), func(r forge.Review) bool {
		date := r.At
		if len(r.Record) > 0 { // the journal's own date is not trusted
			if rec, _, err := review.Verify(review.Signed{Record: r.Record, Signature: r.Signature}); err == nil {
				date = rec.At
			}
		}
		return date.Truncate(time.Second).After(at)
	})
	return activity
}

// Foresee judges the record of a merge that a service made, before it is written, as every reader
// will. A Refusal says why the merge would not be in force.
func (w *Workspace) Foresee(ctx context.Context, m Made, status forge.Status, evidence forge.Announcement) error {
	m.activity.Statuses = append(slices.Clone(m.activity.Statuses), status)
	m.activity.Merges = []forge.Announcement{evidence}
	att, err := attestationIn(evidence.Attestation, m.pull.ID)
	if err != nil {
		return err
	}
	if err := sameMerge(att, m.before.InForce, m.Commit); err != nil {
		return err
	}
	before, err := w.At(m.before)
	if err == nil {
		_, err = rejudge(ctx, before, att, m.Commit, m.pull, m.activity, nil)
	}
	if err == nil && len(m.Commit.Parents) > 1 {
		after := m.before
		after.InForce = m.Commit.Hash
		err = sides{w}.judge(ctx, after, m.Commit)
	}
	return err
}

// Reviews counts the signed decisions that it was judged with, those included that came too
// late for the merge.
func (m Made) Reviews() int { return forge.SignedReviews(m.activity.Reviews) }

// Results counts the signed results that readers will find.
func (m Made) Results() int { return len(m.activity.Results) }

// Observed lists the decisions of accounts that readers will find.
func (m Made) Observed() []attest.Observed { return Observed(m.activity) }
