package merge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// attempts bounds how often a merge is tried again because main or the branch moved meanwhile.
// Each try examines everything again. Of several concurrent merges one succeeds in each round, so
// this many can begin together.
const attempts = 32

// Outcome is the result of a merge.
type Outcome struct {
	Examined workspace.Examined
	// Merged reports that the proposal is merged; Commit is main's commit for it.
	Merged bool
	Commit tree.Hash
	// Before reports that it was merged already.
	Before bool
	// Signer is the key that signed the attestation; empty if it is unsigned.
	Signer review.Fingerprint
	// Made is the commit of a merge by the service; zero if assent merged.
	Made tree.Hash
	// Queued reports that the service is to merge it later; Merged is false then.
	Queued bool
	// Refused says why it is not merged; set if Merged is false.
	Refused string
	// Worktree is the result of refreshing the user's checkout of main.
	Worktree gitstore.Refresh
	// WorktreeErr says why the checkout could not be refreshed; the merge is valid.
	WorktreeErr error
}

// Run merges a proposal if the gate allows it. If another process merges it meanwhile, that merge
// is returned; if one closes it, that is the refusal.
func Run(ctx context.Context, w *workspace.Workspace, id string, by forge.Actor, dryRun bool) (Outcome, error) {
	closely := dryRun // a merge would report objections that the usual reading omits
	if closely {
		w = w.Closely()
	}
	for try := 1; ; try++ {
		out, err := once(ctx, w, id, by, dryRun)
		if errors.Is(err, forge.ErrCloser) && !closely {
			closely, w = true, w.Closely()
			continue
		}
		var stale *forge.ErrStale
		if err == nil || !errors.As(err, &stale) && !errors.Is(err, forge.ErrMerged) && (!errors.Is(err, forge.ErrClosed) || try > 1) {
			return out, err
		}
		if try == attempts {
			return out, fmt.Errorf("others were faster %d times: %w", attempts, err)
		}
	}
}

func once(ctx context.Context, w *workspace.Workspace, id string, by forge.Actor, dryRun bool) (Outcome, error) {
	cur, err := w.Session(ctx)
	if err != nil {
		return Outcome{}, err
	}
	pull, err := w.Forge.Get(ctx, id)
	if err != nil {
		return Outcome{}, err
	}
	if pull.State == forge.Merged {
		return already(ctx, cur, pull, dryRun)
	}
	if !pull.There.IsZero() {
		return afterwards(ctx, cur, pull, by, dryRun)
	}
	ex, err := cur.Examine(ctx, id)
	if err != nil {
		return Outcome{}, err
	}
	ahead, err := cur.Ahead()
	if err != nil {
		return Outcome{}, err
	}
	if err := proven(ctx, cur, &ex); err != nil {
		return Outcome{}, err
	}
	out := Outcome{Examined: ex}
	out.Refused = refusal(cur, ex, ahead)
	if err := asRead(ctx, cur, &out); err != nil {
		return out, err
	}
	asks := w.Forge.Traits().ServiceMerges
	if out.Refused == "" {
		out.Refused = unsigned(cur, ex, asks)
	}
	switch {
	case dryRun:
		return out, nil
	case out.Refused != "":
		return refused(ctx, cur, out)
	case asks:
		return ask(ctx, cur, out)
	}
	return commit(ctx, cur, out, by)
}

// already returns the outcome for a pull request that merged before. It refreshes the checkout
// again: the merging process may have been killed before that, and a stale checkout would revert
// the merge with the next `git commit -a`.
func already(ctx context.Context, cur workspace.Session, pull forge.Pull, dryRun bool) (Outcome, error) {
	out := Outcome{Merged: true, Before: true, Commit: pull.Merge}
	if att, err := cur.Attestation(ctx, pull); err == nil { // else the examination reports the fault
		out.Signer = att.Signer
	}
	c, err := cur.Repo.Commit(pull.Merge)
	if err != nil {
		return out, err
	}
	if len(c.Parents) > 0 && !dryRun {
		out.Worktree, out.WorktreeErr = cur.Repo.RefreshWorktree(c.Parents[0], pull.Merge)
	}
	out.Examined, err = cur.Examine(ctx, pull.ID)
	return out, err
}

// refusal returns why an examined proposal does not merge; empty if it may. ahead is the date of
// the commit in force if it is later than the clock.
func refusal(cur workspace.Session, ex workspace.Examined, ahead time.Time) string {
	//defence:merge-upon-judged-main
	if why, way := workspace.Held(cur, ex, ahead); why != "" {
		return why + "; " + way
	}
	switch {
	//defence:conflicts-block
	case ex.Case.Conflicted:
		var paths []string
		for _, c := range ex.Result.Conflicts {
			paths = append(paths, c.Path)
		}
		return "main changed the same files meanwhile: " + strings.Join(paths, ", ")
	case ex.Verdict.Outcome != policy.Allowed:
		return ex.Verdict.Outcome.String() + ": " + ex.Verdict.Reason
	}
	return ""
}

