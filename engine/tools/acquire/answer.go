package acquire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/snippet"
	"github.com/assent-dev/assent/engine/format/suite"
)

// passed returns the answer of a run, or why it did not pass: it has to end with 0 and print
// something that reports no error.
func passed(o suite.Outcome) (answer any, why string) {
	if o.Ended != suite.Exited || o.Exit != 0 {
		return nil, suite.Cause(o)
	}
	answer, ok := o.Answer()
	switch {
	case !ok:
		return nil, "exited with 0 and wrote nothing to standard output"
	case !utf8.ValidString(o.Stdout):
		return nil, "what it prints is not UTF-8"
	}
	if cause, met := (suite.Case{Demand: suite.Answers}).Check(o); !met {
		return nil, cause
	}
	return capability.PlainNumbers(answer), ""
}

// hint returns advice for a run that did not pass.
func (b Bench) hint(a capability.Acquired, o suite.Outcome) string {
	if o.Ended == suite.Exited && o.Exit == 0 {
		if defined := snippet.NeverCalled(a.Code, a.Runtime); len(defined) > 0 {
			return fmt.Sprintf("it defines %s and calls nothing: end the file with %s", strings.Join(defined, ", "), snippet.Guard(a.Runtime, defined[len(defined)-1]))
		}
		if _, answered := o.Answer(); answered && utf8.ValidString(o.Stdout) {
			return "an answer with error in it is that of a call that failed: hand over a payload that the code answers, or mend the code"
		}
		return "print the answer to standard output, as JSON or text"
	}
	wrapped := snippet.Wraps(a.Code, o.Stderr+o.Message, func(spelling string) (string, bool) {
		folder := snippet.Folded(spelling)
		if folder == "" {
			return "", false
		}
		known, err := b.Known.Named(folder)
		return folder, err == nil && len(known) > 0
	})
	if wrapped != "" {
		return wrapped + " is in force: call it by name, assent run-tool " + names.ShellWord(wrapped) + " --input JSON; code that only starts another tool cannot reach it in the sandbox, and a tool made of several is composed in Starlark"
	}
	if s := snippet.Suspects(a.Code); s != "" {
		return s + "; write the bare code into the file"
	}
	if r := suite.Remedy(o); r != "" {
		return r + "; code that is handed over has 30 s, 256 MiB, no network and nowhere to write: what needs more is proposed as a folder, assent new tool " + names.ShellWord(a.Name)
	}
	return "the payload is JSON on standard input, and in the first argument up to 128 KiB; the answer goes to standard output, with exit code 0; there is no network, and nothing but the file itself"
}

// maxExact is the largest answer that the first case holds as it is, in bytes of JSON.
const maxExact = 16 << 10

// expected returns the demand of the first case: the answer itself, or its shape if it is large,
// differs between runs or cannot be written exactly.
func expected(answers [2]any, last suite.Outcome, res *Result) map[string]any {
	text, err := compact(answers[0])
	same := reflect.DeepEqual(answers[0], answers[1])
	_, exact := (suite.Case{Demand: suite.Expects, Expect: capability.Expect{HasEquals: true, Equals: answers[0]}}).Check(last)
	if err == nil && same && exact && len(text) <= maxExact {
		return map[string]any{"equals": answers[0]}
	}
	why := "is large"
	switch {
	case !same:
		why = "was another one at the second run"
	case !exact:
		why = "has a number that YAML does not hold exactly"
	}
	res.Notes = append(res.Notes, "the answer "+why+": the first case asks for its shape only; add cases that say more")
	return map[string]any{"schema": shape(answers[0], answers[1])}
}

// shape returns a schema of the common parts of two answers.
func shape(a, b any) map[string]any {
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if isX && isY {
		var both []any
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if _, there := y[k]; there {
				both = append(both, k)
			}
		}
		s := map[string]any{"type": "object"}
		if len(both) > 0 {
			s["required"] = both
		}
		return s
	}
	for _, s := range []struct {
		name string
		is   func(any) bool
	}{
		{"string", is[string]}, {"array", is[[]any]}, {"boolean", is[bool]},
		{"number", func(v any) bool { return is[int64](v) || is[float64](v) }},
	} {
		if s.is(a) && s.is(b) {
			return map[string]any{"type": s.name}
		}
	}
	return map[string]any{"type": []any{"object", "array", "string", "number", "boolean"}}
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

// compact writes a value as JSON in one line.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
