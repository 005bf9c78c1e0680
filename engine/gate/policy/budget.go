package policy

import (
	"cmp"
	"maps"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/order"
)

// Budget bounds the cost of all conditions that are evaluated with one set of policies. It counts
// steps, not time, so that every reader comes to the same result. A nil Budget has no bound.
// It must not be used by several goroutines.
type Budget struct {
	limit, spent uint64
	rules        map[diag.Pos]uint64
}

// NewBudget returns a budget of so many steps.
func NewBudget(limit uint64) *Budget {
	return &Budget{limit: limit, rules: map[diag.Pos]uint64{}}
}

// Exceeded reports whether more was spent than the limit.
func (b *Budget) Exceeded() bool { return b != nil && b.spent > b.limit }

// Limit returns the steps that may be spent.
func (b *Budget) Limit() uint64 { return b.limit }

// Spent returns the steps of all evaluations.
func (b *Budget) Spent() uint64 { return b.spent }

// Dearest returns where the rule is whose evaluations cost most, and their steps.
func (b *Budget) Dearest() (diag.Pos, uint64) {
	places := order.Sorted(maps.Keys(b.rules), func(x, y diag.Pos) int {
		return cmp.Or(cmp.Compare(b.rules[y], b.rules[x]), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	if len(places) == 0 {
		return diag.Pos{}, 0
	}
	return places[0], b.rules[places[0]]
}

// Words returns the steps of matching all patterns of the policies against texts of so many bytes.
func (s Security) Words(bytes int) uint64 {
	patterns := len(s.Prohibited) + len(s.High) + len(s.Medium)
	return uint64(patterns) * uint64(max(0, bytes)) / bytesPerStep
}

// bytesPerStep is how much text one expression reads in the time of a step.
const bytesPerStep = 16

// Charge adds the cost of one evaluation of the rule at pos.
func (b *Budget) Charge(pos diag.Pos, steps uint64) {
	if b == nil {
		return
	}
	b.spent += steps
	b.rules[pos] += steps
}