// asRead replaces an examination by a service's data with the examination by readers' data, and
// sets the refusal if that does not merge.
func asRead(ctx context.Context, cur workspace.Session, out *Outcome) error {
	seen := out.Examined.Case
	if seen.Forge == "" || out.Refused != "" {
		return nil
	}
	read, err := cur.AsRead(ctx, out.Examined)
	if err != nil {
		return err
	}
	switch out.Refused = refusal(cur, read, time.Time{}); {
	case out.Refused == "":
		read.Case.Pull.Number, read.Case.Pull.URL = seen.Pull.Number, seen.Pull.URL // where it is shown
		out.Examined = read
	case len(workspace.Observed(seen.Activity)) > 0 && !cur.CanWitness():
		out.Refused = fmt.Sprintf("accounts on %s decided on it, and no key here may vouch for that: let the engine merge it, or give a key of this machine the role witness in %s", seen.Forge, policy.RolesFile)
	default:
		out.Refused = "by what stays of it in the record it is " + out.Refused
	}
	return nil
}

func commit(ctx context.Context, cur workspace.Session, out Outcome, by forge.Actor) (Outcome, error) {
	ex := out.Examined
	status, err := propose.StatusOf(cur, ex)
	if err != nil {
		return out, err
	}
	if err := cur.Forge.Status(ctx, ex.Case.Pull.ID, status); err != nil {
		return out, err
	}
	att := attestation(cur, ex, status.Digest)
	if cur.CanWitness() {
		if att.Observed = workspace.Observed(ex.Case.Activity); len(att.Observed) > 0 {
			att.Service = ex.Case.Forge
		}
	}
	data, signature, err := evidence(cur, &att)
	if err != nil {
		return out, err
	}
	out.Signer = att.Signer
	pull := ex.Case.Pull
	out.Commit, err = cur.Forge.Merge(ctx, pull.ID, forge.Merge{
		Head: pull.Head, Base: cur.Main, Tree: ex.Result.Tree, Title: "Merge " + pull.ID + ": " + oneLine(pull.Title),
		Message: message(ex, status.Digest, att.Signer), By: by, At: ex.Case.Now, Attestation: data, Signature: signature,
		Advice: len(ex.Case.Activity.Advice), Reviews: forge.SignedReviews(ex.Case.Activity.Reviews), Results: len(ex.Case.Activity.Results),
	})
	if err != nil {
		return out, err
	}
	out.Merged = true
	out.Worktree, out.WorktreeErr = cur.Repo.RefreshWorktree(cur.Main, out.Commit)
	after, err := cur.Session(ctx)
	if err != nil {
		return out, err
	}
	if out.Examined, err = after.Examine(ctx, pull.ID); err != nil {
		return out, err
	}
	if att, err := cur.Attestation(ctx, out.Examined.Case.Pull); err == nil && att.Signer != out.Signer {
		out.Signer, out.Before = att.Signer, true // another process merged it at the same moment
	}
	return out, nil
}

// attestation returns the attestation of an examined merge into cur.
func attestation(cur workspace.Session, ex workspace.Examined, report string) attest.Attestation {
	return attest.Attestation{
		V: attest.Version, Proposal: ex.Case.Pull.ID, From: cur.InForce, Base: ex.Result.Main, Head: ex.Case.Pull.Head,
		Tree: ex.Result.Tree, Effective: ex.Case.Effective, Report: report, Risk: ex.Risk.Tier,
		Verdict: ex.Verdict, Provenance: ex.Case.ProvenanceDigest(), Tests: ex.Case.Proven, Taken: ex.Case.Taken, Rejected: ex.Case.Rejected, Engine: version.Engine, At: ex.Case.Now,
	}
}

// message is the rationale and the trailers, which repeat the attestation for people.
func message(ex workspace.Examined, digest string, signer review.Fingerprint) string {
	lines := []string{
		attest.ProposalTrailer + ": " + ex.Case.Pull.ID,
		"Assent-Agent: " + oneLine(ex.Case.Proposal.Agent),
		"Assent-Risk: " + ex.Risk.Tier.String(),
		"Assent-Report: " + digest,
	}
	for _, name := range gate.Approvers(ex.Case) {
		lines = append(lines, "Assent-Approved-By: "+name)
	}
	if signer != "" {
		lines = append(lines, attest.AttesterTrailer+": "+string(signer))
	}
	return strings.Join(lines, "\n") + "\n"
}

// evidence returns the encoded attestation, and its signature if the policies list the key: a
// signature by an unlisted key proves nothing.
func evidence(cur workspace.Session, att *attest.Attestation) (data, signature []byte, err error) {
	signs := false
	signer := cur.Signer()
	if signer != nil {
		key := review.FingerprintOf(signer.PublicKey())
		id, known := cur.Policies.Roles.ByKey(key)
		if signs = known && !id.Expired(att.At); signs {
			att.Signer = key
		}
	}
	if data, err = att.Encode(); err != nil || !signs {
		return data, nil, err
	}
	signature, err = review.SignAttestation(data, signer)
	return data, signature, err
}

//defence:titles-are-one-line
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
