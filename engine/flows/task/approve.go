package task

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// Ruling is a person's decision about a job that waits for an approval.
type Ruling struct {
	Run, Job string
	Reject   bool
	Reason   string
	Signer   ssh.Signer
	DryRun   bool
}

// Rule signs and records a decision. The errors are *approve.NotListed for an unknown key, ErrNotRole for
// a person of another role or an agent, and ErrNoTask or ErrOver if nothing waits.
func Rule(ctx context.Context, cur workspace.Session, r Ruling) (run.State, policy.Identity, error) {
	roles := cur.Policies.Roles
	key := review.FingerprintOf(r.Signer.PublicKey())
	who, known := roles.ByKey(key)
	s, err := cur.Runs.Read(r.Run)
	if err != nil {
		return s, who, err
	}
	defs, err := DefinitionsOf(cur)
	if err != nil {
		return s, who, err
	}
	def, err := defs.Of(ctx, s)
	if err != nil {
		return s, who, err
	}
	if s.Outcome == "" && !def.Found {
		return s, who, fmt.Errorf("%s: %s: %w", r.Run, def.Ends+def.Waits, ErrOver)
	}
	j, _ := def.Job(r.Job)
	switch why := mayRule(roles, who, j, cur.Now()); {
	case j.Approve == "":
		return s, who, fmt.Errorf("%s/%s asks for no approval: %w", r.Run, r.Job, ErrNoTask)
	case !known:
		return s, who, &approve.NotListed{Fingerprint: key}
	case why != "":
		return s, who, fmt.Errorf("%s/%s: %s: %w", r.Run, r.Job, why, ErrNotRole)
	}
	if err := rulable(def.Workflow, s, j, cur.Now()); err != nil || r.DryRun {
		return s, who, err
	}
	rec, basis, err := r.record(cur, def.Workflow, s, j)
	if err != nil {
		return s, who, err
	}
	s, err = cur.Runs.Append(ctx, r.Run, who.Name, cur.Now(), func(s run.State) (*run.Record, error) {
		if err := rulable(def.Workflow, s, j, cur.Now()); err != nil {
			return nil, err
		}
		if s.Basis(def.Workflow, j) != basis || s.Jobs[j.Name].Attempt != rec.Attempt {
			return nil, fmt.Errorf("%s/%s: its run changed while it was signed: %w", r.Run, r.Job, ErrOver)
		}
		return &rec, nil
	})
	return s, who, err
}

// record signs a ruling on a run as it is.
func (r Ruling) record(cur workspace.Session, flow workflow.Workflow, s run.State, j workflow.Job) (rec run.Record, basis string, err error) {
	nonce := make([]byte, 16)
	if _, err := io.ReadFull(cur.Random, nonce); err != nil {
		return rec, "", fmt.Errorf("make a nonce: %w", err)
	}
	a := review.Approval{
		V: review.Version, Workspace: cur.ID(), Run: r.Run, Job: r.Job, Attempt: s.Jobs[r.Job].Attempt, Basis: s.Basis(flow, j),
		Decision: review.Approve, Reason: strings.TrimSpace(r.Reason), At: cur.Now().UTC().Truncate(time.Second), Nonce: hex.EncodeToString(nonce),
	}
	rec = run.Record{V: run.Version, Kind: run.Done, Job: r.Job, Attempt: a.Attempt, Reason: a.Reason}
	if r.Reject {
		a.Decision, rec.Kind, rec.Outcome = review.Reject, run.Failed, run.Broke
		rec.Reason = "rejected: " + a.Reason
	}
	signed, err := review.SignApproval(a, r.Signer)
	rec.Approval = &signed
	return rec, a.Basis, err
}

