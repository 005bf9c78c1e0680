package task

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Recently is how long a run that ended is news; later it shows only in assent runs.
const Recently = 7 * 24 * time.Hour

// Request is a run as its requester sees it.
type Request struct {
	Run        string `json:"run"`
	Workflow   string `json:"workflow"`
	For        string `json:"for"`
	Capability string `json:"capability,omitempty"`
	Proposal   string `json:"proposal,omitempty"`
	// State is active, completed, failed or cancelled, since At; Reason says why it ended, or why the
	// next pass ends it.
	State  string    `json:"state"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason,omitempty"`
	// WaitsFor are the roles that must act now.
	WaitsFor []string `json:"waits_for,omitempty"`
	// HeldBy is the run of its concurrency group for which it waits. Lacks says who is missing for a
	// task, and the command that proposes one.
	HeldBy string `json:"held_by,omitempty"`
	Lacks  string `json:"lacks,omitempty"`
	// Approve is the command for the person for whom a job waits.
	Approve string `json:"approve,omitempty"`
}

// Requested returns the runs that these identities asked for, or with none all that someone asked
// for: active ones, and those that were requested on this machine and ended recently; the newest
// change first. Anyone who can push can write a journal in an agent's name: with here, it returns
// only what was requested on this machine. Reasons are words of others.
func Requested(ctx context.Context, cur workspace.Session, here bool, whose ...string) ([]Request, error) {
	opened, err := keys.LoadOpenings(cur.ID())
	if err != nil || here && len(opened) == 0 {
		return []Request{}, nil //nolint:nilerr // then nothing is known to be requested here
	}
	known := func(id string) bool { _, is := opened[id]; return is }
	states, _, err := cur.Runs.ActiveAnd(known)
	if err != nil {
		return nil, err
	}
	out := []Request{}
	var defs *Definitions
	for _, s := range states {
		if here && !known(s.ID) || s.For == "" || len(whose) > 0 && !slices.Contains(whose, s.For) || s.Outcome != "" && cur.Now().Sub(s.At) >= Recently {
			continue
		}
		r := Request{
			Run: s.ID, Workflow: s.Workflow, For: s.For, Capability: s.Inputs["capability"], Proposal: s.Proposal,
			State: cmp.Or(string(s.Outcome), "active"), At: s.At, Reason: s.Reason,
		}
		if s.Outcome == "" {
			if r.At = s.Began; defs == nil {
				if defs, err = DefinitionsOf(cur); err != nil {
					return nil, err
				}
			}
			if err := defs.waits(ctx, s, &r); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	order.Stable(out, func(a, b Request) int { return b.At.Compare(a.At) })
	return out, nil
}

// waits adds what an active run waits for.
func (d *Definitions) waits(ctx context.Context, s run.State, r *Request) error {
	def, err := d.Of(ctx, s)
	if err != nil || !def.Found {
		r.Reason = def.Ends + def.Waits
		return err
	}
	if r.Reason = d.EndsNext(def.Workflow, s); r.Reason != "" {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Jobs)) {
		state := s.Jobs[name]
		j, _ := def.Job(name)
		switch why := run.Expired(j, state, d.cur.Now()); {
		case why != "":
			r.Reason = name + ": " + why
			continue
		case state.Status != run.Waiting || state.Role == "":
			continue
		case j.Approve != "":
			r.Approve = "assent run approve " + names.ShellWord(s.ID)
		}
		if !slices.Contains(r.WaitsFor, state.Role) {
			r.WaitsFor = append(r.WaitsFor, state.Role)
		}
	}
	if all := Vacancies(d.cur.Policies.Roles, def.Workflow, s); len(all) > 0 {
		r.Lacks = all[0].String()
	}
	turn, err := d.turn(ctx, def, s)
	r.HeldBy = turn.Holder
	return err
}
