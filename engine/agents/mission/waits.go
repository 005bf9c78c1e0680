package mission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// MaxAsked bounds how many capabilities one mission asks for: each starts runs, which others do and people review.
const MaxAsked = 5

// bound leaves out the lacks for which the mission may not ask any more.
func bound(s State, heard *Step) {
	places := MaxAsked
	for _, step := range s.Steps {
		for _, g := range step.Gaps {
			if g.lacks() {
				places--
			}
		}
	}
	heard.Gaps = slices.DeleteFunc(heard.Gaps, func(g Gap) bool {
		if !g.lacks() {
			return false
		}
		if places--; places < 0 {
			heard.LeftOut = append(heard.LeftOut, g.Name)
		}
		return places < 0
	})
}

// ask says what each gap waits for, and reports those that were not reported yet.
func (r *Runner) ask(ctx context.Context, s State, heard []Gap) (Step, error) {
	step, last := Step{Kind: Asked}, s.last()
	for _, g := range heard {
		switch {
		case g.Status == answers.Open && g.Run != "":
			step.Runs = append(step.Runs, g.Run)
		case g.Status == answers.Open:
			step.Proposals = append(step.Proposals, g.Proposal)
		case g.lacks() && last.Kind == Asked && !slices.Contains(last.Unasked, g.Name): // what it waited for has ended
			step.Runs, step.Proposals = append(step.Runs, last.Runs...), append(step.Proposals, last.Proposals...)
		case g.lacks():
			out, err := r.Agent.Report(ctx, toolset.ReportInput{
				Capability: cmp.Or(g.Capability, g.Name), Goal: g.Purpose, Missing: words(g.Gap), APIHint: g.APIHint, Reason: "heard in the mission " + s.ID + ": " + clip(s.Steps[0].Text),
				Anyway: true, // the mission was answered, by the evidence, too
			})
			for _, one := range out.Runs {
				step.Runs = append(step.Runs, one.ID)
			}
			full, no := new(task.Full), new(toolset.Refusal)
			switch {
			case errors.As(err, &full):
				step.Unasked, step.Reason = append(step.Unasked, g.Name), full.Error()
			case errors.As(err, &no):
				return Step{Kind: Ended, Outcome: trial.Failure, Reason: no.Error(), Runs: step.Runs}, nil
			case err != nil:
				return step, err
			}
		}
	}
	for _, list := range []*[]string{&step.Runs, &step.Proposals} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return step, nil
}

// same reports whether a mission waits for the same as before.
func (s Step) same(o Step) bool {
	return slices.Equal(s.Runs, o.Runs) && slices.Equal(s.Proposals, o.Proposals) && slices.Equal(s.Unasked, o.Unasked)
}

// vain says why no more is waited for, nil while something goes on. A lost run can be repeated, and the mission
// goes on then: it has not ended.
func (r *Runner) vain(ctx context.Context, s *State, heard []Gap) (*Step, error) {
	if !slices.ContainsFunc(heard, func(g Gap) bool { return !g.serves() && g.Run == "" }) {
		return nil, nil
	}
	if err := r.see(ctx, s); err != nil {
		return nil, err
	}
	if len(s.lost) > 0 {
		return nil, ErrWaits
	}
	for _, g := range heard {
		if g.lacks() && !slices.Contains(s.last().Unasked, g.Name) {
			why := "nothing serves " + g.Name + " any more"
			if g.Unusable != "" {
				why = g.Capability + " is there and cannot be used (assent inspect " + names.ShellWord(g.Capability) + "): " + g.Unusable
			}
			return &Step{Kind: Ended, Outcome: trial.Failure, Reason: why + "; " + strings.Join(s.WaitsFor(), ", ") + " has ended without it"}, nil
		}
	}
	return nil, nil
}

// See looks for runs that failed or were cancelled while the mission waits for them or for their proposals. A later
// run about the same capability, such as a repetition, takes their place.
func (s *State) See(cur workspace.Session) error {
	last := s.last()
	if s.lost = nil; last.Kind == Ended {
		return nil
	}
	_, known := cur.Policies.Roles.ByName(s.Steps[0].Agent)
	s.gone, s.work = !known, worked(cur, *s)
	if last.Kind != Asked {
		return nil
	}
	all, _, err := cur.Runs.All()
	if err != nil {
		return err
	}
	good := func(one run.State) bool { return one.Outcome == "" || one.Outcome == run.Completed }
	for _, one := range all {
		waited := slices.Contains(last.Runs, one.ID) || one.About == "" && one.Proposal != "" && slices.Contains(last.Proposals, one.Proposal)
		if waited && !good(one) && !slices.ContainsFunc(all, func(o run.State) bool {
			return good(o) && o.Began.After(one.Began) && o.About == "" && index.SameName(o.Inputs["capability"], one.Inputs["capability"])
		}) {
			s.lost = append(s.lost, one)
		}
	}
	return nil
}

// Stalled says why nothing that the mission waits for goes on, "" otherwise, and Repair what to do about it.
func (s State) Stalled() string {
	var out []string
	for _, one := range s.lost {
		text := "the run " + one.ID + " was cancelled"
		if one.Outcome != run.Cancelled {
			text = fmt.Sprintf("the run %s has %s", one.ID, one.Outcome)
		}
		if one.Reason != "" {
			text += ": " + clip(one.Reason)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// Repair are the commands for a mission that is stalled, "" for another one.
func (s State) Repair() string {
	if len(s.lost) == 0 {
		return ""
	}
	var out []string
	for _, one := range s.lost {
		if one.Proposal != "" {
			out = append(out, "assent why "+names.ShellWord(one.Proposal))
		}
		out = append(out, "assent run retry "+names.ShellWord(one.ID))
	}
	return strings.Join(append(out, "then "+s.Resume()), "; ") + "; or give it up: assent mission end " + names.ShellWord(s.ID) + " --outcome failure"
}

// worked adds up what the commands of agents used in the runs that a mission waited for. A run that cannot be read says
// nothing, and neither does one that was folded: a mission ends whatever becomes of its runs.
func worked(cur workspace.Session, s State) (sum *run.Spent) {
	var ids []string
	for _, step := range s.Steps {
		ids = append(ids, step.Runs...)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if one, err := cur.Runs.Read(id); err == nil {
			sum = sum.Plus(one.Spent(cur.Now()))
		}
	}
	return sum
}

// left are the active runs that a mission which ends asked for.
func left(cur workspace.Session, s State, begun []string) (out []string, err error) {
	for _, step := range s.Steps {
		begun = append(begun, step.Runs...)
	}
	active, _, err := cur.Runs.Active()
	for _, one := range active {
		if slices.Contains(begun, one.ID) {
			out = append(out, one.ID)
		}
	}
	return out, err
}

// End ends a mission that no process carries through, with the runs that are still active.
func (s Store) End(ctx context.Context, cur workspace.Session, id string, end Step) (out State, err error) {
	err = s.locked(ctx, id, glimpse, func() error {
		var err error
		if out, err = s.Read(id); err != nil {
			return err
		}
		if _, ended := out.Ended(); ended {
			return nil
		}
		if lost := s.interruptedRun(out); lost != nil {
			if err := s.add(&out, *lost); err != nil {
				return err
			}
		}
		end.Kind, end.At, end.Work = Ended, cur.Now(), worked(cur, out)
		if end.Runs, err = left(cur, out, nil); err != nil {
			return err
		}
		return s.add(&out, end)
	})
	return out, err
}
