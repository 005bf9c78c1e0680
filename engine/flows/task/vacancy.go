package task

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Vacancy is a task of a run for which the policies have no one.
type Vacancy struct {
	Job  string `json:"job"`
	Role string `json:"role"`
	// Why says who is missing, Fix is the command that proposes one.
	Why string `json:"why"`
	Fix string `json:"fix"`
}

// String says what is missing and what to do.
func (v Vacancy) String() string { return v.Why + ": " + v.Fix }

// Vacancies returns the tasks of an active run that no one can take, or will be able to: no one has the
// role, or those who have it took a job that must be another's.
func Vacancies(roles policy.Roles, f workflow.Workflow, s run.State) []Vacancy {
	var out []Vacancy
	for _, j := range f.Jobs {
		state := s.Jobs[j.Name]
		if j.Agent == "" || s.Outcome != "" || run.Concluded(f, s, j) || state.Claimant != "" {
			continue
		}
		role := roleOf(s, j)
		if why := vacant(roles, f, s, j, role); why != "" {
			out = append(out, Vacancy{Job: j.Name, Role: role, Why: why, Fix: "assent roles add NAME --as agent --role " + names.ShellWord(role)})
		}
	}
	return out
}

// VacancyOf returns the vacancy of one job, if there is one.
func VacancyOf(all []Vacancy, job string) (Vacancy, bool) {
	i := slices.IndexFunc(all, func(v Vacancy) bool { return v.Job == job })
	if i < 0 {
		return Vacancy{}, false
	}
	return all[i], true
}

// Takers are the agents who may take a task and do not leave it to another one.
func Takers(roles policy.Roles, t Task, now time.Time) []string {
	return slices.DeleteFunc(able(roles, t.Run, t.Job, now), func(name string) bool { return spared(roles, t, name, now) != "" })
}

// able are the agents who are not barred from a job and whose identity counts.
func able(roles policy.Roles, s run.State, j workflow.Job, now time.Time) []string {
	return slices.DeleteFunc(s.Takers(j, roles.Members(roleOf(s, j))), func(name string) bool {
		id, known := roles.ByName(name)
		return !known || id.Expired(now)
	})
}

// spared says why name leaves a task to another agent: the one who takes it is barred from a later job of the run, and
// only name can do that one. "" if name may take it, also if no other agent could either.
func spared(roles policy.Roles, t Task, name string, now time.Time) string {
	lost := func(by string) string { // the job that no one can do once this agent took the task
		for _, j := range t.Flow.Jobs {
			if j.Agent == "" || !slices.Contains(j.NotBy, t.Job.Name) || run.Concluded(t.Flow, t.Run, j) {
				continue
			}
			if slices.Equal(able(roles, t.Run, j, now), []string{by}) {
				return j.Name
			}
		}
		return ""
	}
	job := lost(name)
	if job == "" {
		return ""
	}
	for _, other := range able(roles, t.Run, t.Job, now) {
		if other != name && lost(other) == "" {
			return fmt.Sprintf("%s is left to %s: another agent must do %s, and only %s can", t.Name(), other, job, name)
		}
	}
	return ""
}

func roleOf(s run.State, j workflow.Job) string {
	return cmp.Or(s.Jobs[j.Name].Role, run.RoleFor(j, s.Inputs))
}

// vacant says why no one can take a task, "" if someone can.
func vacant(roles policy.Roles, f workflow.Workflow, s run.State, j workflow.Job, role string) string {
	members := roles.Members(role)
	switch {
	case len(members) == 0:
		return "no one has the role " + role
	case len(s.Takers(j, members)) == 0:
		return fmt.Sprintf("%s must be done by another agent than %s, and no other has the role %s", j.Name, strings.Join(j.NotBy, ", "), role)
	case len(members) > 1:
		return ""
	}
	for _, name := range j.NotBy { // who alone has both roles cannot do both jobs
		if other, known := f.Job(name); known && other.Agent != "" && len(s.Jobs[name].Hands) == 0 && !run.Concluded(f, s, other) && slices.Equal(roles.Members(roleOf(s, other)), members) {
			return fmt.Sprintf("%s must be done by another agent than %s, and only %s has the roles of both", j.Name, name, members[0])
		}
	}
	return ""
}
