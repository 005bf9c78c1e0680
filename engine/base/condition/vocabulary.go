package condition

import (
	"strings"

	"cel.dev/cel-go/cel"
)

// Type is the type of a fact in CEL's spelling: bool, int, double, string, duration, timestamp,
// list(T), map(string, T), or the name of an Object.
type Type string

// Fact is one name that conditions may use.
type Fact struct {
	Name string
	Type Type
	// Values lists all texts that the fact can have, if known. Comparing it with another text
	// is a reported error.
	Values []string
	// Doc describes the fact in one sentence.
	Doc string
}

// Object is a type with fields. Its values are passed as map[string]any.
type Object struct {
	Name   string
	Fields []Fact
}

// Function is a predicate with up to two string arguments. Call also gets the facts of the
// evaluation.
type Function struct {
	Name string
	Args int
	// Call returns the result; an error fails the evaluation.
	Call func(facts Facts, args []string) (bool, error)
	// Cost returns the cost of a call in steps; nil means one step.
	Cost func(facts Facts) int
	// Check validates an argument that is a literal; nil accepts any.
	Check func(arg int, text string) error
	// Ordered functions compare: the second argument must be one of the Values of the first.
	Ordered bool
	// Usage and Doc are for people; Usage is the form of a call.
	Usage, Doc string
}

// Facts returns the values of declared facts.
type Facts interface {
	Fact(name string) any
}

// FactsFunc is a function as Facts.
type FactsFunc func(name string) any

// Fact calls f.
func (f FactsFunc) Fact(name string) any { return f(name) }

// celType converts a Type. Every name that is not a CEL type is an object.
func celType(t Type) *cel.Type {
	text := string(t)
	if inner, ok := strings.CutPrefix(text, "list("); ok {
		return cel.ListType(celType(Type(strings.TrimSuffix(inner, ")"))))
	}
	if inner, ok := strings.CutPrefix(text, "map(string, "); ok {
		return cel.MapType(cel.StringType, celType(Type(strings.TrimSuffix(inner, ")"))))
	}
	switch text {
	case "bool":
		return cel.BoolType
	case "int":
		return cel.IntType
	case "double":
		return cel.DoubleType
	case "string":
		return cel.StringType
	case "duration":
		return cel.DurationType
	case "timestamp":
		return cel.TimestampType
	}
	return cel.ObjectType(text)
}
