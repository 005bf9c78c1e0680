package validate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// ReportVersion is the version of the report's format.
const ReportVersion = 1

// Report is what validation found: a value without times, hosts or durations, so
// that the same inputs give the same bytes and the digest can be recomputed.
type Report struct {
	V        int    `json:"v"`
	Engine   string `json:"engine"`
	Base     string `json:"base"`   // object name of the base
	Result   string `json:"result"` // object name of the tree that was judged
	Proposal string `json:"proposal,omitempty"`
	// Kind is what kind of proposal it is, by what it changes; empty without a proposal,
	// and where names or sizes were such that its content was not read.
	Kind string `json:"kind,omitempty"`
	// Passed is set when no diagnostic blocks.
	Passed      bool        `json:"passed"`
	Risk        policy.Risk `json:"risk"`
	Files       []File      `json:"files"`
	Diagnostics diag.List   `json:"diagnostics"`
	// Changes are the facts that risk and verdict are derived from.
	Changes policy.Changes `json:"changes"`
	Scan    policy.Scan    `json:"scan"`
	// Compared names, for the folder of each capability that the change brings, those
	// in force that it was compared with as a possible duplicate of them. They were
	// found by searching, and are an input: comparing again needs no search.
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
	return DigestOf(data), nil
}

// DigestOf is the digest of a report that is already encoded.
func DigestOf(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// ParseReport reads a report of this format back. Whether the bytes are those that
// somebody means is for DigestOf to tell.
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

// KindOf is what kind of proposal p is: what was derived, and what it says of itself where
// nothing was.
func (r Report) KindOf(p proposal.Proposal) string {
	if r.Kind == "" {
		return string(p.Kind)
	}
	return r.Kind
}

// Summary is one line for a person: how many findings of which severity.
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
