package gate

import (
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// opinions returns the journal's second opinions about this proposal. Each is about one
// content and, like a review, does not count for another one. Unreadable records are
// ignored.
func (c Case) opinions() []policy.Opinion {
	var out []policy.Opinion
	for _, a := range c.Activity.Advice {
		rec, err := advice.Decode(a.Record)
		if err != nil || rec.Workspace != c.Workspace || rec.Proposal != c.Pull.ID {
			continue
		}
		current := rec.Tree == c.Effective || c.Unwritten != "" && rec.Tree == c.Unwritten || c.Plain != "" && rec.Tree == c.Plain // it can only raise
		if c.Effective == "" {                                                                                                     // only recorded, and not examined
			current = rec.Head == c.Pull.Head
		}
		out = append(out, policy.Opinion{By: c.actor(a.By), Asked: rec.Asked, Answer: rec.Answer, Current: current})
	}
	return out
}
