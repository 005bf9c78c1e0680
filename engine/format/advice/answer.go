package advice

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
)

// The verdicts. None records a question without a usable answer.
const (
	Block    = "block"
	Escalate = "escalate"
	Pass     = "pass"
	None     = "none"
)

// Verdicts returns the verdicts that an answer may give.
func Verdicts() []string { return []string{Block, Escalate, Pass} }

// Finding is a finding of the scan rules, or one that an answer adds.
type Finding struct {
	Rule     string        `json:"rule,omitempty"`
	File     string        `json:"file"`
	Line     int           `json:"line"`
	Severity diag.Severity `json:"severity"`
	Message  string        `json:"message"`
}

// Answer is a second opinion as the program or model returns it.
type Answer struct {
	Verdict  string    `json:"verdict"`
	Reason   string    `json:"reason"`
	Findings []Finding `json:"findings"`
}

// Weight returns the strictest of the verdict and the findings. A finding of severity
// error blocks and a warning escalates, regardless of the verdict.
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