// rulable returns the reason why a job cannot be decided on in state s, or nil.
func rulable(flow workflow.Workflow, s run.State, j workflow.Job, now time.Time) error {
	state := s.Jobs[j.Name]
	switch why := run.Overdue(flow, s, now); {
	case why != "":
		return fmt.Errorf("%s/%s: the run was %s: %w", s.ID, j.Name, why, ErrExpired)
	case state.Lapsed() || s.Outcome == "" && run.Expired(j, state, now) != "":
		return fmt.Errorf("%s/%s has expired: %w", s.ID, j.Name, ErrExpired)
	case s.Outcome != "":
		return fmt.Errorf("%s/%s: the run %s: %w", s.ID, j.Name, s.Outcome.Phrase(), ErrOver)
	case state.Status != run.Waiting:
		return fmt.Errorf("%s/%s does not wait for an approval: %w", s.ID, j.Name, ErrOver)
	}
	return nil
}

// mayRule says why a person may not decide on a job, "" if they may.
func mayRule(roles policy.Roles, who policy.Identity, j workflow.Job, now time.Time) string {
	switch {
	case who.Expired(now):
		return who.Name + " has expired in " + policy.RolesFile
	case !slices.Contains(j.Approvers(roles), who.Name):
		return "it is for people: " + j.Approve + ", which " + who.Name + " is not"
	}
	return ""
}

// unapproved says why a run counts as approved that is not, "" for none. Anyone who can push can write
// the journal of a run, so each approval is checked again before every step.
func (d *Definitions) unapproved(flow workflow.Workflow, s run.State) string {
	for _, j := range flow.Jobs {
		if why := d.uncounted(flow, s, j); why != "" {
			return "the approval of " + j.Name + " does not count: " + why
		}
	}
	return ""
}

// uncounted says why the recorded approval of a job does not count. It is "" for one that counts, and without one.
func (d *Definitions) uncounted(flow workflow.Workflow, s run.State, j workflow.Job) string {
	switch state := s.Jobs[j.Name]; {
	case j.Approve == "":
		return ""
	//defence:approvals-of-jobs-are-signed
	case state.Status == run.Did:
		return disapproves(d.cur, flow, s, j)
	//defence:approvals-are-not-skipped
	case state.Status == run.Left && !state.Blocked:
		if skipped, err := run.Skips(flow, s, j); skipped == "" || err != nil {
			return "it was skipped, and no condition leaves it out"
		}
	}
	return ""
}

// Steps are run.Steps by the version that a run recorded, with the approvals that do not count. A job whose result was
// kept has the times of the run that did it.
func (d *Definitions) Steps(s run.State) []run.Step { return d.steps(s, maxContinued) }

func (d *Definitions) steps(s run.State, deep int) []run.Step {
	flow, _ := d.Recorded(s)
	out := run.Steps(flow, s, d.cur.Now())
	var earlier []run.Step
	for i, step := range out {
		if s.Of != "" && step.Reason == run.KeptFrom(s.Of) && deep > 0 { // anyone who can push can write a circle
			if earlier == nil {
				of, _ := d.cur.Runs.Read(s.Of) // without it, the times are those of the record
				earlier = d.steps(of, deep-1)
			}
			if at := slices.IndexFunc(earlier, func(e run.Step) bool { return e.Name == step.Name }); at >= 0 {
				out[i].Began, out[i].Ended, out[i].MS = earlier[at].Began, earlier[at].Ended, earlier[at].MS
			}
		}
		if j, known := flow.Job(step.Name); known {
			out[i].Uncounted = d.uncounted(flow, s, j)
		}
	}
	return out
}

// EndsNext says why the next pass ends an active run by the version that it recorded, whatever its jobs wait for; "" if it does not.
func (d *Definitions) EndsNext(flow workflow.Workflow, s run.State) string {
	return cmp.Or(run.Overdue(flow, s, d.cur.Now()), d.unapproved(flow, s))
}

