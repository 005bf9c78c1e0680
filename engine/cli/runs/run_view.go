package runs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// workJSON is a run as machines get it.
type workJSON struct {
	run.State
	// Waits are the jobs that wait, with the role they wait for.
	Waits []waitJSON `json:"waits"`
	// HeldBy is the run of its concurrency group for which it waits, ReplacedBy the newer one that ends it.
	// HolderEnds says why the next pass ends the run that it waits for.
	HeldBy     string `json:"held_by,omitempty"`
	HolderEnds string `json:"holder_ends,omitempty"`
	ReplacedBy string `json:"replaced_by,omitempty"`
	// Stalled are its scripts that count as running, although no process runs them.
	Stalled []stalledJSON `json:"stalled,omitempty"`
	// Vacancies are its tasks that no one can take.
	Vacancies []task.Vacancy `json:"vacancies,omitempty"`
	// Superseded is set if another version of its workflow is in force now, which an active run does not follow, or none.
	Superseded bool `json:"superseded,omitempty"`
	// Fails says which job has failed, so that the run will end as failed.
	Fails string `json:"fails,omitempty"`
	// Ends says why the next pass ends it, whatever its jobs wait for.
	Ends string `json:"ends,omitempty"`
	// Overridden are decisions that people took here about it, and that do not count because another clone pushed first.
	Overridden []output.OverriddenDecision `json:"lost,omitempty"`
	// PassedOver says why it does not count as the run of a schedule, although it has the id of one.
	PassedOver string `json:"passed_over,omitempty"`
	// Elsewhere says that its proposal lacks nothing but a merge where another key is.
	Elsewhere string `json:"merges_elsewhere,omitempty"`
	// Rejected is the rejection of an earlier proposal for the gap that began it.
	Rejected *answers.Answer `json:"rejected,omitempty"`
	// Estimate is of what it costs to close the gap that began it, and what that saves.
	Estimate *answers.Estimate `json:"estimate,omitempty"`
	// Shared reports that the remote has what the command recorded; Unasked says why it does not, if it should.
	Shared  bool   `json:"shared,omitempty"`
	Unasked string `json:"unasked,omitempty"`
	turn    task.Turn
	merges  bool // all that its merge needs is there
}

type stalledJSON struct {
	Job string `json:"job"`
	Why string `json:"why"`
}

func (s stalledJSON) String() string {
	return "no process runs " + s.Job + ": " + s.Why + "; assent reconcile goes on with it"
}

// stalled are the scripts of a run that no process runs.
func stalled(cur workspace.Session, s run.State) (out []stalledJSON) {
	for _, name := range sorted(s.Jobs) {
		if why := task.Stalled(cur.Workspace, s.Jobs[name]); why != "" && s.Outcome == "" {
			out = append(out, stalledJSON{name, why})
		}
	}
	return out
}

type waitJSON struct {
	Job      string    `json:"job"`
	Role     string    `json:"role"`
	Approve  bool      `json:"approve"`
	Attempt  int       `json:"attempt"`
	Since    time.Time `json:"since"`
	Claimant string    `json:"claimant"`
	Until    time.Time `json:"until,omitzero"`
	// Due is when the job, or its run, fails because no one has done it.
	Due time.Time `json:"due,omitzero"`
	// Expired says that no one approved it in time, which the next pass records.
	Expired string `json:"expired,omitempty"`
}

func runView(s run.State, now time.Time) workJSON {
	v := workJSON{State: s, Waits: []waitJSON{}}
	v.Jobs = maps.Clone(s.Jobs)
	for _, name := range sorted(s.Jobs) {
		j := s.Jobs[name]
		j.By = j.Doer()
		v.Jobs[name] = j
		if j.Status != run.Waiting || s.Outcome != "" {
			continue
		}
		w := waitJSON{Job: name, Role: j.Role, Approve: j.Approve, Attempt: j.Attempt, Since: j.Asked}
		if j.Held(now) {
			w.Claimant, w.Until = j.Claimant, j.Until
		}
		v.Waits = append(v.Waits, w)
	}
	return v
}

