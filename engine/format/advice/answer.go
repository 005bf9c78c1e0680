package advice

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
)

// The verdicts. None says that somebody was asked and gave no usable answer.
const (
	Block    = "block"
	Escalate = "escalate"
	Pass     = "pass"
	None     = "none"
)

// Verdicts are those that an answer can have.
func Verdicts() []string { return []string{Block, Escalate, Pass} }

// Finding is one thing that the rules found, or that an answer adds.
type Finding struct {
	Rule     string        `json:"rule,omitempty"`
	File     string        `json:"file"`
	Line     int           `json:"line"`
	Severity diag.Severity `json:"severity"`
	Message  string        `json:"message"`
}

// Answer is what whoever is asked answers.
type Answer struct {
	Verdict  string    `json:"verdict"`
	Reason   string    `json:"reason"`
	Findings []Finding `json:"findings"`
}

// Weight is the gravest of a verdict and its findings: a finding that is an error
// blocks, and one that is a warning escalates, whatever the verdict beside it says.
func (a Answer) Weight() string {
	has := func(s diag.Severity) bool {
		return slices.ContainsFunc(a.Findings, func(f Finding) bool { return f.Severity == s })
	}
	switch {
	case a.Verdict == Block || has(diag.Error):
		return Block
	case a.Verdict == Pass && !has(diag.Warning):
		return Pass
	case a.Verdict == None:
		return None
	}
	return Escalate
}
