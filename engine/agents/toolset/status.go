package toolset

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/tools/memory"
	"github.com/assent-dev/assent/engine/workspace"
)

// StatusInput asks about one thing: a proposal's id or a capability's name. Empty asks about
// the whole workspace.
type StatusInput struct {
	About string `json:"about,omitempty"`
}

// StatusOutput is the current status. Exactly one of Workspace, Proposal and Capability is
// set.
type StatusOutput struct {
	Workspace  *Standing       `json:"workspace,omitempty"`
	Proposal   *ProposalStatus `json:"proposal,omitempty"`
	Capability *Active         `json:"capability,omitempty"`
}

// Standing is the workspace for one agent.
type Standing struct {
	Agent string `json:"agent,omitempty"`
	// Commit is the commit in force.
	Commit string `json:"commit"`
	// Active counts the capabilities that the agent may use, by kind.
	Active map[capability.Kind]int `json:"active"`
	// Open are the agent's open proposals; without an agent's name, those of all agents.
	Open []Proposal `json:"open"`
	// Runs are those that the agent asked for on this machine: active ones, and those that ended in the last week.
	Runs []task.Request `json:"runs"`
	// Changed are the merges since the last call of Status, or since the connection began.
	Changed []Change `json:"changed"`
	// Problems say why commits on main are not in force.
	Problems []string `json:"problems,omitempty"`
}

// Change is one merge that is in force.
type Change struct {
	Proposal  string    `json:"proposal"`
	Subject   string    `json:"subject"`
	At        time.Time `json:"at"`
	Agent     string    `json:"agent,omitempty"`
	Approvers []string  `json:"approvers,omitempty"`
}

// ProposalStatus is a proposal with people's decisions and remarks.
type ProposalStatus struct {
	Proposal
	Said []string `json:"said,omitempty"`
}

// Active says whether a capability can be used now, and which merge put it in force.
type Active struct {
	Name    string             `json:"name"`
	Kind    capability.Kind    `json:"kind"`
	Version capability.Version `json:"version"`
	Status  capability.Status  `json:"status"`
	// Use is the next step with it, as in find.
	Use string `json:"use"`
	// Since is the merge that last changed it; its Proposal is empty if it is as old as the
	// workspace.
	Since Change `json:"since"`
}

// recentChanges bounds how many merges are listed, maxOpen how many proposals, and maxRuns how many
// runs; maxReason is in characters.
const (
	recentChanges = 20
	maxOpen       = 20
	maxRuns       = 10
	maxReason     = 500
)

// Status reports the state in force and its reason, the waiting proposals, and the changes since its
// last call.
func (a *Agent) Status(ctx context.Context, in StatusInput) (StatusOutput, error) {
	cur, err := a.Look(ctx)
	if err != nil {
		return StatusOutput{}, err
	}
	if in.About == "" {
		s, err := a.standing(ctx, cur, listed)
		return StatusOutput{Workspace: &s}, err
	}
	known, err := cur.View.Named(in.About)
	if err != nil {
		return StatusOutput{}, err
	}
	if len(known) > 0 {
		active, err := active(ctx, a, cur, known[0])
		return StatusOutput{Capability: &active}, err
	}
	pull, err := propose.Resolve(ctx, cur.Workspace, in.About)
	if errors.Is(err, forge.ErrNotFound) {
		return StatusOutput{}, refuse("find searches what is in force; status without about lists the open proposals", "no capability in force and no proposal is called %q", in.About)
	}
	if err != nil {
		return StatusOutput{}, unknownProposal(err, in.About)
	}
	ex, err := cur.Examine(ctx, pull.ID)
	if err != nil {
		return StatusOutput{}, err
	}
	p := proposalOf(ex)
	did, err := memory.DeedsOf(cur).Did(ex)
	for _, d := range did {
		p.Notes = append(append(p.Notes, d.Text()), d.Remarks()...)
	}
	return StatusOutput{Proposal: &ProposalStatus{p, remarks(ex.Case.Activity)}}, err
}

// remarks lists people's decisions and remarks.
func remarks(a forge.Activity) []string {
	var out []string
	for _, r := range a.Reviews {
		out = append(out, strings.TrimSuffix(r.By.String()+" "+r.Decision+": "+r.Reason, ": "))
	}
	for _, c := range a.Comments {
		out = append(out, c.By.String()+" comments: "+c.Body)
	}
	return out
}

// look returns the state of an open proposal.
type look func(context.Context, workspace.Session, forge.Pull) (Proposal, error)

func (a *Agent) standing(ctx context.Context, cur workspace.Session, of look) (Standing, error) {
	out := Standing{Agent: a.Name, Commit: cur.InForce.String(), Active: map[capability.Kind]int{}, Open: []Proposal{}}
	if n := len(cur.Blocked); n > 0 {
		out.Problems = append(out.Problems, fmt.Sprintf("%s on main not in force, the newest is %s; %s", are(n, "commit"), cur.Blocked[0].Commit.Short(), askStatus))
	}
	for _, d := range cur.PolicyDiags {
		out.Problems = append(out.Problems, d.String())
	}
	entries, err := cur.Capabilities.Entries(a.mayUse)
	if err != nil {
		return out, err
	}
	for _, e := range entries {
		out.Active[e.Kind]++
	}
	if err := a.open(ctx, cur, of, &out); err != nil {
		return out, err
	}
	if out.Runs, err = requested(ctx, a, cur); err != nil {
		return out, err
	}
	out.Changed, err = a.changed(ctx, cur)
	return out, err
}

