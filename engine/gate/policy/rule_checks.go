package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/review"
)

// CheckRun is what is known of a required check.
type CheckRun struct {
	// Unfit says why no result can count: the workflow is not in force, for example.
	Unfit string `json:"unfit,omitempty"`
	// Jobs are the scripts that have to succeed. Results are the signed results that are about
	// exactly this merge result and this version of the workflow.
	Jobs    []string    `json:"jobs,omitempty"`
	Results []JobResult `json:"results,omitempty"`
	// Other says why the newest result that is about something else does not count.
	Other string `json:"other,omitempty"`
	// Running is the id of a run that goes on.
	Running string `json:"running,omitempty"`
}

// JobResult is a result with a valid signature. The gate decides whether the key counts.
type JobResult struct {
	By     review.Fingerprint `json:"by"`
	Job    string             `json:"job"`
	Passed bool               `json:"passed"`
	Reason string             `json:"reason,omitempty"`
	Run    string             `json:"run"`
	At     time.Time          `json:"at"`
}

// CheckState is the state of a required check.
type CheckState string

// The states of a check. All but CheckPassed block.
const (
	CheckPassed  CheckState = "passed"
	CheckFailed  CheckState = "failed"
	CheckWaiting CheckState = "waiting" // a run goes on
	CheckExpired CheckState = "expired" // a success is too old
	CheckMissing CheckState = "missing" // no result counts, and no run goes on
)

// Values returns all states.
func (CheckState) Values() []string {
	return []string{string(CheckPassed), string(CheckFailed), string(CheckWaiting), string(CheckExpired), string(CheckMissing)}
}

// CheckStatus is a required check that applies to a proposal.
type CheckStatus struct {
	Name     string     `json:"name"`
	Workflow string     `json:"workflow"`
	Job      string     `json:"job,omitempty"`
	State    CheckState `json:"state"`
	Reason   string     `json:"reason"`
	// Fix says what to do if no run can give a result that counts; empty otherwise.
	Fix string `json:"fix,omitempty"`
	// Runs are those that it rests on, or that go on.
	Runs []string `json:"runs"`
	// By vouch for the results, and At is the date of the oldest.
	By []string  `json:"by"`
	At time.Time `json:"at,omitzero"`
}

// Text says where a check is, as the gate gives it for a reason.
func (s CheckStatus) Text() string { return "the check " + s.Name + " " + s.Reason }

// Checks returns the required checks that apply to a proposal, in the order of approvals.yaml.
func Checks(p Policies, f Facts) []CheckStatus {
	if len(p.Approvals.Checks) == 0 {
		return nil
	}
	return inquiry{p: p, f: f, risk: DeriveRisk(p, f), electorate: newElectorate(p, f)}.checks()
}

// judgeChecks requires a success of each check. A version that knew no checks could not have judged
// by policies that list one, so the claim of another version excuses none (see Facts.Earlier).
func judgeChecks(c inquiry) Verdict {
	if c.f.repairsRules() {
		return allowed("a change of policies and workflows alone is for people to judge, so that a broken check can be repaired")
	}
	all := c.checks()
	if len(all) == 0 {
		return allowed("none is required of this change")
	}
	var parts []Verdict
	for _, s := range all {
		v := Verdict{Rule: "check-" + s.Name, Outcome: Allowed, Reason: s.Text()}
		switch {
		case s.State == CheckPassed:
		//defence:checks-block
		case s.State == CheckFailed:
			v.Outcome, v.Changes = Refused, []string{OnPush, OnReport}
		//defence:checks-block
		case s.State != CheckPassed:
			v.Outcome, v.Changes = Waiting, []string{OnReport, OnPush}
		}
		parts = append(parts, v)
	}
	return combine(RuleChecks, parts)
}

// repairsRules reports whether a change touches policies and workflows only, beside its own file.
// Such a change is critical.
func (f Facts) repairsRules() bool {
	rules := 0
	for _, p := range f.Paths {
		switch {
		case strings.HasPrefix(p.Path, "policies/"), strings.HasPrefix(p.Path, "workflows/"):
			rules++
		default:
			m := proposalFile().FindStringSubmatch(p.Path)
			if m == nil || m[1] != f.ID {
				return false
			}
		}
	}
	return rules > 0
}

// Inapplicable returns the names of the required checks that do not apply to a proposal.
func Inapplicable(p Policies, f Facts) (out []string) {
	if len(p.Approvals.Checks) == 0 {
		return nil
	}
	held := Checks(p, f)
	for _, check := range p.Approvals.Checks {
		if !slices.ContainsFunc(held, func(s CheckStatus) bool { return s.Name == check.Name }) {
			out = append(out, check.Name)
		}
	}
	return out
}

// checks returns the state of each check that applies.
func (c inquiry) checks() []CheckStatus {
	var out []CheckStatus
	if c.f.repairsRules() {
		return nil
	}
	facts := newKnown(c.p, c.f, c.risk)
	facts.f.Undated = false // the claim of an older version excuses no check
	for _, check := range c.p.Approvals.Checks {
		if !check.Always {
			if applies, _ := check.When.matches(facts, check.Pos); !applies {
				continue
			}
		}
		s := CheckStatus{Name: check.Name, Workflow: check.Workflow, Job: check.Job, Runs: []string{}, By: []string{}}
		if c.f.CheckStates != nil {
			s.State, s.Reason = CheckPassed, "passed"
			if stated, is := c.f.CheckStates[check.Name]; is {
				s.State, s.Reason = stated, "is "+string(stated)
			}
		} else {
			c.status(check, c.f.Checks[check.Name], &s)
		}
		out = append(out, s)
	}
	return out
}

