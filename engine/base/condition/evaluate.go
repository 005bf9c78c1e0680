package condition

import (
	"errors"
	"fmt"

	"cel.dev/cel-go/cel"
)

// Holds evaluates the condition. The error is the reason why there is no result: a missing
// value, a division by zero, too many steps.
func (c *Condition) Holds(facts Facts) (bool, error) {
	holds, _, err := c.Evaluate(facts)
	return holds, err
}

// Evaluate is Holds with the cost of the evaluation, also where it fails, in steps of the
// library. The same condition and facts cost the same on every machine.
func (c *Condition) Evaluate(facts Facts) (holds bool, cost uint64, err error) {
	if c == nil || c.program == nil {
		return false, 0, errors.New("the condition was not compiled")
	}
	out, details, err := c.program.Eval(activation{facts})
	cost = maxCost
	if counted := details.ActualCost(); counted != nil {
		cost = *counted
	}
	if err != nil {
		return false, cost, fmt.Errorf("evaluate %q: %w", c.text, err)
	}
	answer, ok := out.Value().(bool)
	if !ok {
		return false, cost, fmt.Errorf("evaluate %q: it answers with no boolean", c.text)
	}
	return answer, cost, nil
}

// activation resolves facts on demand.
type activation struct{ facts Facts }

// ResolveName implements the library's interface.
func (a activation) ResolveName(name string) (any, bool) {
	if name == hidden {
		return factsValue{a.facts}, true
	}
	v := a.facts.Fact(name)
	return v, v != nil
}

// Parent implements the library's interface.
func (activation) Parent() cel.Activation { return nil }
