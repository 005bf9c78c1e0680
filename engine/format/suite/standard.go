package suite

import (
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Kind is the kind of a standard case.
type Kind string

// The kinds of standard cases, in the order of their creation.
const (
	Happy           Kind = "happy"            // an example of the record, else constants of the right types
	MissingRequired Kind = "missing-required" // one required member left out
	ErrorHandling   Kind = "error-handling"   // only an unknown member
	Timeout         Kind = "timeout"          // a long input ends in time
	LongInput       Kind = "long-input"       // more bytes than a program argument holds
	InvalidType     Kind = "invalid-type"     // one member of another type
	InvalidValue    Kind = "invalid-value"    // one member just outside its bounds
	Boundary        Kind = "boundary"         // one member on its bounds
)

// share is the weight of a standard case. The first five weights are the seed's; the two
// about one member's values weigh as much as its invalid type, and a long input as much
// as the timeout.
type share struct {
	weight   float64
	required bool
}

func shares() map[Kind]share {
	return map[Kind]share{
		Happy: {1.0, true}, MissingRequired: {0.8, true}, ErrorHandling: {0.9, true}, Timeout: {0.7, false}, LongInput: {0.7, false},
		InvalidType: {0.6, false}, InvalidValue: {0.6, false}, Boundary: {0.6, false},
	}
}

// Bounds: the total of cases, and the number of examples used.
const (
	MaxStandard = 64
	maxExamples = 3
)

// StandardCases derives the standard tests from the input schema of a record, always the
// same ones for the same record. Inputs that should be answered fit the schema, those
// that should be refused do not; each is validated before use. The diagnostics report
// cases that cannot be made. A capability without a schema has none.
//
// If a record needs secrets or hosts, which a test may not have, the happy path may also
// end with an error that the capability reports.
func StandardCases(c capability.Capability) ([]Case, diag.List) {
	var out diag.List
	r := c.Record
	if r.Input == nil {
		return nil, nil
	}
	m, err := newMaker(r)
	if err != nil {
		out.Errorf(RuleStandard, c.RecordPos("input"), "keep every $ref inside the schema, and let none lead back to itself through required members",
			"no standard tests can be made from the input's schema: %s", line("", err.Error()))
		return nil, out
	}
	if len(m.inputs) == 0 {
		out.Notef(RuleStandard, c.RecordPos("input"), "add an example with such an input", "no input that fits the schema can be made from it, so that there are no standard tests")
		return nil, out
	}
	for _, make := range []func(){m.happy, m.missing, m.errors, m.timeout, m.long, m.types, m.values, m.boundaries} {
		make()
	}
	if !m.schema.spend(0) {
		out.Notef(RuleStandard, c.RecordPos("input"), "add an example with a small input", "the schema asks for so much that not all standard tests are made: there are %d", len(m.cases))
	}
	if left := m.total - len(m.cases); left > 0 {
		out.Notef(RuleStandard, c.RecordPos("input"), "", "the schema would give %d more standard tests; the first %d are run", left, MaxStandard)
	}
	return m.cases, out
}

// maker makes the cases of one record.
type maker struct {
	record capability.Record
	schema schemas
	check  *capability.Schema
	output *capability.Schema
	inputs []sample
	cases  []Case
	total  int
	size   int // of the largest input, in values
	names  map[string]bool
}

// sample is an input that fits, with the answer of an example.
type sample struct {
	input     map[string]any
	answer    any
	hasAnswer bool
}

func newMaker(r capability.Record) (*maker, error) {
	check, err := capability.CompileSchema(r.Input)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller adds the context
	}
	root, err := plain(r.Input)
	if err != nil {
		return nil, err
	}
	effort := maxEffort
	m := &maker{record: r, schema: schemas{root, &effort}, check: check, output: outputOf(r), names: map[string]bool{}}
	made, err := m.schema.value(root, "", nil)
	if err != nil && !errors.Is(err, errEffort) {
		return nil, err
	}
	for _, e := range r.Examples {
		if len(m.inputs) < maxExamples {
			m.sample(e.Input, e.Output)
		}
	}
	if len(m.inputs) == 0 {
		m.sample(made, nil)
	}
	return m, nil
}

