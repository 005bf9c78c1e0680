package validate

import (
	"encoding/json"
	"fmt"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// ReportVersion is the version of the report's format.
const ReportVersion = 1

// Report is the result of a validation: a value without times, hosts or durations, so that
// the same inputs give the same bytes and the digest can be recomputed.
type Report struct {
	V        int    `json:"v"`
	Engine   string `json:"engine"`
	Base     string `json:"base"`   // object name of the base
	Result   string `json:"result"` // object name of the tree that was judged
	Proposal string `json:"proposal,omitempty"`
	// Kind is the kind of proposal, derived from the changed files. It is empty without a
	// proposal, and if names or sizes stopped validation before content was read.
	Kind string `json:"kind,omitempty"`
	// Passed is set when no diagnostic blocks.
	Passed      bool        `json:"passed"`
	Risk        policy.Risk `json:"risk"`
	Files       []File      `json:"files"`
	Diagnostics diag.List   `json:"diagnostics"`
	// Changes are the facts that risk and verdict are derived from.
	Changes policy.Changes `json:"changes"`
	Scan    policy.Scan    `json:"scan"`
	// Compared lists, for the folder of each new capability, the capabilities in force that
	// it was compared with as possible duplicates. A search found them. They are recorded as
	// an input, so that the report can be computed again without a search.
	Compared map[string][]string `json:"compared,omitempty"`
}

// File is one changed file.
type File struct {
	Path   string `json:"path"`
	Change string `json:"change"` // added, modified or removed
	Blob   string `json:"blob,omitempty"`
}

// Canonical returns the bytes that the digest covers.
func (r Report) Canonical() ([]byte, error) {
	data, err := canonical.Line(r)
	if err != nil {
		return nil, fmt.Errorf("encode report: %w", err)
	}
	return data, nil
}

// Digest returns "sha256:" and the hexadecimal digest of the canonical bytes.
func (r Report) Digest() (string, error) {
	data, err := r.Canonical()
	if err != nil {
		return "", err
	}
	return canonical.Digest(data), nil
}

// ParseReport decodes a report of this format. Callers compare its digest (canonical.Digest) to make
// sure that it is the report they expect.
func ParseReport(canonical []byte) (Report, error) {
	var r Report
	if err := json.Unmarshal(canonical, &r); err != nil {
		return Report{}, fmt.Errorf("decode report: %w", err)
	}
	if r.V != ReportVersion {
		return Report{}, fmt.Errorf("the report has format version %d; this program reads %d: update assent", r.V, ReportVersion)
	}
	return r, nil
}

// KindOf returns the derived kind of p, or the kind that p declares if none was derived.
func (r Report) KindOf(p proposal.Proposal) string {
	if r.Kind == "" {
		return string(p.Kind)
	}
	return r.Kind
}

// Summary returns one line for people: the number of findings by severity.
func (r Report) Summary() string {
	e, w, n := r.Diagnostics.Count(diag.Error), r.Diagnostics.Count(diag.Warning), r.Diagnostics.Count(diag.Note)
	if e+w+n == 0 {
		return "validation passed without findings"
	}
	verb := "passed"
	if !r.Passed {
		verb = "failed"
	}
	return fmt.Sprintf("validation %s: %s, %s, %s", verb, count(e, "error"), count(w, "warning"), count(n, "note"))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
