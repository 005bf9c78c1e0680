package migrate

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Step raises a workspace by one format.
type Step struct {
	From, To int
	// Why tells approvers what the step gives and what it takes away.
	Why string
	// Edits are the changes in the governed folders.
	Edits []tree.Edit
}

// migration is one row of the table: the step to a format from the one before it. The edits
// include the file with the new number.
type migration struct {
	to    int
	why   string
	edits func(tree.View) ([]tree.Edit, error)
}

// migrations lists them by the format that they lead to. A new format is a row here
// and a file of its own, with a folder of testdata.
func migrations() []migration {
	return []migration{toFoldedJournals()}
}

// Next returns the step from a format to the next one, for the tree in force. It is
// nil for a workspace of the newest format. The error is for a tree that cannot be
// read.
func Next(v tree.View, format int) (*Step, error) {
	for _, m := range migrations() {
		if m.to != format+1 {
			continue
		}
		edits, err := m.edits(v)
		if err != nil {
			return nil, fmt.Errorf("decide what format %d needs: %w", m.to, err)
		}
		return &Step{From: format, To: m.to, Why: m.why, Edits: edits}, nil
	}
	return nil, nil
}
