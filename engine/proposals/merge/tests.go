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

// The reasons why an allowed merge is not made here.
const (
	noRunner  = "this program runs none"
	noSigner  = "waiting: " + policy.SecurityFile + " requires merges signed by a human or a witness (attestations: signed), and no key here is theirs: merge with such a key, in a terminal if it has no passphrase"
	noVoucher = "waiting: its tests pass, but no key here may vouch for that: merge with a key of an identity with the role human or witness in " + policy.RolesFile
)

// proven runs the tests that the policies require, if nothing else blocks ex: code that no one
// approved is not run. Test outcomes in the journal can only lead to a run; if ex is allowed
// afterwards, it is without them.
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
		return nil // it does not merge; show the recorded test outcomes
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

// refused publishes a merge that is not made: the proposal's page shows why, and failed tests that
// were run here are recorded with it.
func refused(ctx context.Context, cur workspace.Session, out Outcome) (Outcome, error) {
	ex := out.Examined
	if slices.ContainsFunc(ex.Case.Proven, func(t proof.Trial) bool { return !t.Held() && !t.Unfinished() }) {
		if err := RecordTests(ctx, cur, ex, ex.Case.Proven, ""); err != nil {
			return out, err
		}
	}
	return out, propose.Refresh(ctx, cur.Workspace, ex)
}

// RecordTests records the test outcomes of an examined proposal, for people and displays. No merge
// depends on them. agent had them run, "" for the person whose session it is.
func RecordTests(ctx context.Context, cur workspace.Session, ex workspace.Examined, trials []proof.Trial, agent string) error {
	c := ex.Case
	data, err := proof.Record{
		V: proof.Version, Engine: version.Engine, Workspace: cur.ID(), Proposal: c.Pull.ID, Head: c.Pull.Head, Effective: c.Effective,
		Result: ex.Result.Tree, Trials: trials,
	}.Encode()
	if err != nil {
		return err
	}
	name, email := cur.Repo.User()
	if agent != "" {
		name = agent
	} else if name == "" && email == "" {
		name = "assent"
	}
	return cur.Forge.Prove(ctx, c.Pull.ID, forge.Proof{By: forge.Actor{Name: name, Email: email}, Record: data, At: cur.Now()})
}
