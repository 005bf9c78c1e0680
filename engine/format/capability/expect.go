package capability

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/pattern"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// Expect is a test's expectation of an answer; every part that is set must hold.
type Expect struct {
	// HasEquals: the answer equals Equals (possibly nil, JSON's null).
	HasEquals bool
	Equals    any
	// Contains must be part of the answer: a substring of text, an element of a list, or
	// entries of an object; nil if unset.
	Contains any
	// Matches must match a part of the answer's text; nil if unset.
	Matches *regexp.Regexp
	// Schema must accept the answer; nil if unset.
	Schema *Schema
	// Fails: the call must fail, and its message must contain Error.
	Fails bool
	Error string
	// HasExit: the process must end with code Exit.
	HasExit bool
	Exit    int
	// Succeeds: the call must not fail; its answer does not matter.
	Succeeds bool

	raw map[string]any
}

// ExpectKeys returns the keys of an expectation.
func ExpectKeys() []string {
	return []string{"equals", "contains", "matches", "schema", "error", "exit", "succeeds"}
}

func parseExpect(n strictyaml.Node, pos diag.Pos, patterns *pattern.Budget, out *diag.List) Expect {
	e := Expect{raw: map[string]any{}}
	//defence:cases-expect-something
	if n.Kind() != strictyaml.Mapping || n.Len() == 0 {
		out.Errorf(RuleSuiteExpect, pos, "add expect: with one of "+strings.Join(ExpectKeys(), ", "), "the case expects nothing")
		return e
	}
	for i := range n.Len() {
		key, value := n.Entry(i)
		raw := value.Value(out)
		e.raw[key.Key()] = raw
		//defence:cases-can-fail
		if why := e.set(key.Key(), raw, patterns); why != "" {
			fix := "expect something that a wrong answer would not have"
			if !slices.Contains(ExpectKeys(), key.Key()) {
				fix = "use one of " + strings.Join(ExpectKeys(), ", ")
			}
			out.Errorf(RuleSuiteExpect, key.Pos(), fix, "%s", why)
		}
	}
	if e.Fails && (e.Succeeds || e.HasEquals) {
		out.Errorf(RuleSuiteExpect, n.Pos(), "keep one of them", "an answer cannot both fail and be given")
	}
	return e
}

// set sets one part of an expectation, and returns its fault, "" if it has none.
func (e *Expect) set(key string, v any, patterns *pattern.Budget) string {
	switch key {
	case "equals":
		e.HasEquals, e.Equals = true, v
	case "contains":
		e.Contains = v
		if isEmpty(v) {
			return "every answer contains nothing, so this asserts nothing"
		}
	case "matches":
		return e.setMatches(v, patterns)
	case "schema":
		return e.setSchema(v, patterns)
	case "error":
		return e.setError(v)
	case "exit":
		code, ok := v.(int64)
		if !ok || code < 0 || code > 255 {
			return "exit is a number from 0 to 255"
		}
		e.HasExit, e.Exit = true, int(code)
	case "succeeds":
		if v != true {
			return "succeeds can only be true; a call that must fail has error:"
		}
		e.Succeeds = true
	default:
		return fmt.Sprintf("unknown expectation %q", clip(key))
	}
	return ""
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0 || slices.ContainsFunc(v, isEmpty)
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func (e *Expect) setMatches(v any, patterns *pattern.Budget) string {
	text, ok := v.(string)
	if !ok {
		return "matches is a regular expression as text"
	}
	re, err := patterns.Compile(text)
	if err != nil {
		return fmt.Sprintf("matches is no regular expression in RE2 syntax: %s", clip(err.Error()))
	}
	e.Matches = re
	for _, probe := range probeTexts() {
		if !re.MatchString(probe) {
			return ""
		}
	}
	return "the expression matches every answer, so this asserts nothing"
}

func (e *Expect) setSchema(v any, patterns *pattern.Budget) string {
	compiled, err := compileSchema(v, patterns)
	if err != nil {
		return "schema is no JSON Schema: " + err.Error()
	}
	e.Schema = compiled
	for _, probe := range probeValues() {
		if compiled.checkWithin(probe, patterns) != nil {
			return ""
		}
	}
	return "the schema admits every answer, so this asserts nothing"
}

func (e *Expect) setError(v any) string {
	switch v := v.(type) {
	case bool:
		if !v {
			return "error: false asserts nothing; use succeeds: true"
		}
	case string:
		if strings.TrimSpace(v) == "" {
			return "an empty error text stands in every error; use error: true for any failure"
		}
		e.Error = v
	default:
		return "error is a part of the message as text, or true for any failure"
	}
	e.Fails = true
	return ""
}

// probeTexts and probeValues are answers of every kind. An expectation that accepts all
// of them tests nothing.
func probeTexts() []string {
	return []string{"", "\x00", "assent probe 7", "{\"a\":1}", "\n\n"}
}

func probeValues() []any {
	return []any{nil, true, false, -0.5, 7, math.MaxInt32, "", "assent probe", []any{}, []any{nil, 1},
		map[string]any{}, map[string]any{"assent probe": []any{1}}}
}
