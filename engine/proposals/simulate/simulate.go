package simulate

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// Answer is the judgement of policies on one proposal.
type Answer struct {
	Outcome policy.Outcome `json:"outcome"`
	Risk    policy.Tier    `json:"risk"`
	Reason  string         `json:"reason"`
	// Waiting counts the approvals that are missing, by role.
	Waiting map[string]int `json:"waiting"`
}

// Difference is one proposal with another answer.
type Difference struct {
	ID string `json:"id"`
	// State is the proposal's state: merged, open, rejected, withdrawn or expired.
	State  string `json:"state"`
	Before Answer `json:"before"`
	After  Answer `json:"after"`
}

// Skipped is a proposal that cannot be judged again.
type Skipped struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Result is the comparison of two policies.
type Result struct {
	// Judged counts the proposals that both were asked about; Left those beyond the
	// newest that were asked for.
	Judged      int          `json:"judged"`
	Left        int          `json:"left"`
	Differences []Difference `json:"differences"`
	Skipped     []Skipped    `json:"skipped"`
}

// Progress receives the progress of a simulation.
type Progress func(done, total int)

// leastSteps and stepsEach bound the conditions of all judgements by other policies: a hundred
// times what ordinary ones take for each proposal.
const leastSteps, stepsEach = 2_000_000, 20_000

// ErrCost is returned if the conditions of the other policies take too much.
var ErrCost = errors.New("evaluating the conditions of these policies costs too much; make them cheaper")

// Run asks the policies in force and next about every proposal except, newest first,
// or about the newest that most says, where it is not 0.
func Run(ctx context.Context, cur workspace.Session, next policy.Policies, except string, most int, tell Progress) (Result, error) {
	out := Result{Differences: []Difference{}, Skipped: []Skipped{}}
	pulls, err := cur.Forge.List(ctx, forge.Filter{})
	damaged, err := forge.Damages(err)
	if err != nil {
		return out, fmt.Errorf("list proposals: %w", err)
	}
	for _, d := range damaged {
		out.Skipped = append(out.Skipped, Skipped{d.ID, d.Err.Error()})
	}
	if most > 0 && len(pulls) > most {
		out.Left, pulls = len(pulls)-most, pulls[:most]
	}
	next.Budget = policy.NewBudget(leastSteps + stepsEach*uint64(len(pulls)))
	for i, pull := range pulls {
		//defence:simulations-have-a-budget
		if next.Budget.Exceeded() {
			pos, steps := next.Budget.Dearest()
			return out, fmt.Errorf("%w: more than %d steps for %d of %d proposals, %d of them for the rule at %s", ErrCost, next.Budget.Limit(), i, len(pulls), steps, pos)
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if pull.ID != except {
			if err := out.ask(ctx, cur, next, pull); err != nil {
				return out, err
			}
		}
		tell(i+1, len(pulls))
	}
	return out, nil
}

func (r *Result) ask(ctx context.Context, cur workspace.Session, next policy.Policies, pull forge.Pull) error {
	c, err := cur.Recorded(ctx, pull)
	var gone *forge.Damaged
	if errors.As(err, &gone) {
		r.Skipped = append(r.Skipped, Skipped{pull.ID, gone.Err.Error()})
		return nil
	}
	if err != nil {
		return fmt.Errorf("read proposal %s: %w", pull.ID, err)
	}
	facts := c.Facts()
	before, after := answer(cur.Policies, facts), answer(next, facts)
	r.Judged++
	if before.same(after) {
		return nil
	}
	state := string(pull.State)
	if pull.State == forge.Closed {
		state = pull.Why
	}
	r.Differences = append(r.Differences, Difference{ID: pull.ID, State: state, Before: before, After: after})
	return nil
}

func answer(p policy.Policies, f policy.Facts) Answer {
	v, risk := policy.JudgeWithRisk(p, f)
	out := Answer{Outcome: v.Outcome, Reason: v.Reason, Risk: risk.Tier, Waiting: map[string]int{}}
	if v.Outcome == policy.Waiting {
		for _, w := range v.WaitingFor {
			out.Waiting[w.Role] += w.Need - w.Have
		}
	}
	return out
}

func (a Answer) same(b Answer) bool {
	return a.Outcome == b.Outcome && a.Risk == b.Risk && maps.Equal(a.Waiting, b.Waiting)
}
