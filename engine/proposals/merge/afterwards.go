package merge

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// afterwards attests a merge that the service made on its own, if the gate would have allowed it
// then and still does. Without an attestation it is in force for no reader, and the pull request's
// page says why. See docs/adr/0022.
func afterwards(ctx context.Context, cur workspace.Session, pull forge.Pull, by forge.Actor, dryRun bool) (Outcome, error) {
	out := Outcome{Made: pull.There}
	made, err := cur.Afterwards(ctx, pull, pull.There)
	switch out.Examined = made.Then; {
	case attest.IsRefusal(err):
		out.Refused = err.Error()
		out.Examined, err = cur.Examine(ctx, pull.ID)
	case err == nil:
		if err = provenAfterwards(ctx, cur, &made); err == nil {
			out.Examined, out.Refused = made.Then, notThen(cur, made)
		}
	}
	if err != nil {
		return out, err
	}
	var ev evidenced
	if out.Refused == "" {
		if ev, err = evidenceOf(cur, made); err != nil {
			return out, err
		}
		if err := cur.Foresee(ctx, made, ev.status, forge.Announcement{Commit: pull.There, Attestation: ev.Attestation, Signature: ev.Signature}); attest.IsRefusal(err) {
			out.Refused = err.Error()
		} else if err != nil {
			return out, err
		}
	}
	switch {
	case dryRun, out.Examined.Case.Unrun != "": // another machine may be able to run them
		return out, nil
	case out.Refused != "":
		return out, report(ctx, cur.Workspace, out, pull.ID)
	}
	ev.By = by
	return record(ctx, cur.Workspace, out, pull.ID, ev)
}

// notThen returns why a merge by a service cannot be attested, before there is an attestation;
// empty if it can.
func notThen(cur workspace.Session, made workspace.Made) string {
	seen, then := made.Seen.Verdict, made.Then.Verdict
	switch {
	case !made.Then.Covered:
		return "it brought more to main than the proposal changes: commits before it on main never passed the gate"
	case then.Outcome != policy.Allowed:
		return fmt.Sprintf("when it was merged, it was %s: %s", then.Outcome, then.Reason)
	case seen.Outcome != policy.Allowed:
		return fmt.Sprintf("by the present state it is %s: %s", seen.Outcome, seen.Reason)
	case !cur.CanWitness():
		return "no key here may attest a merge by a service: let the engine attest it, or give a key of this machine the role witness in " + policy.RolesFile
	}
	return ""
}

// provenAfterwards runs the tests that the policies require for a merge by a service.
func provenAfterwards(ctx context.Context, cur workspace.Session, made *workspace.Made) error {
	if err := proven(ctx, cur, &made.Then); err != nil {
		return err
	}
	made.Seen.Prove(made.Then.Case.Proven, made.Then.Case.Unrun)
	return nil
}

// evidenced is the record of a merge by a service.
type evidenced struct {
	forge.Merge
	status forge.Status
	signer review.Fingerprint
}

// evidenceOf makes the report and the attestation, signed by this machine's witness.
func evidenceOf(cur workspace.Session, made workspace.Made) (evidenced, error) {
	ex := made.Then
	then := cur
	then.Main = ex.Result.Main
	status, err := propose.StatusOf(then, ex)
	if err != nil {
		return evidenced{}, err
	}
	att := attestation(then, ex, status.Digest)
	att.Merged, att.At = ex.Case.Now, cur.Now()
	att.Approvers = gate.Approvers(ex.Case)
	if att.Observed = made.Observed(); len(att.Observed) > 0 {
		att.Service = made.Seen.Case.Forge
	}
	out := evidenced{status: status, Merge: forge.Merge{
		Head: att.Head, Base: att.Base, Tree: att.Tree, Made: made.Commit.Hash, At: att.At, Advice: len(ex.Case.Activity.Advice),
		Reviews: made.Reviews(), Results: made.Results(),
	}}
	out.Attestation, out.Signature, err = evidence(cur, &att)
	out.signer = att.Signer
	return out, err
}

// record writes it down: the report, then the merge. Of several engines that do, one does;
// the others find it merged.
func record(ctx context.Context, w *workspace.Workspace, out Outcome, id string, ev evidenced) (Outcome, error) {
	if err := w.Forge.Status(ctx, id, ev.status); err != nil {
		return out, err
	}
	var err error
	if out.Commit, err = w.Forge.Merge(ctx, id, ev.Merge); err != nil {
		return out, err
	}
	after, err := w.Session(ctx)
	if err != nil {
		return out, err
	}
	out.Merged, out.Signer = true, ev.signer
	out.Examined, err = after.Examine(ctx, id)
	return out, err
}

// tellKey is that of the remark about a merge that is not in force.
const tellKey = "past-the-gate"

// report comments on the pull request why a merge is not in force, once for each reason.
func report(ctx context.Context, w *workspace.Workspace, out Outcome, id string) error {
	comment := forge.Comment{By: forge.Actor{Name: "assent"}, Key: tellKey, At: w.Now(), Body: fmt.Sprintf(
		"The service merged this on its own, as %s. It is not in force: %s.\n\nRevert it (git revert; for a merge commit, git revert -m 1), then `assent withdraw %s`, and propose it again.",
		out.Made, out.Refused, names.ShellWord(id))}
	activity, err := w.Record.Activity(ctx, id)
	if err != nil || slices.ContainsFunc(activity.Comments, func(c forge.Comment) bool { return c.Key == tellKey && c.Body == comment.Body }) {
		return err
	}
	return w.Forge.Comment(ctx, id, comment)
}