// unguarded says why a job must not get its secrets, "" if it may: a person has to have signed for every
// job with approve that it needs, directly or through others. Neither a condition nor a failure replaces
// that, as anyone who can push can write the outputs, the inputs and the event by which they were decided.
// That the signatures count is checked before every step.
func unguarded(cur workspace.Session, def Definition, s run.State, j workflow.Job) string {
	for _, guard := range def.Guards(j) {
		state := s.Jobs[guard.Name]
		switch {
		case len(j.Script.Secrets) == 0:
		case state.Status != run.Did || state.Approval == nil:
			return "it gets secrets, and no one approved " + guard.Name + ", which it needs: neither a condition nor a failure replaces an approval"
		default:
			// Anyone who can push can take a journal back to an approval of long ago.
			a, _, err := review.VerifyApproval(*state.Approval)
			//defence:approvals-of-secrets-expire
			if err != nil || !cur.Now().Before(a.At.Add(guard.Timeout)) {
				return "it gets secrets, and the approval of " + guard.Name + " is older than " + guard.Timeout.String() + ", its timeout: assent run retry asks again"
			}
		}
	}
	return ""
}

// guarded reports whether a job gets secrets after an approval.
func guarded(def Definition, j workflow.Job) bool {
	return len(j.Script.Secrets) > 0 && len(def.Guards(j)) > 0
}

// onHub returns w with a run log that records each step on the remote first, by compare-and-swap, so that only one
// clone starts a script. turn serialises these steps. It returns w itself if there is no remote.
func onHub(w *workspace.Workspace, turn chan struct{}) *workspace.Workspace {
	name := w.Forge.Traits().Remote
	if name == "" && w.Repo.Config("remote.origin.url") != "" {
		name = "origin"
	}
	if name == "" || runlog.IsAgreed(w.Runs) {
		return w
	}
	agree := hub.New(w.Repo, name, exchange.SyncOf(w, name)).Agree
	inTurn := func(ctx context.Context, id string, operation func(*gitstore.Repo) error) error {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			return ctx.Err()
		}
		return agree(ctx, id, operation)
	}
	own := *w
	//defence:approved-jobs-begin-on-the-hub
	own.Runs = w.Runs.Agreed(inTurn)
	return &own
}

// spent reports whether this user's programs carried out the job before, in this attempt or a later one, or
// to its end. Anyone who can push can take the run's journal back to before that.
func spent(ctx context.Context, cur workspace.Session, def Definition, at attempt, number int) (bool, error) {
	if !guarded(def, at.job) {
		return false, nil
	}
	fresh, err := keys.UseApproval(ctx, cur.ID(), at.run+"/"+at.job.Name, number)
	return !fresh, err
}

// disapproves says why the recorded approval of a job does not count, "" if it does.
func disapproves(cur workspace.Session, flow workflow.Workflow, s run.State, j workflow.Job) string {
	state, roles := s.Jobs[j.Name], cur.Policies.Roles
	if state.Approval == nil {
		return "no one signed it"
	}
	a, key, err := review.VerifyApproval(*state.Approval)
	if err != nil {
		return err.Error()
	}
	who, known := roles.ByKey(key)
	switch {
	case !known:
		return "policies/roles.yaml lists the key " + string(key) + " for no one"
	//defence:approvals-name-their-job
	case a.Workspace != cur.ID() || a.Run != s.ID || a.Job != j.Name || a.Attempt != state.Attempt || a.Decision != review.Approve:
		return "it is of another job"
	//defence:approvals-bind-what-was-seen
	case a.Basis != s.Basis(flow, j):
		return "the run or the results before it are others than were approved"
	//defence:approvals-of-jobs-expire
	case a.At.Before(state.Asked.Add(-skew)) || a.At.After(state.Asked.Add(j.Timeout)):
		return "it was not signed in its time"
	}
	// The signer writes the date, so that alone says nothing of an expiry.
	why := mayRule(roles, who, j, a.At)
	if why == "" {
		//defence:approvers-of-jobs-are-judged-now
		why = mayRule(roles, who, j, cur.Now())
	}
	return why
}