// status sets the state of a check by its results.
func (c inquiry) status(check Check, run CheckRun, s *CheckStatus) {
	var missing, failed, expired []string
	ignored := ""
	for _, job := range run.Jobs {
		newest, why := c.newest(job, run.Results)
		if newest == nil {
			missing = append(missing, job)
			if ignored == "" {
				ignored = why
			}
			continue
		}
		id, _ := c.roles.ByKey(newest.By)
		s.note(*newest, id.Name)
		switch {
		case !newest.Passed:
			failed = append(failed, fmt.Sprintf("%s failed: %s; see: assent run logs %s", job, newest.Reason, names.ShellWord(newest.Run)))
		case c.expired(check, *newest):
			expired = append(expired, job)
		}
	}
	able, barred := c.runners()
	switch {
	case run.Unfit != "":
		s.State, s.Reason = CheckMissing, "is missing: "+run.Unfit
		s.Fix = "propose a workflow, or checks in " + ApprovalsFile + ", with which it can pass"
	case len(failed) > 0: // also while a run goes on, which anyone who can push can begin
		s.State, s.Reason = CheckFailed, "failed: "+strings.Join(failed, "; ")
	case run.Running != "" && len(missing)+len(expired) > 0:
		s.State, s.Reason = CheckWaiting, "is waiting: the run "+run.Running+" goes on"
		s.Runs = []string{run.Running}
	case len(missing) > 0 && len(able) == 0:
		s.State, s.Reason = CheckMissing, "is missing: no one has the role runner, whose key signs results: docs/workflows.md"
		if len(barred) > 0 {
			s.Reason = "is missing: the result of no runner counts: " + strings.Join(barred, ", ")
		}
		s.Fix = "propose another runner: assent roles add NAME --as agent --key FILE --role runner"
	case len(missing) > 0 || len(run.Jobs) == 0:
		s.State, s.Reason = CheckMissing, "is missing: no runner has signed a result of "+strings.Join(missing, ", ")+" on this merge result"
		if other := cmp.Or(ignored, strings.Join(barred, ", "), run.Other); other != "" {
			s.Reason += "; " + other
		}
		if names := strings.Join(able, " or "); len(barred) > 0 {
			s.Reason += "; a result by " + names + " counts"
			s.Fix = "assent reconcile where the key of " + names + " is: it runs the check " + s.Name
		}
	case len(expired) > 0:
		s.State, s.Reason = CheckExpired, fmt.Sprintf("is expired: it passed on %s, and a result counts for %s", s.At.UTC().Format(time.RFC3339), age(c.lasts(check)))
	default:
		s.State, s.Reason = CheckPassed, "passed, signed by "+strings.Join(s.By, ", ")
	}
}

// runners returns the runners whose results count, and of the others why not.
func (c inquiry) runners() (able, barred []string) {
	took := tookPart(c.roles, c.f)
	for _, name := range c.roles.Members(Runner) {
		switch id, _ := c.roles.ByName(name); {
		case id.Expired(c.f.Now):
			barred = append(barred, name+" has expired in "+RolesFile)
		case took[name].why != "":
			barred = append(barred, name+" "+took[name].why)
		default:
			able = append(able, name)
		}
	}
	return able, barred
}

// lasts returns how long a success of a check counts, 0 for ever.
func (c inquiry) lasts(check Check) time.Duration { return cmp.Or(check.Expires, c.p.Limits.Expiry) }

func (c inquiry) expired(check Check, r JobResult) bool {
	lasts := c.lasts(check)
	//defence:check-results-expire
	return lasts > 0 && c.f.Now.Sub(r.At) > lasts
}

// note adds a result that a status rests on.
func (s *CheckStatus) note(r JobResult, by string) {
	if !slices.Contains(s.By, by) {
		s.By = append(s.By, by)
	}
	if !slices.Contains(s.Runs, r.Run) {
		s.Runs = append(s.Runs, r.Run)
	}
	if s.At.IsZero() || r.At.Before(s.At) {
		s.At = r.At
	}
}

// newest returns the newest result of a job that counts; of two at one instant, a failure. why
// says why others do not count.
func (c inquiry) newest(job string, all []JobResult) (out *JobResult, why string) {
	for i, r := range all {
		if r.Job != job {
			continue
		}
		if not := c.discounts(r); not != "" {
			why = not
			continue
		}
		if out == nil || r.At.After(out.At) || r.At.Equal(out.At) && !r.Passed {
			out = &all[i]
		}
	}
	return out, why
}

// Discounts returns a function that says why a result of a required check does not count; "" if it does.
func Discounts(p Policies, f Facts) func(JobResult) string {
	return inquiry{p: p, f: f, electorate: newElectorate(p, f)}.discounts
}

// discounts returns why a result does not count; empty if it does.
func (c inquiry) discounts(r JobResult) string {
	id, known := c.roles.ByKey(r.By)
	//defence:check-results-are-of-runners
	if !known || !c.roles.Has(id, Runner) {
		return fmt.Sprintf("the key %s, which signed one, is of no one with the role runner in %s", r.By, RolesFile)
	}
	if id.Expired(c.f.Now) {
		return id.Name + ", who signed one, had expired in " + RolesFile
	}
	if r.Passed && id.Expired(c.f.ApprovedAt(c.roles)) {
		return id.Name + ", who signed one, had expired in " + RolesFile + " by the newest date of main and of this proposal"
	}
	//defence:check-results-are-not-of-authors
	if ex, took := tookPart(c.roles, c.f)[id.Name]; took {
		return id.Name + ", who signed one, " + ex.why
	}
	//defence:check-results-are-not-ahead
	if r.At.After(c.f.Now) {
		return "one is dated ahead"
	}
	return ""
}
