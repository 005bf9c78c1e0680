package scan

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Verdict is the result of the findings of one capability. The zero value
// blocks, so that a verdict that was never set lets nothing through.
type Verdict int

// The verdicts, from the worst.
const (
	Block    Verdict = iota // there is an error
	Escalate                // no error, but a warning: a person must look
	Pass                    // neither; no evidence of harmlessness
)

var verdictNames = [...]string{"block", "escalate", "pass"}

// String returns "block", "escalate" or "pass".
func (v Verdict) String() string {
	if v < 0 || int(v) >= len(verdictNames) {
		return fmt.Sprintf("verdict(%d)", int(v))
	}
	return verdictNames[v]
}

// MarshalText writes the verdict as its name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// VerdictOf returns the verdict of the findings.
func VerdictOf(found diag.List) Verdict {
	switch {
	case found.HasErrors():
		return Block
	case found.Count(diag.Warning) > 0:
		return Escalate
	}
	return Pass
}

// Score adds up findings to a risk between 0 and 1: 0.1 for a note but no more than
// 0.2 for all of them, 0.3 for a warning with a confidence below sure, 0.6 for another
// warning, 1.0 for an error. It sorts capabilities for people to look at; verdicts do
// not use it.
func Score(found diag.List) float64 {
	tenths, notes := 0, 0
	for _, d := range found {
		switch {
		case d.Severity == diag.Error:
			tenths += 10
		case d.Severity == diag.Note:
			notes++
		case d.Confidence > 0 && d.Confidence < sure:
			tenths += 3
		default:
			tenths += 6
		}
	}
	return float64(min(tenths+min(notes, 2), 10)) / 10
}

// sure is the confidence from which a warning counts in full.
const sure = 0.6

// Result is the result of the scan of one capability.
type Result struct {
	// Path is the path of the capability: the named path, and the path below it.
	// Name is its last part.
	Path, Name string
	Verdict    Verdict
	Score      float64
	// Files and Bytes were looked at.
	Files, Bytes int
	// Findings are sorted; their files are relative to Path.
	Findings diag.List
}

// Settle derives verdict and score from the findings, which it sorts.
func (r *Result) Settle() {
	r.Findings = slices.Clone(r.Findings)
	r.Findings.Sort()
	r.Verdict, r.Score = VerdictOf(r.Findings), Score(r.Findings)
}
