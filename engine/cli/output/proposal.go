package output

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Proposal is one proposal as machines get it, from propose, status and show.
type Proposal struct {
	ID          string        `json:"id"`
	Branch      string        `json:"branch"`
	Pull        pullJSON      `json:"pull"`
	State       string        `json:"state"`
	Kind        string        `json:"kind"`
	Agent       string        `json:"agent"`
	Goal        string        `json:"goal"`
	Risk        string        `json:"risk"`
	RiskReasons []string      `json:"risk_reasons"`
	WaitingFor  []policy.Wait `json:"waiting_for"`
	Reasons     []string      `json:"reasons"`
	Head        tree.Hash     `json:"head"`
	Effective   string        `json:"effective"`
	Report      string        `json:"report"`
	Merge       tree.Hash     `json:"merge"`
	Files       []string      `json:"files"`
	Diagnostics diag.List     `json:"diagnostics"`
	Conflicts   []string      `json:"conflicts"`
	Next        string        `json:"next"`
	// And are the commands beside Next that required checks need.
	And     []string       `json:"and,omitempty"`
	Opened  time.Time      `json:"opened"`
	Notes   []string       `json:"notes"` // remarks on how it was made
	DryRun  bool           `json:"dry_run,omitempty"`
	Verdict policy.Verdict `json:"verdict"`
	// Provenance is the origin of the content, Outside why it counts as made elsewhere, Sessions
	// the identities of the machines.
	Provenance policy.Provenance `json:"provenance"`
	Outside    []string          `json:"outside"`
	Sessions   []policy.Actor    `json:"sessions"`
	sessions   []string          // in words
	// Upstream are the sources that it tracks; only where show and review ask.
	Upstream []Upstream `json:"upstream,omitempty"`
	// Origin is the run that made it; only where show and why ask.
	Origin *Origin `json:"origin,omitempty"`
	// Maker is the run that makes it, or made it, and where that stands.
	Maker *task.Maker `json:"maker,omitempty"`
	// Opinions are the second opinions about it.
	Opinions []Opinion `json:"opinions"`
	// Queued reports that the service merges it when its conditions are met.
	Queued bool `json:"queued,omitempty"`
	// Tests are the known test outcomes for exactly this content, null if there are none.
	Tests *policy.Tests `json:"tests"`
	// Did says how the capabilities of a merged proposal did since, and those that another one changes
	// until now; only where show, why, status --all and review ask.
	Did []triallog.Did `json:"did,omitempty"`
	// Checks are the required checks that apply.
	Checks []policy.CheckStatus `json:"checks"`
	// NotApplied are the required checks that do not apply.
	NotApplied []string `json:"checks_not_applied,omitempty"`
	runners    []string
	// FailedRuns are failed runs about it that no required check asks for; only where show and review ask.
	FailedRuns []FailedRun `json:"failed_runs,omitempty"`
	// Weak are approvals that any program of this user could have signed.
	Weak []WeakApproval `json:"weak"`
	// Claimed is the commit that the record calls its merge, although main does not have that.
	Claimed tree.Hash `json:"claimed_merge,omitzero"`
	// Unforced says why the merge is not and never was in force: someone forged it.
	Unforced string `json:"not_in_force,omitempty"`
	// Excepted says that today's rules would refuse this merge, and which version allowed it.
	Excepted string `json:"excepted,omitempty"`
	// Elsewhere says that it lacks nothing but a merge where another key is; only where show, why and missions ask.
	Elsewhere string `json:"merges_elsewhere,omitempty"`
}

type pullJSON struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Ref    string `json:"ref"`

	open bool
}

