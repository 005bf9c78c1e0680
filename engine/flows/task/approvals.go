package task

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Approval is a job of a run that waits until a person approves it.
type Approval struct {
	Run      string `json:"run"`
	Workflow string `json:"workflow"`
	Job      string `json:"job"`
	// Approve is the role or the person asked, For who asked for the run.
	Approve string    `json:"approve"`
	Message string    `json:"message,omitempty"`
	For     string    `json:"for,omitempty"`
	Asked   time.Time `json:"asked"`
	Until   time.Time `json:"until"`
	// Fails says why the run will end as failed whatever is decided.
	Fails string `json:"fails,omitempty"`
	// Command approves it.
	Command string `json:"command"`
}

// Approvals returns the jobs that one of some people may approve now, the first to expire first. Runs
// that follow no version that was in force are left out: anyone who can push can write one.
func Approvals(ctx context.Context, cur workspace.Session, people ...string) ([]Approval, error) {
	out := []Approval{}
	defs, err := DefinitionsOf(cur)
	if err != nil {
		return nil, err
	}
	active, err := defs.activeRuns()
	if err != nil {
		return nil, err
	}
	for _, s := range active {
		if !slices.ContainsFunc(slices.Collect(maps.Values(s.Jobs)), func(j run.Job) bool { return j.Approve && j.Status == run.Waiting }) {
			continue
		}
		def, err := defs.Of(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, j := range def.Jobs {
			if j.Approve == "" || rulable(def.Workflow, s, j, cur.Now()) != nil || !slices.ContainsFunc(people, func(name string) bool {
				who, known := cur.Policies.Roles.ByName(name)
				return known && mayRule(cur.Policies.Roles, who, j, cur.Now()) == ""
			}) {
				continue
			}
			out = append(out, Approval{
				Run: s.ID, Workflow: s.Workflow, Job: j.Name, Approve: j.Approve, Message: j.Message, For: s.For, Asked: s.Jobs[j.Name].Asked, Until: run.Due(def.Workflow, s, j), Fails: run.Fails(def.Workflow, s),
				Command: "assent run approve " + names.ShellWord(s.ID) + " " + names.ShellWord(j.Name),
			})
		}
	}
	order.Stable(out, func(a, b Approval) int { return a.Until.Compare(b.Until) })
	return out, nil
}
