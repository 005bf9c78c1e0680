package merge

import (
	"context"
	"slices"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// The reasons for which an allowed merge is not made here.
const (
	noRunner  = "this program runs none"
	noSigner  = "waiting: " + policy.SecurityFile + " lets merge only what a human or a witness signs for (attestations: signed), and no key here may: merge with a key of theirs, in a terminal if it has no passphrase"
	noVoucher = "waiting: its tests pass, and no key here may vouch for that: merge with a key of somebody who has the role human or witness in " + policy.RolesFile
)

// proven runs the tests that the policies ask for, where nothing else is left that keeps
// ex from merging: code that nobody agreed to is not run. What the journal tells of tests
// can lead to a run and to nothing else; where ex is allowed afterwards, it is without it.
func proven(ctx context.Context, cur workspace.Session, ex *workspace.Examined) error {
	asked := *ex
	asked.Prove(nil, "")
	hoped := *ex
	hoped.Hope()
	switch {
	case asked.Verdict.Outcome == policy.Allowed:
		*ex = asked
		return nil
	case ex.Case.Conflicted || !asked.Verdict.OnlyTests() && hoped.Verdict.Outcome != policy.Allowed:
		return nil // it does not merge, and what is known of its tests is shown
	case cur.Prove == nil:
		ex.Prove(nil, noRunner)
		return nil
	}
	trials, unrun, err := cur.Prove(ctx, cur, *ex)
	if err == nil {
		ex.Prove(trials, unrun)
	}
	return err
}

// unsigned returns why a merge may not be attested here; empty if it may.
func unsigned(cur workspace.Session, ex workspace.Examined, service bool) string {
	switch {
	case service && !cur.CanWitness():
		return noWitness
	//defence:unsigned-merges-are-not-made
	case cur.Policies.Security.Attestations == policy.SignedAttestations && !cur.CanVouch():
		return noSigner
	case len(cur.Policies.MustProve(ex.Report.Changes)) > 0 && !cur.CanVouch():
		return noVoucher
	}
	return ""
}

// refused tells people of a merge that is not made: the page of the proposal shows why,
// and tests that were run here and stand against it are recorded beside it.
func refused(ctx context.Context, cur workspace.Session, out Outcome) (Outcome, error) {
	ex := out.Examined
	if slices.ContainsFunc(ex.Case.Proven, func(t proof.Trial) bool { return !t.Held() && !t.Unfinished() }) {
		if err := RecordTests(ctx, cur, ex, ex.Case.Proven); err != nil {
			return out, err
		}
	}
	return out, propose.Refresh(ctx, cur.Workspace, ex)
}

// RecordTests keeps what the tests of an examined proposal came to beside it, for people
// and for what is shown. Nothing merges because of it.
func RecordTests(ctx context.Context, cur workspace.Session, ex workspace.Examined, trials []proof.Trial) error {
	c := ex.Case
	data, err := proof.Record{
		V: proof.Version, Engine: version.Engine, Workspace: cur.ID(), Proposal: c.Pull.ID, Head: c.Pull.Head, Effective: c.Effective,
		Result: ex.Result.Tree, Trials: trials,
	}.Encode()
	if err != nil {
		return err
	}
	name, email := cur.Repo.User()
	if name == "" && email == "" {
		name = "assent"
	}
	return cur.Forge.Prove(ctx, c.Pull.ID, forge.Proof{By: forge.Actor{Name: name, Email: email}, Record: data, At: cur.Now()})
}
