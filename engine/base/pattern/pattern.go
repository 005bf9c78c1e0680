// Package pattern compiles the regular expressions of one file within a budget: a few bytes such
// as (a{30}){30} stand for many steps, and every reader of the file compiles them again.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// MaxCost is the cost of all expressions and schemas of one file, in steps of a compiled
// expression. Ordinary expressions have 10 to 500.
const MaxCost = 100_000

// MaxChecks is how often the values of one file may be compared with a schema, beside what Allow
// adds.
const MaxChecks = 300_000

// Budget is what is left for one file. The zero value has spent nothing.
type Budget struct{ spent, checked int }

// Allow adds steps of checking, for values that are large themselves.
func (b *Budget) Allow(more int) { b.checked -= more }

// Spend takes cost from the budget, and reports an error once MaxCost is exceeded. No cost is
// ever given back.
func (b *Budget) Spend(cost int) error {
	b.spent = min(b.spent, MaxCost) + max(0, min(cost, MaxCost+1))
	//defence:patterns-have-a-budget
	if b.spent > MaxCost {
		return fmt.Errorf("the expressions and schemas of this file take more than %d steps", MaxCost)
	}
	return nil
}

// Check takes steps of comparing values with schemas, and reports an error once MaxChecks is
// exceeded.
func (b *Budget) Check(steps int) error {
	if b.checked = min(b.checked+steps, MaxChecks+1); b.checked > MaxChecks {
		return fmt.Errorf("checking values by its schemas takes more than %d steps", MaxChecks)
	}
	return nil
}

// Compile compiles an expression in RE2 syntax if the budget suffices.
func (b *Budget) Compile(text string) (*regexp.Regexp, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err //nolint:wrapcheck // as regexp.Compile returns it
	}
	if err := b.Spend(cost(parsed)); err != nil {
		return nil, err
	}
	return regexp.Compile(text) //nolint:wrapcheck // callers say which expression
}

// cost counts the steps that an expression compiles to, and the ranges of its classes, before
// repetitions are written out.
func cost(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n = min(n+cost(sub), MaxCost+1)
	}
	if re.Op == syntax.OpRepeat {
		n = min(n*max(1, re.Min, re.Max), MaxCost+1)
	}
	return n
}
