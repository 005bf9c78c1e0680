package proof

import (
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Version is the version of the record format that this package writes, and the only
// one that it reads.
const Version = 1

// MaxRecord bounds a record, in bytes.
const MaxRecord = 1 << 20

// Record is the test results of one content of one proposal.
type Record struct {
	V      int    `json:"v"`
	Engine string `json:"engine"`
	// Workspace, Proposal, Head and Effective (the effective tree) identify the content;
	// Result is the tree of the merge result that was tested.
	Workspace string    `json:"workspace"`
	Proposal  string    `json:"proposal"`
	Head      tree.Hash `json:"head"`
	Effective string    `json:"effective"`
	Result    tree.Hash `json:"result"`
	Trials    []Trial   `json:"trials"`
}

// Check returns an error if r must not be recorded.
func (r Record) Check() error {
	switch {
	case r.V != Version:
		return fmt.Errorf("version %d; this program reads %d: update assent", r.V, Version)
	case r.Engine == "" || r.Workspace == "" || r.Proposal == "" || r.Effective == "" || r.Head.IsZero() || r.Result.IsZero():
		return errors.New("engine, workspace, proposal, head, effective or result is missing")
	case len(r.Trials) == 0 || len(r.Trials) > MaxTrials:
		return fmt.Errorf("want 1 to %d trials", MaxTrials)
	}
	for _, text := range []string{r.Engine, r.Workspace, r.Proposal, r.Effective} {
		if err := canonical.CheckPhrase(text, maxText); err != nil {
			return err //nolint:wrapcheck // it quotes the text
		}
	}
	for _, t := range r.Trials {
		if err := t.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Encode returns the canonical bytes of a record: one JSON object on one line.
func (r Record) Encode() ([]byte, error) { return canonical.Encode("record tests", r) }

// Decode parses canonical bytes and refuses any other encoding.
func Decode(data []byte) (Record, error) {
	return canonical.Decode[Record]("record of tests", data, MaxRecord)
}
