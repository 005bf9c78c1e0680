package suite

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// failure is the reason why a run did not do its task.
type failure struct {
	// reported: the capability reported the error itself. Otherwise it crashed, hung or was
	// stopped.
	reported bool
	message  string
}

// failed returns how a run failed; nil if it did not.
//
// A capability reports an error by an exit code other than 0, by answering an object with
// a member error that is not null, false or empty, or, as a function or server, in its
// own way. A traceback, a signal or a limit is not a report.
func failed(o Outcome) *failure {
	switch o.Ended {
	case Answered:
		if text, is := errorObject(o.Value); is {
			return &failure{true, text}
		}
		return nil
	case Failed:
		return &failure{true, o.Message}
	case Exited:
		return failedProcess(o)
	}
	return &failure{false, Cause(o)}
}

func failedProcess(o Outcome) *failure {
	answer, _ := o.Answer()
	text, is := errorObject(answer)
	switch {
	case o.Exit == 0 && is:
		return &failure{true, text}
	case o.Exit == 0:
		return nil
	case crashed(o.Stderr):
		return &failure{false, Cause(o)}
	case is:
		return &failure{true, strings.TrimSpace(text + "\n" + o.Stderr)}
	case strings.TrimSpace(o.Stderr) == "":
		return &failure{true, o.Stdout}
	}
	return &failure{true, o.Stderr}
}

// ErrorAnswer reports whether a run that ended well answered an error, which counts as a
// failure, and returns the error in one line. Tests and calls use the same rule.
func ErrorAnswer(o Outcome) (cause string, is bool) {
	if o.Ended != Answered && (o.Ended != Exited || o.Exit != 0) {
		return "", false
	}
	answer, _ := o.Answer()
	if text, is := errorObject(answer); is {
		return line("", first(firstLine(text), Cause(o), "it answers an error and does not say which")), true
	}
	return "", false
}

// Unwritten is the answer of a template without code.
const Unwritten = "not implemented"

func unwritten(message string) bool {
	return strings.Contains(strings.ReplaceAll(strings.ToLower(message), "not yet ", "not "), Unwritten)
}

// wholly matches a text that says only that the code is missing.
var wholly = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(todo\W+)?((this|it|that) is )?not (yet )?implemented( yet)?\W*$`)
})

// unwrittenAnswer reports whether an answer, or a text in it, says that the code is
// missing. Such an answer counts as a failure.
func unwrittenAnswer(answer any) bool {
	switch v := answer.(type) {
	case string:
		return wholly().MatchString(v)
	case []any:
		return slices.ContainsFunc(v, unwrittenAnswer)
	case map[string]any:
		for _, each := range v {
			if unwrittenAnswer(each) {
				return true
			}
		}
	}
	return false
}

// InvalidInput is the error_type of an answer that refuses the input.
const InvalidInput = "invalid_input"

// Refused reports whether a run refused its input properly: a program by exit code 2,
// anything by an error answer of the type InvalidInput. That is a statement about the
// input, not about the capability.
func Refused(o Outcome) bool {
	if f := failed(o); f == nil || !f.reported {
		return false
	}
	answer, _ := o.Answer()
	if object, ok := answer.(map[string]any); ok && object["error_type"] == InvalidInput {
		return true
	}
	return o.Refuses || o.Ended == Exited && o.Exit == 2
}

// errorObject returns the message of an answer that is an error.
func errorObject(answer any) (string, bool) {
	object, ok := answer.(map[string]any)
	if !ok {
		return "", false
	}
	switch e := object["error"].(type) {
	case nil:
		return "", false
	case bool:
		message, _ := object["message"].(string)
		return message, e
	case string:
		return e, e != ""
	case map[string]any:
		if message, ok := e["message"].(string); ok {
			return message, true
		}
		return jsonText(e), len(e) > 0
	default:
		return jsonText(e), true
	}
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// crashes are the signs in standard error that a process did not end by its own decision.
var crashes = sync.OnceValue(func() []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, sign := range []string{
		`(?m)^Traceback \(most recent call last\):`, `(?m)^Fatal Python error: `, // python
		`(?m)^(SyntaxError|IndentationError|TabError): `,            // python, before it starts
		`(?m)^\s+at .+:\d+:\d+\)?$`, `(?m)^Node\.js v\d+\.\d+\.\d+`, // node
		`(?m): line \d+: (syntax error|.*: unbound variable|.*: command not found|.*: No such file or directory|.*: Permission denied)`, // bash
		`(?m)^python3?: can't open file`, `(?m)^panic: `,
	} {
		out = append(out, regexp.MustCompile(sign))
	}
	return out
})

func crashed(stderr string) bool {
	for _, sign := range crashes() {
		if sign.MatchString(stderr) {
			return true
		}
	}
	return false
}
