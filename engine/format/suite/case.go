package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Origin is the source of a case.
type Origin string

// The origins of cases.
const (
	Own      Origin = "own"      // the capability's tests.yaml
	Inherits Origin = "inherits" // the tests.yaml of a superseded capability
	Standard Origin = "standard" // made from its schema
)

// Demand is the condition under which a run passes a case.
type Demand string

// The demands. Own and inherited cases have expectations; the other demands belong to
// standard cases.
const (
	// Expects: everything in Expect holds.
	Expects Demand = "expects"
	// Answers: the answer is not an error and fits the record's output.
	Answers Demand = "answers"
	// Refuses: the capability reports an error.
	Refuses Demand = "refuses"
	// Ends: the capability answers or reports an error, within its time.
	Ends Demand = "ends"
)

// Case is one test to run.
type Case struct {
	Name   string
	Origin Origin
	// From names the capability of an inherited case.
	From string
	// Kind is the kind of a standard case; empty for others.
	Kind   Kind
	Demand Demand
	// Input is the argument as plain data; nil calls without one.
	Input any
	// Fill is the minimum size of the input in bytes; blanks fill it up.
	Fill int
	// Expect applies to the demand Expects.
	Expect capability.Expect
	// Output is the schema for answers; nil if the record has none.
	Output *capability.Schema
	Tags   []string
	// Existing: the case is marked as testing existing behaviour.
	Existing bool
	Weight   float64
	Required bool
	Timeout  time.Duration // 0 means that of the record
	Pos      diag.Pos
}

// ID identifies the case among all of a capability.
func (c Case) ID() string { return idOf(c.Origin, c.From, c.Name) }

func idOf(origin Origin, from, name string) string {
	if from != "" {
		return string(origin) + " " + from + ": " + name
	}
	return string(origin) + ": " + name
}

// Call returns the run that the case requires.
func (c Case) Call() (Call, error) {
	out := Call{Case: c.ID(), Timeout: c.Timeout, Checked: c.Origin == Standard}
	if c.Input == nil {
		return out, nil
	}
	input, err := json.Marshal(c.Input)
	if err != nil {
		return out, fmt.Errorf("write the input of case %q: %w", c.Name, err)
	}
	if blanks := c.Fill - len(input); blanks > 0 { // after the brace: some readers stop at a blank line
		input = slices.Insert(input, 1, bytes.Repeat([]byte(" "), blanks)...)
	}
	out.Input = input
	return out, nil
}

// OwnCases returns the cases of the capability's tests.yaml.
func OwnCases(c capability.Capability) []Case {
	var out []Case
	output := outputOf(c.Record)
	for _, k := range c.Suite.Cases {
		out = append(out, Case{
			Name: k.Name, Origin: Own, Demand: Expects, Input: k.Input, Expect: k.Expect, Output: output, Tags: k.Tags, Existing: k.Existing,
			Weight: k.Weight, Required: k.Required, Timeout: time.Duration(k.Timeout), Pos: k.Pos,
		})
	}
	return out
}

// outputOf compiles the output schema of a record; nil if there is none, or if it is
// invalid, which the record's own check reports.
func outputOf(r capability.Record) *capability.Schema {
	if r.Output == nil {
		return nil
	}
	s, err := capability.CompileSchema(r.Output)
	if err != nil {
		return nil
	}
	return s
}

// MaxSmoke is the number of cases that run before a capability is linked.
const MaxSmoke = 3

// Smoke returns the cases that run before a capability is linked: the first MaxSmoke with
// the tag smoke.
func Smoke(cases []Case) []Case {
	out := Tagged(cases, capability.TagSmoke)
	return out[:min(len(out), MaxSmoke)]
}

// Tagged returns the cases that have one of the tags, in their order.
func Tagged(cases []Case, tags ...string) []Case {
	var out []Case
	for _, c := range cases {
		if carries(c, tags) {
			out = append(out, c)
		}
	}
	return out
}

func carries(c Case, tags []string) bool {
	for _, t := range c.Tags {
		for _, want := range tags {
			if strings.EqualFold(t, want) {
				return true
			}
		}
	}
	return false
}
