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

// Origin says where a case comes from.
type Origin string

// The origins of cases.
const (
	Own      Origin = "own"      // the capability's tests.yaml
	Inherits Origin = "inherits" // the tests.yaml of what it supersedes
	Standard Origin = "standard" // made from its schema
)

// Demand is what a case asks of a run.
type Demand string

// The demands. Own and inherited cases have expectations; the others are of standard
// cases.
const (
	// Expects: everything that Expect asks for.
	Expects Demand = "expects"
	// Answers: an answer that is no error and fits the record's output.
	Answers Demand = "answers"
	// Refuses: an error that it tells itself.
	Refuses Demand = "refuses"
	// Ends: an answer or an error that it tells, in its time.
	Ends Demand = "ends"
)

// Case is one test to run.
type Case struct {
	Name   string
	Origin Origin
	// From names the capability whose suite an inherited case is of.
	From string
	// Kind is which of the standard cases it is; empty for others.
	Kind   Kind
	Demand Demand
	// Input is the argument as plain data; nil calls without one.
	Input any
	// Fill is how many bytes the input is written with at least, blanks included.
	Fill int
	// Expect holds for the demand Expects.
	Expect capability.Expect
	// Output is what answers have to fit; nil where the record says nothing.
	Output *capability.Schema
	Tags   []string
	// Existing: it is said to be about what the capability does already.
	Existing bool
	Weight   float64
	Required bool
	Timeout  time.Duration // 0 leaves that to the record
	Pos      diag.Pos
}

// ID names the case among all of a capability: no two have the same.
func (c Case) ID() string { return idOf(c.Origin, c.From, c.Name) }

func idOf(origin Origin, from, name string) string {
	if from != "" {
		return string(origin) + " " + from + ": " + name
	}
	return string(origin) + ": " + name
}

// Call is the run that the case asks for.
func (c Case) Call() (Call, error) {
	out := Call{Case: c.ID(), Timeout: c.Timeout, Checked: c.Origin == Standard}
	if c.Input == nil {
		return out, nil
	}
	input, err := json.Marshal(c.Input)
	if err != nil {
		return out, fmt.Errorf("write the input of case %q: %w", c.Name, err)
	}
	if blanks := c.Fill - len(input); blanks > 0 { // behind the brace: some readers end at a blank line
		input = slices.Insert(input, 1, bytes.Repeat([]byte(" "), blanks)...)
	}
	out.Input = input
	return out, nil
}

// OwnCases are the cases of the capability's tests.yaml.
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

// outputOf compiles the schema of a record's answers; nil where it has none, or one
// that its own check refuses.
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

// MaxSmoke is how many cases are run before a capability is linked.
const MaxSmoke = 3

// Smoke returns the cases that are run before a capability is linked: the first
// MaxSmoke of those that are tagged smoke.
func Smoke(cases []Case) []Case {
	out := Tagged(cases, capability.TagSmoke)
	return out[:min(len(out), MaxSmoke)]
}

// Tagged returns the cases that carry one of the tags, in their order.
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