// open lists the agent's open proposals. Damaged ones are problems.
func (a *Agent) open(ctx context.Context, cur workspace.Session, of look, out *Standing) error {
	pulls, err := cur.Forge.List(ctx, forge.Filter{State: forge.Open, Author: a.Name})
	bad, err := forge.Damages(err)
	if err != nil {
		return err
	}
	for _, p := range pulls[:min(maxOpen, len(pulls))] {
		now, err := of(ctx, cur, p)
		damaged, err := forge.Damages(err)
		if err != nil {
			return err
		}
		if bad = append(bad, damaged...); len(damaged) == 0 {
			out.Open = append(out.Open, now)
		}
	}
	if n := len(bad); n > 0 {
		out.Problems = append(out.Problems, fmt.Sprintf("%s not readable; %s", are(n, "proposal"), askStatus))
	}
	return nil
}

// listed returns a proposal that waits for people from its records, because an examination takes much longer.
// It examines proposals that the agent must act upon or that could merge. Reasons are dropped: anyone who can push can
// record a report.
func listed(ctx context.Context, cur workspace.Session, p forge.Pull) (Proposal, error) {
	if c, err := cur.Recorded(ctx, p); err == nil {
		v, risk := gate.Judge(c)
		now, err := cur.Result(cur.Main, p.Head)
		if err == nil && len(now.Conflicts) == 0 && gate.State(c, v) == proposal.Waiting {
			out := proposalOf(workspace.Examined{Case: c, Verdict: v, Risk: risk})
			out.Reasons = nil
			return out, nil
		}
	}
	return examined(ctx, cur, p)
}

// examined judges a proposal as a merge would.
func examined(ctx context.Context, cur workspace.Session, p forge.Pull) (Proposal, error) {
	ex, err := cur.Examine(ctx, p.ID)
	if err != nil {
		return Proposal{}, err
	}
	return proposalOf(ex), nil
}

// recorded reads from a proposal's record whether its agent must act. It examines nothing, so that each
// session begins at once.
func recorded(ctx context.Context, cur workspace.Session, p forge.Pull) (Proposal, error) {
	out := Proposal{ID: p.ID, State: proposal.Open}
	c, err := cur.Recorded(ctx, p)
	damaged, err := forge.Damages(err)
	if err != nil || len(damaged) > 0 { // without a report on its last version it is open
		return out, err
	}
	v, _ := gate.Judge(c)
	switch s := gate.State(c, v); s {
	case proposal.ChangesRequested, proposal.Refused, proposal.Expired:
		out.State = s
	}
	return out, nil
}

// requested lists the runs that the agent asked for.
func requested(ctx context.Context, a *Agent, cur workspace.Session) ([]task.Request, error) {
	if a.Name == "" {
		return []task.Request{}, nil
	}
	all, err := task.Requested(ctx, cur, true, a.Name)
	if err != nil {
		return nil, err
	}
	all = all[:min(maxRuns, len(all))]
	for i := range all {
		if r := []rune(all[i].Reason); len(r) > maxReason {
			all[i].Reason = string(r[:maxReason]) + "…"
		}
	}
	return all, nil
}

// askStatus ends a problem that anyone who can push can cause. The texts of such problems are a
// stranger's, and a model would read them as assent's: only people get them, from assent status.
const askStatus = "assent status says why"

func are(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return fmt.Sprintf("%d %ss are", n, what)
}

// Begin records the commit in force when the connection begins, so that Status can list
// changes.
func (a *Agent) Begin(ctx context.Context) error {
	cur, err := a.Look(ctx)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.told.IsZero() {
		a.told = cur.InForce
	}
	return nil
}

// changed returns the merges that came into force since the last call.
func (a *Agent) changed(ctx context.Context, cur workspace.Session) ([]Change, error) {
	a.mu.Lock()
	since := a.told
	a.told = cur.InForce
	a.mu.Unlock()
	out := []Change{}
	if since == cur.InForce || since.IsZero() {
		return out, nil
	}
	entries, err := audit.Log(ctx, cur, recentChanges, nil)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Commit == since {
			break
		}
		if e.Kind == audit.Merge && e.InForce {
			out = append(out, changeOf(e))
		}
	}
	return out, nil
}

func changeOf(e audit.Entry) Change {
	return Change{Proposal: e.Proposal, Subject: e.Subject, At: e.At.UTC(), Agent: e.Agent, Approvers: e.Approvers}
}

// active returns the state of a capability and the merge that last changed it.
func active(ctx context.Context, a *Agent, cur workspace.Session, f capability.Folder) (Active, error) {
	entries, err := cur.Capabilities.Entries(func(e index.Entry) bool { return e.Path == f.Path })
	if err != nil || len(entries) == 0 {
		return Active{}, err
	}
	e := entries[0]
	out := Active{Name: e.Name, Kind: e.Kind, Version: e.Version, Status: e.Status}
	use, err := a.uses(ctx, cur)
	if err != nil {
		return out, err
	}
	now, err := use.Condition(e)
	if err != nil {
		return out, err
	}
	m, err := use.match(e, now)
	if err != nil {
		return out, err
	}
	if out.Use = m.Use; !a.mayUse(e) {
		out.Use = unusable + "it is " + string(e.Status)
		if e.Status.Runs() {
			out.Use = unusable + "it is not for " + a.label()
		}
	}
	last, err := audit.LastChanges(cur.Repo, cur.InForce, []string{f.Path})
	if err != nil {
		return out, err
	}
	return out, since(ctx, cur, last[f.Path].Hash, &out)
}

func since(ctx context.Context, cur workspace.Session, commit tree.Hash, out *Active) error {
	found, err := audit.Log(ctx, cur, 1, func(c gitstore.Commit) (bool, error) { return c.Hash == commit, nil })
	if err == nil && len(found) > 0 {
		out.Since = changeOf(found[0])
	}
	return err
}
