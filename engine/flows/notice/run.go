package notice

import (
	"slices"
	"strconv"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Around is what the notices of a run need beside its state.
type Around struct {
	Flow      workflow.Workflow
	Roles     policy.Roles
	Workspace string
	// Link is the page of its proposal, "" for none.
	Link string
	// Takers are the agents who may take a waiting task.
	Takers func(workflow.Job) []string
	Now    time.Time
}

// OfRun makes the notices of a run: for everyone who may do a waiting task that is not
// taken, for the messages of the workflow's jobs, and for the requester when it has ended.
// Goals, reasons and names in them are untrusted text.
func OfRun(s run.State, a Around) []Notice {
	flow, roles, now := a.Flow, a.Roles, a.Now
	base := Notice{
		V: Version, Workspace: a.Workspace, Link: a.Link, Proposal: s.Proposal, Goal: s.Inputs["goal"], Kind: s.Workflow, Agent: s.For,
		Risk: s.Risk().String(), Reasons: []string{}, For: []Person{}, Of: s.ID, Run: "assent run show " + names.ShellWord(s.ID), At: now.UTC(),
	}
	if s.Outcome != "" {
		return append(messages(base, s, flow, roles), ended(base, s, roles))
	}
	out := messages(base, s, flow, roles)
	for _, j := range flow.Jobs {
		state := s.Jobs[j.Name]
		if state.Status != run.Waiting || state.Held(now) {
			continue
		}
		n := base
		n.Event, n.Job, n.State = Task, j.Name, string(state.Status)
		n.Round = strconv.Itoa(state.Attempt) + "." + strconv.Itoa(state.Reminders)
		n.Reasons = []string{j.Name + " waits for " + state.Role}
		takers := a.Takers(j)
		n.Run = "assent task next --agent " + names.ShellWord(roles.Named(state.Role, takers))
		n.For = []Person{}
		if len(takers) == 0 {
			n.Reasons, n.Run = append(n.Reasons, "no one in policies/roles.yaml can take it"), "assent run show "+names.ShellWord(s.ID)
		}
		if j.Approve != "" {
			n.Reasons = []string{j.Name + " waits until " + run.Due(flow, s, j).Format(time.RFC3339) + " for an approval by " + j.Approve}
			if j.Message != "" {
				n.Reasons = append(n.Reasons, j.Message)
			}
			n.Run, takers = "assent run approve "+names.ShellWord(s.ID)+" "+names.ShellWord(j.Name), j.Approvers(roles)
		}
		for _, name := range takers {
			n.For = append(n.For, person(roles, name, state.Role))
		}
		out = append(out, n)
	}
	return out
}

// messages returns the messages of jobs with uses: notify.
func messages(base Notice, s run.State, flow workflow.Workflow, roles policy.Roles) []Notice {
	var out []Notice
	for _, j := range flow.Jobs {
		if j.Uses != workflow.Notify || s.Jobs[j.Name].Status != run.Did {
			continue
		}
		n := base
		n.Event, n.Job, n.State, n.Reasons = Told, j.Name, string(run.Did), []string{j.Message}
		n.For = asker(s, roles)
		out = append(out, n)
	}
	return out
}

func ended(base Notice, s run.State, roles policy.Roles) Notice {
	base.Event, base.State = Ended, string(s.Outcome)
	if s.Reason != "" {
		base.Reasons = []string{s.Reason}
	}
	base.For = asker(s, roles)
	return base
}

func asker(s run.State, roles policy.Roles) []Person {
	out := []Person{}
	for _, name := range []string{s.For, s.By} {
		if name != "" && !slices.ContainsFunc(out, func(p Person) bool { return p.Name == name }) {
			out = append(out, person(roles, name, policy.RoleProposer))
			break // the requester, else the starter
		}
	}
	return out
}