// ProposalOf gathers the shown facts about an examined proposal.
func ProposalOf(ex workspace.Examined) Proposal {
	p, c := ex.Case.Proposal, ex.Case
	state := gate.State(c, ex.Verdict)
	v := Proposal{
		ID: c.Pull.ID, Branch: c.Pull.Branch, State: string(state), Kind: ex.Report.KindOf(p), Agent: p.Agent, Goal: p.Goal,
		Pull: pullJSON{Number: c.Pull.Number, URL: c.Pull.URL, Ref: "refs/assent/pulls/" + c.Pull.ID, open: c.Pull.State == forge.Open},
		Risk: ex.Risk.Tier.String(), RiskReasons: []string{}, WaitingFor: ex.Verdict.WaitingFor, Reasons: ex.Verdict.Reasons(),
		Head: c.Pull.Head, Effective: c.Effective, Merge: c.Pull.Merge, Files: []string{}, Diagnostics: slices.Clone(ex.Report.Diagnostics),
		Conflicts: []string{}, Notes: []string{}, Weak: []WeakApproval{}, Next: strings.ReplaceAll(state.Next(), "ID", c.Pull.ID), Opened: c.Pull.Opened, Verdict: ex.Verdict,
	}
	v.Excepted, v.Claimed = ex.Excepted, c.Pull.Claimed
	if state == proposal.Conflicted {
		v.Next = ex.Result.Settle(v.ID, p)
	}
	if ex.Verdict.OnlyTests() {
		v.Next = strings.ReplaceAll(proposal.Approved.Next(), "ID", v.ID) // a merge runs them
	}
	if v.Goal == "" {
		v.Goal = c.Pull.Title
	}
	if v.Agent == "" {
		v.Agent = c.Pull.Author.String()
	}
	if ex.Case.Held != "" && ex.Verdict.Allowed() && state == proposal.Waiting {
		v.Reasons, v.Next = []string{ex.Case.Held}, ex.Way
	}
	if v.WaitingFor == nil || state != "waiting" && state != "changes_requested" {
		v.WaitingFor = []policy.Wait{}
	}
	facts := c.Facts()
	v.Provenance, v.Outside, v.Sessions = facts.Provenance, console.NonNil(facts.Provenance.Outside()), append([]policy.Actor{}, facts.Sessions...)
	for _, s := range v.Sessions {
		v.sessions = append(v.sessions, sessionText(c.Policies.Roles, s))
	}
	v.Opinions, v.Tests, v.Checks = OpinionsOf(facts), facts.Tests, append([]policy.CheckStatus{}, policy.Checks(c.Policies, facts)...)
	v.runners = c.Policies.Roles.Members(policy.Runner)
	v.NotApplied = policy.Inapplicable(c.Policies, facts)
	if steps := v.checkSteps(); len(steps) > 0 && state == proposal.Waiting {
		if v.And = steps; ex.Case.Held == "" && len(v.WaitingFor) == 0 {
			v.Next, v.And = steps[0], steps[1:]
		}
	}
	switch state {
	case proposal.Refused:
		v.Next = refusedNext(v, ex.Verdict.WaysOut())
	case proposal.ChangesRequested:
		v.Next = v.update()
	}
	v.RiskReasons = append(v.RiskReasons, ex.Risk.DecisiveWhys()...)
	for _, f := range ex.Report.Files {
		v.Files = append(v.Files, f.Path)
	}
	for _, f := range ex.Result.Conflicts {
		v.Conflicts = append(v.Conflicts, f.Path)
	}
	if v.Diagnostics == nil {
		v.Diagnostics = diag.List{}
	}
	for i, d := range v.Diagnostics { // a report does not know its proposal's id
		v.Diagnostics[i].Fix = strings.ReplaceAll(d.Fix, diffOfIt, "assent diff "+names.ShellWord(v.ID)+" ")
	}
	if digest, err := ex.Report.Digest(); err == nil {
		v.Report = digest
	}
	return v
}

// diffOfIt is how a finding names the difference of the proposal that it is about.
const diffOfIt = "assent diff ID "

// PrintProposal shows one proposal on a few lines.
func PrintProposal(c *console.Console, v Proposal) {
	c.Printf("%s  %s\n", c.Style.Bold(console.OneLine(v.ID)), console.OneLine(v.Goal))
	c.Field("state", c.Style.State(v.State))
	if v.Queued {
		c.Field("queued", "the service merges it when its conditions are met")
	}
	c.Field("proposed", fmt.Sprintf("by %s, kind %s", console.OneLine(v.Agent), console.OneLine(v.Kind)))
	c.Field("risk", console.OneLine(v.Risk+ReasonsAfter(v.RiskReasons)))
	PrintMaker(c, v)
	PrintOrigin(c, v.Origin)
	printProvenance(c, v)
	printOpinions(c, v.Opinions)
	printTests(c, v.Tests)
	PrintDid(c, v.Did...)
	for _, s := range v.Checks {
		if !slices.Contains(v.Reasons, s.Text()) { // which are printed below
			PrintCheck(c, s)
		}
	}
	PrintNotApplied(c, v)
	for _, f := range v.FailedRuns {
		c.Field("warning", c.Style.Warn(console.OneLine(f.Text())))
	}
	if v.Pull.URL != "" {
		c.Field("page", console.OneLine(v.Pull.URL))
	}
	c.Field("branch", console.OneLine(v.Branch)+" at "+v.Head.String())
	if !v.Merge.IsZero() {
		c.Field("merged", "by commit "+v.Merge.Short())
	}
	PrintClaimed(c, v)
	PrintUnforced(c, v)
	c.Optional("excepted", console.OneLine(v.Excepted))
	for i, f := range v.Files {
		name := ""
		if i == 0 {
			name = "files"
		}
		if i == 12 && len(v.Files) > 14 {
			c.Field("", fmt.Sprintf("… and %d more", len(v.Files)-i))
			break
		}
		c.Field(name, console.OneLine(f))
	}
	if len(v.Diagnostics) > 0 {
		c.Printf("  findings\n")
		c.Diagnostics(c.World.Out, v.Diagnostics)
	}
	for _, f := range v.Conflicts {
		c.Field("conflict", console.OneLine(f)+" was changed on main, too")
	}
	if v.State != "merged" && v.State != "approved" {
		for i, r := range v.Reasons {
			name := ""
			if i == 0 {
				name = "why"
			}
			c.Field(name, console.OneLine(r))
		}
	}
	for _, w := range v.WaitingFor {
		c.Field("waits for", console.OneLine(WaitText(w)))
	}
	PrintWeak(c, v.Weak)
	if !v.DryRun {
		printNext(c, v)
	}
}

