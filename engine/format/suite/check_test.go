package suite_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
)

// expecting returns an own case with the given expectation.
func expecting(t *testing.T, expect string) suite.Case {
	t.Helper()
	s, ds := capability.ParseSuite("skills/x/tests.yaml", []byte("cases:\n  - name: a\n    expect: "+expect+"\n"))
	if ds.HasErrors() {
		t.Fatalf("%s: %v", expect, ds)
	}
	return suite.OwnCases(capability.Capability{Suite: s})[0]
}

func exited(code int, stdout, stderr string) suite.Outcome {
	return suite.Outcome{Ended: suite.Exited, Exit: code, Stdout: stdout, Stderr: stderr}
}

func answered(v any) suite.Outcome { return suite.Outcome{Ended: suite.Answered, Value: v} }

const traceback = "Traceback (most recent call last):\n  File \"main.py\", line 3, in <module>\n    main()\nValueError: no such text\n"

func TestExpectations(t *testing.T) {
	refused := exited(2, "", "no such text\n")
	for _, c := range []struct {
		expect  string
		outcome suite.Outcome
		want    string // part of the cause; empty if the expectation is met
	}{
		{`{equals: [["a", 1]]}`, exited(0, "[[\"a\", 1.0]]\n", ""), ""},
		{`{equals: {a: 1, b: null}}`, exited(0, `{"b":null,"a":10e-1}`, ""), ""},
		{`{equals: {a: 1}}`, exited(0, `{"a":1,"b":null}`, ""), `answers {"a":1,"b":null}, not {"a":1}`},
		{`{equals: 9007199254740993}`, exited(0, "9007199254740992", ""), "answers 9007199254740992"},
		{`{equals: 9007199254740993}`, exited(0, "9007199254740993.0", ""), ""},
		{`{equals: 0.3}`, exited(0, "0.30000000000000004", ""), "answers 0.3"},
		{`{equals: 0.1}`, exited(0, "0.1000000000000000055", ""), ""},
		{`{equals: 0}`, exited(0, "-0.0", ""), ""},
		{`{equals: 1}`, exited(0, "1e999999999999999999", ""), "answers 1e99"},
		{`{equals: true}`, exited(0, "1", ""), "answers 1, not true"},
		{`{equals: "1"}`, exited(0, "1", ""), "answers 1"},
		{`{equals: null}`, exited(0, "null", ""), ""},
		{`{equals: null}`, exited(0, "", ""), "wrote nothing"},
		{`{equals: plain text}`, exited(0, "plain text\n", ""), ""},
		{`{equals: {a: 1}}`, exited(0, `{"a": NaN}`, ""), "no JSON"},
		{`{equals: {a: 1}}`, exited(0, "{\"a\": 1}\n{\"a\": 1}\n", ""), "more than one JSON value"},
		{`{equals: {a: 1}}`, answered(map[string]any{"a": 1.0}), ""},
		{`{equals: {error: none}}`, exited(0, `{"error":"none"}`, ""), ""},
		{`{contains: {a: 1}}`, exited(0, `{"error":"no","a":1}`, ""), "fails: no"},
		{`{contains: b}`, exited(0, "abc", ""), ""},
		{`{contains: b}`, exited(0, `["a","b"]`, ""), ""},
		{`{contains: b}`, exited(0, `["abc"]`, ""), "without"},
		{`{contains: [b, a]}`, exited(0, `["a","b"]`, ""), ""},
		{`{contains: [[a]]}`, exited(0, `[["a"],["b"]]`, ""), ""},
		{`{contains: [b, c]}`, exited(0, `["a","b"]`, ""), "without"},
		{`{contains: {a: {b: 1}}}`, exited(0, `{"a":{"b":1,"c":2},"d":3}`, ""), ""},
		{`{contains: [{id: 1}]}`, exited(0, `[{"id":2},{"id":1,"x":0}]`, ""), ""},
		{`{contains: {a: b}}`, exited(0, `{"a":"abc"}`, ""), "without"},
		{`{matches: "^a+$"}`, exited(0, "aaa\n", ""), ""},
		{`{matches: '"a": 1'}`, exited(0, `{"a": 1}`, ""), ""},
		{`{matches: "^b"}`, exited(0, "aaa\n", ""), "is not found"},
		{`{schema: {type: integer, minimum: 3}}`, exited(0, "3", ""), ""},
		{`{schema: {type: integer, minimum: 3}}`, exited(0, "2", ""), "minimum"},
		{`{schema: {type: object}}`, exited(0, "[1", ""), "no JSON"},
		{`{error: no such}`, refused, ""},
		{`{error: true}`, refused, ""},
		{`{error: another}`, refused, `fails without "another": no such text`},
		{`{error: true}`, exited(0, "{}", ""), "should fail"},
		{`{error: no such}`, exited(0, `{"error":{"message":"no such text"}}`, ""), ""},
		{`{error: no such}`, exited(1, `{"error":"no such text"}`, ""), ""},
		{`{error: no such}`, suite.Outcome{Ended: suite.Failed, Message: "no such text"}, ""},
		{`{error: no such}`, exited(1, "", traceback), "ValueError: no such text"},
		{`{error: true}`, exited(1, "", "main.sh: line 3: X: unbound variable\n"), "unbound variable"},
		{`{error: true}`, exited(1, "", "/x.js:1\nthrow new Error('no')\n^\n\nError: no\n    at Object.<anonymous> (/x.js:1:7)\n\nNode.js v20.0.0\n"), "Error: no"},
		{`{error: true}`, suite.Outcome{Ended: suite.TimedOut}, "did not end in its time"},
		{`{error: true}`, suite.Outcome{Ended: suite.Killed}, "signal"},
		{`{error: true}`, suite.Outcome{Ended: suite.Crashed, Message: "nil has no field"}, "nil has no field"},
		{`{exit: 2, error: such}`, refused, ""},
		{`{exit: 3, error: such}`, refused, "exits with 2, not 3: no such text"},
		{`{exit: 2}`, refused, ""},
		{`{exit: 1}`, exited(1, "", traceback), "ValueError"},
		{`{exit: 0}`, exited(0, "", ""), ""},
		{`{exit: 0}`, answered(nil), ""},
		{`{exit: 1}`, suite.Outcome{Ended: suite.Failed, Message: "no"}, "no exit code"},
		{`{exit: 3, equals: {a: 1}}`, exited(3, `{"a":1}`, ""), ""},
		{`{succeeds: true}`, exited(0, "ok", ""), ""},
		{`{succeeds: true}`, exited(0, " \n", ""), "wrote nothing"},
		{`{succeeds: true}`, refused, "fails: no such text"},
		{`{succeeds: true}`, exited(0, `{"error":"no"}`, ""), "fails: no"},
		{`{succeeds: true}`, exited(0, `{"error":null}`, ""), ""},
		{`{succeeds: true}`, answered(nil), ""},
	} {
		cause, met := expecting(t, c.expect).Check(c.outcome)
		if met != (c.want == "") || met != (cause == "") || !strings.Contains(cause, c.want) {
			t.Errorf("%s of %+v: %q, want %q", c.expect, c.outcome, cause, c.want)
		}
	}
}

func TestAnswersFitTheOutput(t *testing.T) {
	c := expecting(t, "{contains: {a: 1}}")
	var err error
	if c.Output, err = capability.CompileSchema(map[string]any{"type": "object", "required": []any{"b"}}); err != nil {
		t.Fatal(err)
	}
	if cause, met := c.Check(exited(0, `{"a":1}`, "")); met || !strings.Contains(cause, "does not fit output") {
		t.Errorf("%q", cause)
	}
	if cause, met := c.Check(exited(0, `{"a":1,"b":2}`, "")); !met {
		t.Errorf("%q", cause)
	}
}
