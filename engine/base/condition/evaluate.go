package condition

import (
	"errors"
	"fmt"

	"cel.dev/cel-go/cel"
)

// Holds evaluates the condition. The error is the reason why there is no result: a missing
// value, a division by zero, too many steps.
func (c *Condition) Holds(facts Facts) (bool, error) {
	if c == nil || c.program == nil {
		return false, errors.New("the condition was not compiled")
	}
	out, _, err := c.program.Eval(activation{facts})
	if err != nil {
		return false, fmt.Errorf("evaluate %q: %w", c.text, err)
	}
	answer, ok := out.Value().(bool)
	if !ok {
		return false, fmt.Errorf("evaluate %q: it answers with no boolean", c.text)
	}
	return answer, nil
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