// fullView is runView with what the run waits for beside its jobs.
func fullView(ctx context.Context, cur workspace.Session, defs *task.Definitions, s run.State) (v workJSON, err error) {
	v = runView(s, cur.Now())
	if s.Outcome == "" {
		flow, _ := defs.Recorded(s)
		v.Stalled = stalled(cur, s)
		v.Vacancies, v.Fails = task.Vacancies(cur.Policies.Roles, flow, s), run.Fails(flow, s)
		for i, wait := range v.Waits {
			if j, known := flow.Job(wait.Job); known {
				v.Waits[i].Expired, v.Waits[i].Due = run.Expired(j, s.Jobs[wait.Job], cur.Now()), run.Due(flow, s, j)
			}
		}
		if v.Superseded = defs.Superseded(s); v.Superseded {
			def, err := defs.Of(ctx, s)
			if v.Ends = def.Ends; err != nil {
				return v, err
			}
		}
		v.Ends = cmp.Or(v.Ends, defs.EndsNext(flow, s))
		v.merges = slices.ContainsFunc(flow.Jobs, func(j workflow.Job) bool { return j.Uses == workflow.Merge && s.Ripe(j) })
		v.turn, err = defs.TurnOf(ctx, s)
		v.HeldBy, v.HolderEnds, v.ReplacedBy = v.turn.Holder, v.turn.Ends, v.turn.Replaced
	}
	return v, err
}

// runStatus says in plain words where a run is.
func runStatus(s workJSON, now time.Time) string {
	if s.PassedOver != "" {
		return "passed over: " + console.OneLine(s.PassedOver)
	}
	if s.Outcome != "" {
		out := string(s.Outcome)
		if s.Reason != "" {
			out += ": " + console.OneLine(s.Reason)
		}
		return out
	}
	if s.Ends != "" {
		return console.OneLine(s.Ends) + "; assent reconcile ends the run"
	}
	if waits := s.turn.String(); waits != "" {
		return console.OneLine(waits)
	}
	out := ""
	for _, wait := range s.Waits {
		if out != "" {
			out += ", "
		}
		out += console.OneLine(wait.Job)
		v, vacant := task.VacancyOf(s.Vacancies, wait.Job)
		switch {
		case wait.Expired != "":
			out += " has " + wait.Expired
		case wait.Claimant != "":
			out += " is with " + console.OneLine(wait.Claimant)
		case vacant:
			out += " waits for " + wait.Role + ", but " + console.OneLine(v.String())
		default:
			out += " waits for " + wait.Role
		}
	}
	if out == "" {
		out = "assent reconcile goes on with it"
		if s.merges && s.Proposal != "" {
			out = "waits for its proposal: assent why " + names.ShellWord(console.OneLine(s.Proposal))
		}
		for _, name := range sorted(s.Jobs) {
			if j := s.Jobs[name]; j.Status == run.Running && now.Before(j.Until) {
				out = console.OneLine(name) + " runs"
			}
		}
		for _, s := range s.Stalled {
			out = console.OneLine(s.String())
		}
	}
	return out
}

// printSteps shows a person the steps that a run took.
func printSteps(c *console.Console, roles policy.Roles, out task.Advanced) {
	switch {
	case c.JSON:
	case out.Outcome != "":
		c.Printf("the run %s %s%s\n", c.Style.Bold(console.OneLine(out.ID)), out.Outcome.Phrase(), after(out.Reason))
		if out.Outcome == run.Broke {
			c.Field("next", "assent run show "+names.ShellWord(out.ID))
		}
	default:
		if out.Waits != "" {
			c.Field("waits", console.OneLine(out.Waits))
			if out.Proposal != "" {
				c.Field("next", "assent why "+names.ShellWord(console.OneLine(out.Proposal)))
			}
		}
		vacancies, waits := task.Vacancies(roles, out.Flow, out.State), runView(out.State, time.Time{}).Waits
		if out.Waits == "" && len(waits)+len(vacancies) == 0 {
			c.Field("next", "assent run show "+names.ShellWord(out.ID)+" --watch")
		}
		for _, wait := range waits {
			next := "assent task next --agent " + names.ShellWord(roles.Named(wait.Role, takers(roles, out, wait, c.World.Now())))
			if v, vacant := task.VacancyOf(vacancies, wait.Job); vacant {
				next = v.String()
			}
			if wait.Approve {
				next = "assent run approve " + names.ShellWord(out.ID) + " " + names.ShellWord(wait.Job)
			}
			c.Field("next", console.OneLine(wait.Job+" waits for "+wait.Role+": "+next))
		}
		for _, v := range vacancies {
			if out.Jobs[v.Job].Status == "" {
				c.Field("lacks", console.OneLine(v.String()))
			}
		}
	}
	output.PrintCheckout(c, out.Worktree, nil)
}

// takers are those who may take a waiting task.
func takers(roles policy.Roles, out task.Advanced, wait waitJSON, now time.Time) []string {
	j, _ := out.Flow.Job(wait.Job)
	return task.Takers(roles, task.Task{Run: out.State, Flow: out.Flow, Job: j}, now)
}

func after(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + console.OneLine(reason)
}
