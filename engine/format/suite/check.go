package suite

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/format/capability"
)

// Check reports whether an outcome meets the case's demand; if not, cause says why in one
// line.
func (c Case) Check(o Outcome) (cause string, met bool) {
	f := failed(o)
	if f != nil && !f.reported {
		return f.message, false
	}
	switch c.Demand {
	case Answers:
		cause = c.answers(o, f)
	case Refuses:
		if f == nil {
			cause = "accepts what its schema forbids"
		}
	case Ends:
		switch {
		case f == nil:
			cause = silent(o)
		case unwritten(f.message):
			cause = "says that it is " + Unwritten
		}
	default:
		cause = c.expects(o, f)
	}
	return line("", cause), cause == ""
}

// answers checks for an answer that is not an error and fits the output.
func (c Case) answers(o Outcome, f *failure) string {
	if f != nil {
		return "fails: " + first(firstLine(f.message), Cause(o))
	}
	if text := silent(o); text != "" {
		return text
	}
	if answer, _ := o.Answer(); unwrittenAnswer(answer) {
		return "says that it is " + Unwritten
	}
	return c.fits(o)
}

func silent(o Outcome) string {
	if _, ok := o.Answer(); !ok {
		return Cause(o)
	}
	return ""
}

func (c Case) fits(o Outcome) string {
	if c.Output == nil {
		return ""
	}
	answer, ok := o.Answer()
	if !ok {
		return ""
	}
	if err := c.Output.Check(answer); err != nil {
		return "the answer does not fit output: " + err.Error() + NoJSON(o)
	}
	return ""
}

// NoJSON explains why output was read as text, as the end of a sentence; empty if it is
// JSON.
func NoJSON(o Outcome) string {
	if o.Ended != Exited {
		return ""
	}
	if _, err := parseJSON([]byte(o.Stdout)); err != nil {
		return fmt.Sprintf(" (the output is no JSON: %s)", err)
	}
	return ""
}

// expects checks all parts of an expectation, the exit code first.
func (c Case) expects(o Outcome, f *failure) string {
	e := c.Expect
	if e.HasExit {
		if cause := exits(e, o); cause != "" {
			return cause
		}
	}
	if e.Fails {
		return tells(e, f)
	}
	if f != nil && !admitted(e, o) {
		return "fails: " + first(firstLine(f.message), Cause(o))
	}
	if !asks(e) {
		return ""
	}
	answer, ok := o.Answer()
	if !ok {
		return Cause(o)
	}
	if cause := judge(e, o, answer); cause != "" {
		return cause
	}
	if f == nil {
		return c.fits(o)
	}
	return ""
}

// admitted reports whether the expectation covers a reported failure: it names the exit
// code, or gives the complete error answer.
func admitted(e capability.Expect, o Outcome) bool {
	if e.Succeeds {
		return false
	}
	if e.HasExit && e.Exit != 0 {
		return true
	}
	if !e.HasEquals || o.Ended == Failed || o.Exit != 0 {
		return false
	}
	_, is := errorObject(e.Equals)
	return is
}

// asks reports whether an expectation requires an answer.
func asks(e capability.Expect) bool {
	return e.HasEquals || e.Contains != nil || e.Matches != nil || e.Schema != nil || e.Succeeds
}

// exits compares the exit code. An answer without a process counts as 0; a reported error
// without a process has no code.
func exits(e capability.Expect, o Outcome) string {
	switch {
	case o.Ended == Answered && e.Exit == 0:
		return ""
	case o.Ended != Exited:
		return fmt.Sprintf("has no exit code, not %d", e.Exit)
	case o.Exit != e.Exit:
		return fmt.Sprintf("exits with %d, not %d: %s", o.Exit, e.Exit, Cause(o))
	}
	return ""
}

func tells(e capability.Expect, f *failure) string {
	switch {
	case f == nil:
		return "answers, and should fail"
	case !strings.Contains(f.message, e.Error):
		return fmt.Sprintf("fails without %q: %s", e.Error, firstLine(f.message))
	}
	return ""
}

// judge checks the parts of an expectation that concern the answer.
func judge(e capability.Expect, o Outcome, answer any) string {
	given, err := plain(answer)
	if err != nil {
		return err.Error()
	}
	if e.HasEquals {
		want, err := plain(e.Equals)
		if err != nil {
			return err.Error()
		}
		if !equal(given, want) {
			return "answers " + short(given) + ", not " + short(want) + NoJSON(o)
		}
	}
	if e.Contains != nil {
		part, err := plain(e.Contains)
		if err != nil {
			return err.Error()
		}
		if !contains(given, part) {
			return "answers " + short(given) + ", without " + short(part) + NoJSON(o)
		}
	}
	if e.Matches != nil && !e.Matches.MatchString(textOf(o, given)) {
		return "answers " + short(given) + ", in which " + short(e.Matches.String()) + " is not found"
	}
	if e.Schema != nil {
		if err := e.Schema.Check(given); err != nil {
			return "the answer does not fit the schema: " + err.Error() + NoJSON(o)
		}
	}
	return ""
}

// textOf returns the answer as text: a text unchanged, a process's complete output,
// anything else as JSON.
func textOf(o Outcome, answer any) string {
	if text, ok := answer.(string); ok {
		return text
	}
	if o.Ended == Exited {
		return o.Stdout
	}
	return jsonText(answer)
}

// short returns a value in a form for messages.
func short(v any) string {
	const limit = 70
	text := jsonText(v)
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}