// printNext shows the next steps.
func printNext(c *console.Console, v Proposal) {
	if v.Next == "" {
		return
	}
	c.Optional("merge", v.Elsewhere)
	c.Field("next", v.Next)
	for _, step := range v.And {
		c.Field("and", console.OneLine(step))
	}
}

// PrintCheck shows the state of a required check.
func PrintCheck(c *console.Console, s policy.CheckStatus) {
	c.Field("check", console.OneLine(s.Name+" "+s.Reason))
}

// PrintNotApplied names the required checks that do not apply to a proposal.
func PrintNotApplied(c *console.Console, v Proposal) {
	if len(v.NotApplied) > 0 {
		c.Field("not required", "checks "+console.OneLine(strings.Join(v.NotApplied, ", ")))
	}
}

// NameElsewhere finds out if it is approved, but no key here may vouch for its merge.
func (v *Proposal) NameElsewhere(c *console.Console, cur workspace.Session, ex workspace.Examined) {
	merge := strings.ReplaceAll(proposal.Approved.Next(), "ID", v.ID)
	if v.Next == merge && !cur.Forge.Traits().ServiceMerges && workspace.NeedsVoucher(cur, ex) && !console.CanVouch(c, cur) {
		v.Elsewhere, v.Next = "approved; it has to be merged where a human's or a witness's key is", merge+", there"
	}
}

// ExaminedProposal examines a proposal, and finds out if it has to be merged elsewhere.
func ExaminedProposal(ctx context.Context, c *console.Console, cur workspace.Session, id string) (v Proposal, ex workspace.Examined, err error) {
	if ex, err = cur.Examine(ctx, id); err == nil {
		v = ProposalOf(ex)
		v.NameElsewhere(c, cur, ex)
	}
	return v, ex, err
}

// MergesElsewhere says of a run's open proposal that it has to be merged where another key is, "" of another one. One that
// cannot be read hides no run.
func MergesElsewhere(ctx context.Context, c *console.Console, cur workspace.Session, s run.State) string {
	pull, err := task.PullOf(ctx, cur.Workspace, s)
	if err != nil || s.Outcome != "" || pull.ID == "" || pull.State != forge.Open {
		return ""
	}
	v, _, _ := ExaminedProposal(ctx, c, cur, pull.ID)
	return v.Elsewhere
}

// NameUnforced finds out if the merge of a proposal ever was in force.
func (v *Proposal) NameUnforced(ctx context.Context, cur workspace.Session, ex workspace.Examined) (err error) {
	v.Unforced, err = workspace.Unforced(ctx, cur, ex.Case.Pull)
	return err
}

// PrintUnforced says that the merge of a proposal never was in force.
func PrintUnforced(c *console.Console, v Proposal) {
	if v.Unforced != "" {
		c.Printf("  %s %s (assent status)\n", c.Style.Bad("its merge is not in force:"), console.OneLine(v.Unforced))
	}
}

// PrintClaimed names a merge that the record claims and main lacks.
func PrintClaimed(c *console.Console, v Proposal) {
	if !v.Claimed.IsZero() {
		c.Field("claimed", "its record says merged as "+v.Claimed.Short()+", which main does not have, so it remains open: "+
			"main was rolled back, or someone wrote a false event (assent audit verify)")
	}
}

// ReasonsAfter is the end of a sentence that gives reasons; "" without any.
func ReasonsAfter(reasons []string) string {
	if len(reasons) == 0 {
		return ""
	}
	return ": " + strings.Join(reasons, "; ")
}

// WaitText says which approval is missing, and who could give it.
func WaitText(w policy.Wait) string {
	who := slices.Clone(w.Who)
	if len(w.Part) > 0 {
		who = append(who, strings.Join(w.Part, " and ")+" took part and can lower it by signing, too")
	}
	if len(who) == 0 {
		who = []string{"no one can at present"}
	}
	return fmt.Sprintf("%s (%d of %d; %s)", w.Role, w.Have, w.Need, strings.Join(who, ", "))
}

// PrintAnswer shows one proposal as text or JSON. A machine gets a refusal on standard error, too;
// a person has just read it.
func PrintAnswer(c *console.Console, v Proposal) error {
	if !c.JSON {
		PrintProposal(c, v)
		if v.stopped() {
			return console.Quiet(console.ExitRefused)
		}
		return nil
	}
	if err := c.Emit(v); err != nil {
		return err
	}
	return v.Refusal()
}

func (v Proposal) stopped() bool {
	return v.State == string(proposal.Refused) || v.State == string(proposal.Conflicted)
}

// Refusal returns the error for a proposal that cannot go on; nil for others.
func (v Proposal) Refusal() error {
	if !v.stopped() {
		return nil
	}
	return &console.Failure{
		Code: console.ExitRefused, Err: fmt.Errorf("%s is %s: %s", v.ID, v.State, strings.Join(v.Reasons, "; ")),
		Hint: v.Next, Diags: v.Diagnostics,
	}
}
