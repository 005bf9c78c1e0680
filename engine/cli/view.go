package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// proposalJSON is one proposal as machines get it, from propose, status and show.
type proposalJSON struct {
	ID          string         `json:"id"`
	Branch      string         `json:"branch"`
	Pull        pullJSON       `json:"pull"`
	State       string         `json:"state"`
	Kind        string         `json:"kind"`
	Agent       string         `json:"agent"`
	Goal        string         `json:"goal"`
	Risk        string         `json:"risk"`
	RiskReasons []string       `json:"risk_reasons"`
	WaitingFor  []policy.Wait  `json:"waiting_for"`
	Reasons     []string       `json:"reasons"`
	Head        tree.Hash      `json:"head"`
	Effective   string         `json:"effective"`
	Report      string         `json:"report"`
	Merge       tree.Hash      `json:"merge"`
	Files       []string       `json:"files"`
	Diagnostics diag.List      `json:"diagnostics"`
	Conflicts   []string       `json:"conflicts"`
	Next        string         `json:"next"`
	Opened      time.Time      `json:"opened"`
	Notes       []string       `json:"notes"` // what was done on the way
	DryRun      bool           `json:"dry_run,omitempty"`
	Verdict     policy.Verdict `json:"verdict"`
	// Provenance is where the content came from, Outside why it counts as made
	// elsewhere, Sessions as whom the machines were set up.
	Provenance policy.Provenance `json:"provenance"`
	Outside    []string          `json:"outside"`
	Sessions   []policy.Actor    `json:"sessions"`
	// Opinions are what others said who were asked about it.
	Opinions []opinionJSON `json:"opinions"`
	// Queued says that the service is to merge it when what it waits for is there.
	Queued bool `json:"queued,omitempty"`
	// Tests is what is known of the tests of exactly this content, null where nothing is.
	Tests *policy.Tests `json:"tests"`
	// Excepted says of what merged that today's rules would not let it pass.
	Excepted string `json:"excepted,omitempty"`
}

type pullJSON struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Ref    string `json:"ref"`
}

// viewOf gathers what is shown about an examined proposal.
func viewOf(ex workspace.Examined) proposalJSON {
	p, c := ex.Case.Proposal, ex.Case
	state := gate.State(c, ex.Verdict)
	v := proposalJSON{
		ID: c.Pull.ID, Branch: c.Pull.Branch, State: string(state), Kind: ex.Report.KindOf(p), Agent: p.Agent, Goal: p.Goal,
		Pull: pullJSON{Number: c.Pull.Number, URL: c.Pull.URL, Ref: "refs/assent/pulls/" + c.Pull.ID},
		Risk: ex.Risk.Tier.String(), RiskReasons: []string{}, WaitingFor: ex.Verdict.WaitingFor, Reasons: ex.Verdict.Reasons(),
		Head: c.Pull.Head, Effective: c.Effective, Merge: c.Pull.Merge, Files: []string{}, Diagnostics: ex.Report.Diagnostics,
		Conflicts: []string{}, Notes: []string{}, Next: strings.ReplaceAll(state.Next(), "ID", c.Pull.ID), Opened: c.Pull.Opened, Verdict: ex.Verdict,
	}
	v.Excepted = ex.Excepted
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
	if state == proposal.Refused {
		v.Next = refusedNext(v, ex.Verdict.WaysOut())
	}
	if v.WaitingFor == nil || state != "waiting" && state != "changes_requested" {
		v.WaitingFor = []policy.Wait{}
	}
	facts := c.Facts()
	v.Provenance, v.Outside, v.Sessions = facts.Provenance, some(facts.Provenance.Outside()), append([]policy.Actor{}, facts.Sessions...)
	v.Opinions, v.Tests = opinionsOf(facts), facts.Tests
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
	if digest, err := ex.Report.Digest(); err == nil {
		v.Report = digest
	}
	return v
}

// refusedNext is the step out of a refusal, by what could change it: other content, unless
// that would be refused as well.
func refusedNext(v proposalJSON, events []string) string {
	switch {
	case slices.Contains(events, policy.OnPush):
		return v.Next
	case slices.Contains(events, policy.OnOthers):
		return "wait until others of " + v.Agent + " are merged, or withdraw one: assent status --agent " + v.Agent
	}
	return "propose other policies (assent why " + v.ID + " says which rule refuses it), or assent withdraw " + v.ID
}

