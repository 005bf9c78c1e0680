package suite

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/assent-dev/assent/engine/format/capability"
)

// MaxCause bounds the length of a cause, in characters.
const MaxCause = 200

// Cause explains in one line of at most MaxCause characters why a run failed. It uses the
// most specific information there is: a limit that stopped the run; the last line of a
// traceback, with node's innermost cause; a syntax error; success without output; a
// reported error; else the first line of output, or the error after a usage message. It
// does not check whether the run failed, and is empty if nothing was written.
func Cause(o Outcome) string {
	switch o.Ended {
	case "", NotRun:
		return line("was not run", o.Message)
	case TimedOut:
		return line("did not end in its time", first(firstLine(o.Stderr), o.Message))
	case OverMemory:
		return line("needs more memory than it may have", "")
	case OverOutput:
		return line("writes more than it may", "")
	case Denied:
		return line("was stopped for something that it may not do", o.Message)
	case Killed:
		return line("was ended by a signal", said(o))
	case Failed, Crashed:
		return line("", first(said(o), o.Message, "failed and said nothing"))
	case Answered:
		text, _ := errorObject(o.Value)
		return line("", text)
	}
	return line("", first(said(o), firstLine(o.Stdout), fmt.Sprintf("exited with %d and said nothing", o.Exit)))
}

// Ending is Cause for a script that reports as it goes: its last line says why it failed, except
// below the frames of node and in the second line of bash about its syntax.
func Ending(o Outcome) string {
	text := first(o.Stderr, o.Stdout)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	specific := syntaxError(strings.Join(lines[max(0, len(lines)-2):], "\n"))
	if strings.HasPrefix(last, "Node.js v") {
		specific = lastError(text)
	}
	return line("", first(specific, last, Cause(o)))
}

// said returns the most specific line of a process's output.
func said(o Outcome) string {
	for _, text := range []string{o.Stderr, o.Message} {
		if found := first(lastError(text), syntaxError(text)); found != "" {
			return found
		}
	}
	if o.Ended == Exited && o.Exit == 0 && strings.TrimSpace(o.Stdout) == "" {
		return "exited with 0 and wrote nothing to standard output"
	}
	answer, _ := o.Answer()
	reported, _ := errorObject(answer)
	return first(reported, afterUsage(o.Stderr), firstLine(o.Stderr), o.Message)
}

var (
	syntaxLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^.*\bsyntax ?error\b.*$`) })
	nodeAt     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s+at .+:\d+:\d+\)?$`) })
	nodeError  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:Uncaught )?(?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?: `)
	})
	nodeCause = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s+\[cause\]: (?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?: (.*[^\s{])`)
	})
	usageLine  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^usage:`) })
	usageError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:\S+: )?error: `) })
	address    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b0x[0-9a-fA-F]{6,}\b`) })
)

const pythonTrace = "Traceback (most recent call last):"

// lastError returns the error line of a traceback. For Python it is the first unindented
// line after the frames of the last traceback; for node the line above the frames, with
// the innermost cause.
func lastError(text string) string {
	lines := strings.Split(text, "\n")
	in, found, cause := false, "", ""
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		switch {
		case strings.HasPrefix(strings.TrimSpace(l), pythonTrace):
			in = true
		case in && l != "" && l[0] != ' ' && l[0] != '\t':
			in, found = false, l
		case !in && found == "" && nodeAt().MatchString(l):
			found = nodeErrorAbove(lines[:i])
		case !in && found != "":
			if m := nodeCause().FindStringSubmatch(l); m != nil {
				cause = ": " + m[1]
			}
		}
	}
	return found + cause
}

func nodeErrorAbove(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if nodeError().MatchString(lines[i]) {
			return lines[i]
		}
	}
	return ""
}

func syntaxError(text string) string {
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); syntaxLine().MatchString(l) {
			return l
		}
	}
	return ""
}

// afterUsage returns the error below a usage message, as argparse prints it.
func afterUsage(text string) string {
	if !usageLine().MatchString(firstLine(text)) {
		return ""
	}
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); usageError().MatchString(l) {
			return l
		}
	}
	return ""
}

func firstLine(text string) string {
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			return l
		}
	}
	return ""
}

func first(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

// line joins an event and a message on one short line. It removes memory addresses, so
// that the same fault gives the same line.
func line(what, said string) string {
	said = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(said, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	text := strings.TrimSuffix(strings.TrimPrefix(what+": "+said, ": "), ": ")
	text = address().ReplaceAllString(text, "0x…")
	if r := []rune(text); len(r) > MaxCause {
		return string(r[:MaxCause-1]) + "…"
	}
	return text
}

// Explain returns the first of the record's error patterns that matches one of the texts.
func Explain(patterns []capability.ErrorPattern, texts ...string) (capability.ErrorPattern, bool) {
	for _, p := range patterns {
		re, err := regexp.Compile(p.Match)
		if err != nil || p.Match == "" { // the record's own check reports it
			continue
		}
		for _, t := range texts {
			if re.MatchString(t) {
				return p, true
			}
		}
	}
	return capability.ErrorPattern{}, false
}