func (m *maker) sample(input, answer any) {
	value, err := plain(input)
	m.size = max(m.size, sizeOf(value))
	object, ok := value.(map[string]any)
	if err == nil && ok && m.check.Check(object) == nil {
		m.inputs = append(m.inputs, sample{object, answer, answer != nil})
	}
}

// sizeOf counts the values in v, including v.
func sizeOf(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += sizeOf(e)
		}
	case []any:
		for _, e := range v {
			n += sizeOf(e)
		}
	}
	return n
}

// offline reports whether the capability needs neither secrets nor hosts.
func (m *maker) offline() bool {
	return len(m.record.Requires.Secrets) == 0 && len(m.record.Requires.Hosts) == 0
}

func (m *maker) add(kind Kind, name string, demand Demand, input any) *Case {
	if m.names[name] {
		return nil
	}
	m.names[name] = true
	if m.total++; len(m.cases) == MaxStandard {
		return nil
	}
	c := Case{Name: name, Origin: Standard, Kind: kind, Demand: demand, Input: input, Output: m.output, Weight: shares()[kind].weight, Required: shares()[kind].required}
	m.cases = append(m.cases, c)
	return &m.cases[len(m.cases)-1]
}

func (m *maker) happy() {
	for i, s := range m.inputs {
		name, demand := "happy path", Answers
		if i > 0 {
			name = fmt.Sprintf("happy path %d", i+1)
		}
		if !m.offline() {
			demand = Ends
		}
		c := m.add(Happy, name, demand, s.input)
		if c != nil && demand == Answers && s.hasAnswer {
			c.Demand = Expects
			c.Expect.HasEquals, c.Expect.Equals = true, s.answer
		}
	}
}

func (m *maker) missing() {
	first := m.inputs[0].input
	for _, f := range m.schema.members(first) {
		if f.required && f.there {
			m.refuses(MissingRequired, "missing required "+f.name(), without(first, f.path))
		}
	}
}

// refuses adds a case whose input must not fit. If the schema accepts the input anyway,
// no case is added.
func (m *maker) refuses(kind Kind, name string, input any) {
	if m.schema.spend(m.size) && m.check.Check(input) != nil {
		m.add(kind, name, Refuses, input)
	}
}

// onBounds adds a case whose input only just fits.
func (m *maker) onBounds(name string, input any) {
	if m.schema.spend(m.size) && m.check.Check(input) == nil {
		m.add(Boundary, name, Ends, input)
	}
}

func (m *maker) errors() {
	input := map[string]any{"invalid_param": "test"}
	if m.check.Check(input) != nil {
		m.add(ErrorHandling, "error handling", Refuses, input)
		return
	}
	m.add(ErrorHandling, "error handling", Ends, input)
}

// defaultTimeout applies if the record has no timeout (seed).
const defaultTimeout = 30 * time.Second

func (m *maker) timeout() {
	c := m.add(Timeout, "timeout", Ends, m.enlarged())
	if c == nil {
		return
	}
	if c.Timeout = defaultTimeout; m.record.Run != nil && m.record.Run.Timeout > 0 {
		c.Timeout = time.Duration(m.record.Run.Timeout)
	}
}

// long repeats the first case with its input padded by blanks to more than one program
// argument holds. The meaning is the same, so the demand is too.
func (m *maker) long() {
	if run := m.record.Run; run == nil || run.Runtime == capability.Starlark {
		return
	}
	happy := m.cases[0]
	if c := m.add(LongInput, "long input", happy.Demand, happy.Input); c != nil {
		c.Expect, c.Fill = happy.Expect, longInput
	}
}
