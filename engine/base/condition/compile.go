package condition

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// Condition is one compiled condition.
type Condition struct {
	text    string
	program cel.Program
	calls   []string
}

// String returns the text of the condition.
func (c *Condition) String() string { return c.text }

// Calls reports whether the condition calls a function of its vocabulary.
func (c *Condition) Calls(function string) bool {
	return c != nil && slices.Contains(c.calls, function)
}

// Problem is one error in a condition. Line and column count from 1.
type Problem struct {
	Line, Column int
	// Message and Fix are as in package diag.
	Message, Fix string
}

// Compile compiles one condition. If it returns no problems, the condition can be evaluated.
func (v *Vocabulary) Compile(text string) (*Condition, []Problem) {
	if len(text) > MaxLength {
		return nil, []Problem{{1, 1, fmt.Sprintf("the condition has %d bytes, more than %d", len(text), MaxLength), "split it into several rules"}}
	}
	env, err := v.environment()
	if err != nil {
		return nil, []Problem{{1, 1, err.Error(), "this is a bug in assent; please report it"}}
	}
	checked, issues := env.Compile(strings.TrimRight(text, " \t\r\n")) // so that an error at the end has the position of the last character
	if issues != nil && issues.Err() != nil {
		out := syntaxProblems(issues.Errors())
		if len(out) > 0 {
			return nil, out
		}
		for _, e := range issues.Errors() {
			out = append(out, v.problem(e))
		}
		return nil, out
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) {
		return nil, []Problem{{1, 1, fmt.Sprintf("the condition answers with %s instead of yes or no", describe(t)), "compare it with something, such as size > 1000"}}
	}
	calls, found := v.inspect(checked.NativeRep())
	if len(found) > 0 {
		return nil, found
	}
	program, err := env.Program(checked, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxCost), cel.CostTracking(costs{v}))
	if err != nil {
		return nil, []Problem{{1, 1, err.Error(), "write it in another way"}}
	}
	return &Condition{text: text, program: program, calls: calls}, nil
}

func describe(t *cel.Type) string {
	if t.Kind() == cel.DynType.Kind() {
		return "something unknown"
	}
	return "a value of type " + t.String()
}

// Forms of the library's messages about names; a test checks them.
var (
	undeclared = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^undeclared reference to '([^']*)'`) })
	noField    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^undefined field '([^']*)'`) })
	noOverload = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^found no matching overload for '([^']*)' applied to '(.*)'$`)
	})
)

// problem translates a message of the library for the author of the file.
func (v *Vocabulary) problem(e *cel.Error) Problem {
	p := at(e)
	p.Message, p.Fix = strings.TrimSpace(e.Message), anyCEL
	if m := undeclared().FindStringSubmatch(p.Message); m != nil {
		p.Message, p.Fix = v.unknown("no fact or function is called", m[1], v.names())
		if near := strictyaml.Nearest(m[1], builtIn()); near != "" && !strings.HasPrefix(p.Fix, "did you mean") {
			p.Fix = "did you mean " + near + "?"
		}
		for _, f := range v.Functions {
			if f.Name == m[1] {
				p.Message, p.Fix = m[1]+" is called with the wrong number of arguments", "write "+f.Usage
			}
		}
		if fix := v.Elsewhere[m[1]]; fix != "" {
			p.Fix = fix
		}
	} else if m := noField().FindStringSubmatch(p.Message); m != nil {
		p.Message, p.Fix = v.unknown("nothing here has a field", m[1], v.fields())
		if fix := v.Elsewhere["."+m[1]]; fix != "" {
			p.Fix = fix
		}
	} else if m := noOverload().FindStringSubmatch(p.Message); m != nil {
		p.Message = fmt.Sprintf("%s does not go with %s", strings.Trim(m[1], "_@"), strings.ReplaceAll(strings.Trim(m[2], "()"), "facts, ", ""))
		p.Fix = cmp.Or(v.Elsewhere[m[1]+"("], "compare values of one type; docs/policies.md lists the type of each fact")
	}
	return p
}

func (v *Vocabulary) unknown(what, name string, known []string) (message, fix string) {
	message = fmt.Sprintf("%s %q", what, name)
	if near := strictyaml.Nearest(name, known); near != "" {
		return message, "did you mean " + near + "?"
	}
	return message, "the names are " + strings.Join(known, ", ")
}

// builtIn lists the CEL functions that conditions use most.
func builtIn() []string {
	return []string{"all", "exists", "exists_one", "filter", "map", "has", "size", "contains", "startsWith", "endsWith", "matches"}
}

// costs returns the cost of calls of the vocabulary's functions.
type costs struct{ v *Vocabulary }

// CallCost implements the library's interface; nil selects the library's own estimate.
func (c costs) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	//defence:long-texts-are-charged
	if n := textCost(function, args); n > 1 {
		return &n
	}
	for _, f := range c.v.Functions {
		if f.Cost == nil || function != "@"+f.Name || len(args) == 0 {
			continue
		}
		if facts, ok := args[0].(factsValue); ok {
			n := uint64(max(f.Cost(facts.Facts), 1))
			return &n
		}
	}
	return nil
}

// textCost returns the cost of functions that read a whole text, for which the library counts one step.
func textCost(function string, args []ref.Val) uint64 {
	if len(args) == 0 {
		return 0
	}
	var length int
	switch text := args[0].(type) {
	case types.String:
		length = len(text)
	case types.Bytes:
		length = len(text)
	}
	n := uint64(length/10) + 1
	switch function {
	case "size", "string", "bytes", "int", "uint", "double", "bool", "timestamp", "duration":
		return n
	case operators.In:
		if in, ok := args[1].(traits.Sizer); ok {
			return n * uint64(max(in.Size().(types.Int), 1))
		}
	}
	return 0
}