// proposal shows one proposal on a few lines.
func (c *console) proposal(v proposalJSON) {
	c.printf("%s  %s\n", c.style.bold(oneLine(v.ID)), oneLine(v.Goal))
	c.field("state", c.state(v.State))
	if v.Queued {
		c.field("queued", "the service merges it when what it waits for is there")
	}
	c.field("proposed", fmt.Sprintf("by %s, kind %s", oneLine(v.Agent), oneLine(v.Kind)))
	c.field("risk", oneLine(v.Risk+reasonsAfter(v.RiskReasons)))
	c.provenance(v)
	c.opinions(v.Opinions)
	c.testsOf(v.Tests)
	if v.Pull.URL != "" {
		c.field("page", oneLine(v.Pull.URL))
	}
	c.field("branch", oneLine(v.Branch)+" at "+v.Head.Short())
	if !v.Merge.IsZero() {
		c.field("merged", "by commit "+v.Merge.Short())
	}
	c.optional("excepted", oneLine(v.Excepted))
	for i, f := range v.Files {
		name := ""
		if i == 0 {
			name = "files"
		}
		if i == 12 && len(v.Files) > 14 {
			c.field("", fmt.Sprintf("… and %d more", len(v.Files)-i))
			break
		}
		c.field(name, oneLine(f))
	}
	if len(v.Diagnostics) > 0 {
		c.printf("  findings\n")
		c.diagnostics(c.world.Out, v.Diagnostics)
	}
	for _, f := range v.Conflicts {
		c.field("conflict", oneLine(f)+" was changed on main, too")
	}
	if v.State != "merged" && v.State != "approved" {
		for i, r := range v.Reasons {
			name := ""
			if i == 0 {
				name = "why"
			}
			c.field(name, oneLine(r))
		}
	}
	for _, w := range v.WaitingFor {
		c.field("waits for", oneLine(waitText(w)))
	}
	if v.Next != "" && !v.DryRun {
		c.field("next", v.Next)
	}
}

func (c *console) field(name, value string) {
	c.printf("  %-10s %s\n", c.style.dim(name)+pad(name, 10), value)
}

// pad makes up for the escape sequences that %-10s counts.
func pad(name string, width int) string { return strings.Repeat(" ", max(0, width-len(name))) }

func reasonsAfter(reasons []string) string {
	if len(reasons) == 0 {
		return ""
	}
	return ": " + strings.Join(reasons, "; ")
}

func waitText(w policy.Wait) string {
	who := slices.Clone(w.Who)
	if len(w.Part) > 0 {
		who = append(who, strings.Join(w.Part, " and ")+" took part and can lower it by signing, too")
	}
	if len(who) == 0 {
		who = []string{"nobody can at present"}
	}
	return fmt.Sprintf("%s (%d of %d; %s)", w.Role, w.Have, w.Need, strings.Join(who, ", "))
}

func (c *console) state(s string) string {
	switch s {
	case "merged", "approved":
		return c.style.good(s)
	case "refused", "rejected", "conflicted":
		return c.style.bad(s)
	case "waiting", "changes_requested", "expired":
		return c.style.warn(s)
	}
	return s
}

// answer shows one proposal in the form that was asked for. A machine is told of a
// refusal on standard error, too; a person has just read it.
func (c *console) answer(v proposalJSON) error {
	if !c.json {
		c.proposal(v)
		if v.stopped() {
			return quiet(exitRefused)
		}
		return nil
	}
	if err := c.emit(v); err != nil {
		return err
	}
	return v.refusal()
}

func (v proposalJSON) stopped() bool {
	return v.State == string(proposal.Refused) || v.State == string(proposal.Conflicted)
}

// refusal is what a machine is told of a proposal that cannot go on; nil for others.
func (v proposalJSON) refusal() error {
	if !v.stopped() {
		return nil
	}
	return &failure{
		code: exitRefused, err: fmt.Errorf("%s is %s: %s", v.ID, v.State, strings.Join(v.Reasons, "; ")),
		hint: v.Next, diags: v.Diagnostics,
	}
}

// target opens the workspace and finds the proposal that an argument means.
func (c *console) target(ctx context.Context, arg string) (workspace.Session, forge.Pull, error) {
	cur, err := c.joined(ctx)
	if err != nil {
		return cur, forge.Pull{}, err
	}
	pull, err := propose.Resolve(ctx, cur.Workspace, arg)
	return cur, pull, err
}

// shown is target for commands that only look.
func (c *console) shown(ctx context.Context, arg string) (workspace.Session, forge.Pull, error) {
	cur, err := c.consulted(ctx)
	if err != nil {
		return cur, forge.Pull{}, err
	}
	pull, err := propose.Resolve(ctx, cur.Workspace, arg)
	return cur, pull, err
}

// current opens the workspace and observes what is in force here.
func (c *console) current(ctx context.Context) (workspace.Session, error) {
	w, err := c.open()
	return observed(ctx, w, err)
}

// joined is current for commands that change what others share.
func (c *console) joined(ctx context.Context) (workspace.Session, error) {
	w, err := c.join(ctx)
	return observed(ctx, w, err)
}

// consulted is current for commands that look at what others share: where the service fails
// on the way, they go on with what is known here, and say so.
func (c *console) consulted(ctx context.Context) (workspace.Session, error) {
	w, err := c.glance(ctx)
	return observed(ctx, w, err)
}

// looked is consulted for commands that show how the workspace stands: they go on at a
// break, where others stop.
func (c *console) looked(ctx context.Context) (workspace.Session, error) {
	w, err := c.glance(ctx)
	if err != nil {
		return workspace.Session{}, err
	}
	cur, _, err := w.Look(ctx)
	return cur, err
}

// glance is watch, with a forge that does without answers of its service.
func (c *console) glance(ctx context.Context) (*workspace.Workspace, error) {
	w, err := c.watch(ctx)
	if err != nil {
		return nil, err
	}
	w.Forge = w.Forge.Glancing(c.offline)
	return w, nil
}

func observed(ctx context.Context, w *workspace.Workspace, err error) (workspace.Session, error) {
	if err != nil {
		return workspace.Session{}, err
	}
	cur, err := w.Session(ctx)
	return cur, err
}
