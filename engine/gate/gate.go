package gate

import (
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// Case is one pull request as it was observed at one instant.
type Case struct {
	// Workspace is the id that signed reviews must name.
	Workspace string
	// Forge is the name by which roles.yaml lists accounts there; empty for the
	// embedded one.
	Forge    string
	Policies policy.Policies
	Proposal proposal.Proposal
	Pull     forge.Pull
	Activity forge.Activity
	// Authors are the people behind the branch's commits, without the engine's own.
	Authors []policy.Actor
	// Copies are folders in force that were imported and that the change closely
	// resembles.
	Copies []string
	// Effective is the digest of the change itself, byte for byte (Effect.Digest). Unwritten,
	// Plain and PlainStands are as in policy.Facts.
	Effective   string
	Unwritten   string
	Plain       string
	PlainStands bool
	// Report on the exact merge result; nil when there is none.
	Report *validate.Report
	// Subjects are the capabilities of the change that have tests, if a rule requires their
	// results or a result is known.
	Subjects []proof.Subject
	// Proven are the test results, from a run by the judging program or from a signed
	// attestation. Unrun says why the tests could not run.
	Proven []proof.Trial
	Unrun  string
	// Hearsay lets unsigned test records of the journal count for display. A merge, past or
	// present, is never judged with it.
	Hearsay bool
	// Checks is what results of required checks are compared with; nil if the policies require
	// none. Recalled is set if the case is only simulated: checks count as passed.
	Checks   *Checks
	Recalled bool
	// Conflicted is set if the change does not apply to the base any more.
	Conflicted bool
	// Broken is as in policy.Facts.
	Broken bool
	// Held is the reason why it does not merge although the verdict allows it: an obstacle
	// outside the proposal. It is empty if there is none.
	Held string
	// Taken is as in policy.Facts. It is observed if accounts approved, and otherwise read
	// from an attestation.
	Taken *policy.Taken
	// OpenByAgent and Synthesised are as in policy.Facts, and 0 if a past merge is judged
	// again.
	OpenByAgent int
	Synthesised int
	// Rejected is as in policy.Facts.
	Rejected []policy.Rejection
	// MainAt is as in policy.Facts.
	MainAt time.Time
	Now    time.Time
	// Undated is set if it was merged by a version that compared its date with nothing.
	Undated bool
	// Early is set if it was merged before the engine recorded provenance. Then missing
	// provenance is accepted; recorded provenance is used.
	Early bool
	// Earlier is set if a merge that another version allowed is judged again.
	Earlier *Earlier
}

// Judge gives the verdict and the risk that it rests on.
func Judge(c Case) (policy.Verdict, policy.Risk) {
	return policy.JudgeWithRisk(c.Policies, c.Facts())
}

// Facts returns the facts that the verdict is derived from.
func (c Case) Facts() policy.Facts {
	pushers, known := c.pushers()
	f := policy.Facts{
		ID: c.Pull.ID, Kind: string(c.Proposal.Kind), Claimed: string(c.Proposal.Kind), Agent: c.Proposal.Agent, For: c.Proposal.For, Labels: c.Pull.Labels,
		State: c.state(), Now: c.Now, RequestedAt: c.requestedAt(), MainAt: c.MainAt,
		Head: c.Pull.Head, Effective: c.Effective, Unwritten: c.Unwritten, Plain: c.Plain, PlainStands: c.PlainStands, Conflicted: c.Conflicted, Broken: c.Broken, Taken: c.Taken,
		OpenByAgent: c.OpenByAgent, Rejected: c.Rejected,
		People: policy.People{
			Proposer: c.actor(c.Pull.Author), Authors: c.Authors,
			Pushers: pushers, PushersKnown: known, Reviews: c.reviews(),
		},
	}
	f.Opinions, f.Tests, f.Checks = c.opinions(), c.tests(), c.checks()
	f.Undated = c.Undated
	if c.Recalled {
		f.CheckStates = map[string]policy.CheckState{}
	}
	if !c.Early || c.recorded() {
		f.Provenance, f.Sessions = c.provenance()
	}
	if r := c.Report; r != nil {
		f.Kind = r.KindOf(c.Proposal)
		f.Changes = r.Changes
		f.Synthesised = c.Synthesised
		digest, err := r.Digest()
		if err == nil {
			f.Findings = r.Diagnostics
			f.Validation = policy.Validation{Ran: true, Errors: countErrors(*r), Warnings: countWarnings(*r), Digest: digest}
		}
		f.Scan = r.Scan
	}
	if c.Earlier != nil {
		c.Earlier.stricter(&f)
	}
	return f
}

func (c Case) state() policy.State {
	switch c.Pull.State {
	case forge.Open:
		return policy.Open
	case forge.Merged:
		return policy.Merged
	case forge.Closed:
		if c.Pull.Why == string(proposal.Rejected) {
			return policy.Rejected
		}
		return policy.Withdrawn
	}
	return ""
}

// requestedAt is when approval was last asked for: at the newest push by a person or
// agent, or when the pull request was reopened. The engine's own commits do not ask again.
func (c Case) requestedAt() time.Time {
	at := c.Pull.Opened
	if c.Pull.Reopened.After(at) {
		at = c.Pull.Reopened
	}
	for _, p := range c.Activity.Pushes {
		if !p.Engine && p.At.After(at) {
			at = p.At
		}
	}
	return at
}

// actor returns an identity as the record shows it. Its key and account are claims of a
// journal: only signed reviews have a checked key, and only reviews on a service an account.
func (c Case) actor(a forge.Actor) policy.Actor {
	out := policy.Actor{Name: a.Name, Email: a.Email, Claimed: review.Fingerprint(a.Key)}
	if a.Login != "" {
		out.Forge, out.ClaimedLogin = c.Forge, a.Login
	}
	return out
}

// pushers are the actors who moved the branch, or its source branch; known is false if the forge cannot name
// one of them.
func (c Case) pushers() (out []policy.Actor, known bool) {
	known = true
	for _, p := range c.Activity.Pushes {
		if p.Engine {
			continue
		}
		who := []forge.Actor{p.By}
		//defence:pushers-of-the-inbox-count
		who = append(who, p.Behind...)
		for _, by := range who {
			if a := c.actor(by); !a.IsZero() {
				out = append(out, a)
			} else {
				known = false
			}
		}
	}
	return out, known
}

// reviews checks each signed record against this workspace and proposal. It ignores anything
// that the journal adds to a record.
func (c Case) reviews() []policy.Review {
	var out []policy.Review
	for _, r := range c.Activity.Reviews {
		out = append(out, c.review(r))
	}
	return out
}

func (c Case) review(r forge.Review) policy.Review {
	if len(r.Record) > 0 {
		return c.signed(r)
	}
	return policy.Review{
		By: policy.Actor{Forge: c.Forge, Login: r.By.Login}, Decision: review.Decision(r.Decision), Reason: r.Reason,
		At: r.At, Head: r.Head, Effective: r.Effective, Valid: r.By.Login != "" && c.Forge != "",
		Invalid: "neither signed nor reported by a forge",
	}
}

func (c Case) signed(r forge.Review) policy.Review {
	rec, key, err := review.Verify(review.Signed{Record: r.Record, Signature: r.Signature})
	if err != nil {
		return policy.Review{By: c.actor(r.By), Decision: review.Decision(r.Decision), At: r.At, Invalid: err.Error()}
	}
	out := policy.Review{
		By: policy.Actor{Key: key}, Decision: rec.Decision, Reason: rec.Reason, At: rec.At,
		Head: rec.Head, Effective: rec.Tree, Valid: true,
	}
	switch {
	//defence:review-names-workspace
	case rec.Workspace != c.Workspace:
		out.Valid, out.Invalid = false, "it was signed for another workspace"
	//defence:review-names-proposal
	case rec.Proposal != c.Pull.ID:
		out.Valid, out.Invalid = false, "it was signed for proposal "+rec.Proposal
	}
	return out
}
