package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
)

// Severity orders diagnostics by what they do to a proposal.
type Severity int

// The severities. The zero value is Error, so that a diagnostic without an explicit severity
// blocks.
const (
	// Error blocks: the proposal cannot merge with it.
	Error Severity = iota
	// Warning escalates: a person must review, the proposal does not merge automatically.
	Warning
	// Note informs and changes nothing.
	Note
)

var severityNames = [...]string{"error", "warning", "note"}

// String returns "error", "warning" or "note".
func (s Severity) String() string {
	if s < 0 || int(s) >= len(severityNames) {
		return fmt.Sprintf("severity(%d)", int(s))
	}
	return severityNames[s]
}

// MarshalText writes the severity as its name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a severity's name; an unknown name is an error.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severityNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown severity %q (want error, warning or note)", text)
	}
	*s = Severity(i)
	return nil
}

// Pos is a place in a file of a workspace.
type Pos struct {
	// File is the slash-separated path from the workspace's root; empty when the
	// diagnostic concerns no single file.
	File string `json:"file"`
	// Line counts from 1; 0 means the file as a whole.
	Line int `json:"line"`
	// Column counts bytes from 1; 0 means the line as a whole.
	Column int `json:"column"`
}

// String renders file:line:column without unknown parts.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// Diagnostic is one finding about content.
type Diagnostic struct {
	// Rule identifies the check: lower-case words joined by '-', such as
	// "name-shape". Every rule has a section in docs/checks.md.
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Pos
	// Message says what is wrong, in one sentence without a final period.
	Message string `json:"message"`
	// Fix says how to resolve it.
	Fix string `json:"fix"`
	// Evidence is the offending text, shortened. It is untrusted and must be escaped for
	// display.
	Evidence string `json:"evidence,omitempty"`
	// Why says why the rule exists, for findings that are not self-evident.
	Why string `json:"why,omitempty"`
	// Confidence is in (0, 1]; 0 means that the rule is exact.
	Confidence float64 `json:"confidence,omitempty"`
	// Also is a second place that the finding concerns, such as the other of two files with one
	// name; the zero value if there is none.
	Also Pos `json:"also,omitzero"`
}

// String renders "file:line:column: severity: message [rule]".
func (d Diagnostic) String() string {
	place := d.Pos.String()
	if place != "" {
		place += ": "
	}
	return fmt.Sprintf("%s%s: %s [%s]", place, d.Severity, d.Message, d.Rule)
}

// List is a collection of diagnostics. A nil List is empty and ready to use.
type List []Diagnostic

// Add appends diagnostics.
func (l *List) Add(ds ...Diagnostic) { *l = append(*l, ds...) }

// Errorf appends an error-severity diagnostic.
func (l *List) Errorf(rule string, pos Pos, fix, format string, args ...any) {
	l.Add(Diagnostic{Rule: rule, Severity: Error, Pos: pos, Fix: fix, Message: fmt.Sprintf(format, args...)})
}

// Warnf appends a warning-severity diagnostic.
func (l *List) Warnf(rule string, pos Pos, fix, format string, args ...any) {
	l.Add(Diagnostic{Rule: rule, Severity: Warning, Pos: pos, Fix: fix, Message: fmt.Sprintf(format, args...)})
}

// Notef appends a note-severity diagnostic.
func (l *List) Notef(rule string, pos Pos, fix, format string, args ...any) {
	l.Add(Diagnostic{Rule: rule, Severity: Note, Pos: pos, Fix: fix, Message: fmt.Sprintf(format, args...)})
}

// HasErrors reports whether any diagnostic blocks.
func (l List) HasErrors() bool { return l.Count(Error) > 0 }

// Count returns how many diagnostics have exactly severity s.
func (l List) Count(s Severity) int {
	n := 0
	for _, d := range l {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Sort orders by file, line, column, severity, rule and message, so that the
// same findings always print as the same bytes, and drops exact repeats.
func (l *List) Sort() {
	order.Sort(*l, compare)
	*l = slices.Compact(*l)
}

// mostBytes bounds the texts of shortened findings together.
const mostBytes = 1 << 20

// Shorten keeps the first findings of each rule and severity in one file, at most the given number,
// and says in the last of them how many more there are. It keeps findings of a megabyte together, and beyond
// that the first of each rule and severity.
func (l List) Shorten(most int) List {
	type kind struct {
		file, rule string
		severity   Severity
	}
	last, count, first := map[kind]int{}, map[kind]int{}, map[kind]bool{}
	left := mostBytes
	var out List
	for _, d := range l {
		k := kind{d.File, d.Rule, d.Severity}
		//defence:findings-are-bounded
		if count[k]++; count[k] > most {
			continue
		}
		left -= len(d.File) + len(d.Message) + len(d.Fix) + len(d.Evidence) + len(d.Why) + len(d.Also.File) + 200
		known := first[kind{"", d.Rule, d.Severity}]
		//defence:findings-share-one-bound
		if left < 0 && known {
			continue
		}
		first[kind{"", d.Rule, d.Severity}] = true
		last[k] = len(out)
		out = append(out, d)
	}
	for k, n := range count {
		if at, kept := last[k]; kept && n > most {
			out[at].Message += fmt.Sprintf(" (and %d more such findings in this file)", n-most)
		}
	}
	if left < 0 {
		out[len(out)-1].Message += fmt.Sprintf(" (of %d findings, %d are listed)", len(l), len(out))
	}
	return out
}

func compare(a, b Diagnostic) int {
	return cmp.Or(
		strings.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Severity, b.Severity),
		strings.Compare(a.Rule, b.Rule),
		strings.Compare(a.Message, b.Message),
		strings.Compare(a.Evidence, b.Evidence),
	)
}
