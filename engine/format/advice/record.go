package advice

import (
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Version is the version of the record format that this package writes, and the only
// one that it reads.
const Version = 1

// Bounds of a record, of each text in it, in bytes, and of its findings.
const (
	MaxRecord   = 128 << 10
	MaxFindings = 100
	maxText     = 512
)

// Record is a second opinion on the exact content of one proposal.
type Record struct {
	V      int    `json:"v"`
	Engine string `json:"engine"`
	// Workspace, Proposal, Head and Tree (the effective tree) identify the content.
	Workspace string    `json:"workspace"`
	Proposal  string    `json:"proposal"`
	Head      tree.Hash `json:"head"`
	Tree      string    `json:"tree"`
	// Asked names the program, or the model and its host.
	Asked string `json:"asked"`
	Answer
}

// Check returns an error if r must not be recorded.
func (r Record) Check() error {
	switch {
	case r.V != Version:
		return fmt.Errorf("version %d; this program reads %d: update assent", r.V, Version)
	case r.Engine == "" || r.Workspace == "" || r.Proposal == "" || r.Tree == "" || r.Asked == "" || r.Head.IsZero():
		return errors.New("engine, workspace, proposal, head, tree or asked is missing")
	case r.Verdict != None && !slices.Contains(Verdicts(), r.Verdict):
		return fmt.Errorf("unknown verdict %q", r.Verdict)
	case r.Findings == nil || len(r.Findings) > MaxFindings:
		return fmt.Errorf("want a list of at most %d findings", MaxFindings)
	}
	texts := []string{r.Engine, r.Workspace, r.Proposal, r.Tree, r.Asked, r.Reason}
	for _, f := range r.Findings {
		texts = append(texts, f.Rule, f.File, f.Message)
		if f.Line < 0 {
			return fmt.Errorf("line %d is negative", f.Line)
		}
	}
	for _, text := range texts {
		if err := canonical.CheckPhrase(text, maxText); err != nil {
			return err //nolint:wrapcheck // it quotes the text
		}
	}
	return nil
}

// Encode returns the canonical bytes of a record: one JSON object on one line.
func (r Record) Encode() ([]byte, error) { return canonical.Encode("record a second opinion", r) }

// Decode parses canonical bytes and refuses any other encoding.
func Decode(data []byte) (Record, error) {
	return canonical.Decode[Record]("second opinion", data, MaxRecord)
}

// Fit returns a that fits into a record: each text is one line of bounded length. It
// keeps the answer's weight.
func Fit(a Answer) Answer {
	out := Answer{Verdict: a.Verdict, Reason: phrase(a.Reason), Findings: []Finding{}}
	for _, f := range a.Findings {
		f.Rule, f.File, f.Message, f.Line = phrase(f.Rule), phrase(f.File), phrase(f.Message), max(0, f.Line)
		out.Findings = append(out.Findings, f)
	}
	return out
}

// phrase returns text as one line of at most maxText bytes.
func phrase(text string) string { return canonical.Phrase(text, maxText) }
