package proposals

import (
	"slices"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/followup"
	"github.com/assent-dev/assent/engine/workspace"
)

// asksJSON is the question that a repair left, computed from the content in force.
type asksJSON struct {
	Why     string            `json:"why"`
	Answers []followup.Answer `json:"answers"`
}

// asks checks whether a proposal is a follow-up: by the content in force, not by the proposal's
// own text.
func (r *reviewJSON) asks(cur workspace.Session, ex workspace.Examined) error {
	pull := ex.Case.Pull
	if pull.State != forge.Open || ex.Case.Proposal.Kind != proposal.Archive {
		return nil
	}
	q, is, err := followup.Find(cur, pull.ID)
	if err != nil || !is {
		return err
	}
	why, err := q.Why(cur)
	if err != nil {
		return err
	}
	archives := slices.ContainsFunc(r.Delta, func(d deltaJSON) bool { return d.Path == q.Skill.Path && d.Op == string(policy.Removed) })
	r.Asks = &asksJSON{why, q.Answers(pull.Head.String(), !archives)}
	return nil
}

// asked are the rows that say why there is such a proposal.
func (r reviewJSON) asked() []row {
	if r.Asks == nil {
		return nil
	}
	return []row{{"asks", "is it still needed? " + r.Asks.Why, console.Style{}.Bold}}
}

// extra is 1 where the question takes a row that something else would have.
func (r reviewJSON) extra() int { return min(1, len(r.asked())) }

// answers are the rows of the commands of a follow-up.
func (r reviewJSON) answers() []row {
	var out []row
	for _, a := range r.Asks.Answers {
		out = append(out, row{a.What, a.Command, nil})
	}
	return out
}
