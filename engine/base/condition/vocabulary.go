package condition

import (
	"strings"

	"cel.dev/cel-go/cel"
)

// Type is the type of a fact as CEL writes it: bool, int, double, string,
// duration, timestamp, list(T), map(string, T), or the name of an Object.
type Type string

// Fact is one name that conditions may use.
type Fact struct {
	Name string
	Type Type
	// Values are all texts that the fact can be, where they are known: comparing it
	// with another one is a reported mistake.
	Values []string
	// Doc says what it is, in one sentence.
	Doc string
}

// Object is a type with fields. Its values are handed over as map[string]any.
type Object struct {
	Name   string
	Fields []Fact
}

// Function is a function with one argument or two, of strings, that answers yes or
// no. Call gets the facts of the evaluation, so that it can be about them.
type Function struct {
	Name string
	Args int
	// Call answers; an error fails the evaluation.
	Call func(facts Facts, args []string) (bool, error)
	// Cost of a call in units of one step; nil for one.
	Cost func(facts Facts) int
	// Check says what is wrong with an argument that the condition contains as a
	// text; nil where nothing can be.
	Check func(arg int, text string) error
	// Ordered functions compare: their second argument must be one of the Values of
	// the first.
	Ordered bool
	// Doc is for people, with Usage as they write it.
	Usage, Doc string
}

// Facts answers with the value of a declared fact.
type Facts interface {
	Fact(name string) any
}

// FactsFunc is a function as Facts.
type FactsFunc func(name string) any

// Fact calls f.
func (f FactsFunc) Fact(name string) any { return f(name) }

// celType translates a Type. Every name that is no type of CEL is an object.
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
