package condition

import (
	"errors"
	"fmt"

	"cel.dev/cel-go/cel"
)

// Holds evaluates the condition. The error says why there is no answer: a value
// that is not there, a number divided by zero, more steps than are allowed.
func (c *Condition) Holds(facts Facts) (bool, error) {
	if c == nil || c.program == nil {
		return false, errors.New("it was not compiled")
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

// activation asks for facts when they are needed.
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
