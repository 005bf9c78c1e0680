package checkpoint

import (
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Anchor names a workspace and a commit in force there. It is short enough for a message,
// and reaches a new reader by another channel than the repository. It is not signed:
// trust it as much as the channel.
type Anchor struct {
	Workspace tree.Hash `json:"workspace"`
	Commit    tree.Hash `json:"commit"`
}

// ErrAnchor reports that a text is not an anchor.
var ErrAnchor = errors.New("want WORKSPACE@COMMIT, both with all 40 hexadecimal digits, as assent push prints it")

// ParseAnchor reads the form of String. It refuses abbreviations, because others can
// create commits whose names begin alike.
func ParseAnchor(text string) (Anchor, error) {
	workspace, commit, _ := strings.Cut(text, "@")
	var a Anchor
	var errs [2]error
	a.Workspace, errs[0] = tree.ParseHash(workspace)
	a.Commit, errs[1] = tree.ParseHash(commit)
	if errs[0] != nil || errs[1] != nil || a.Workspace.IsZero() || a.Commit.IsZero() {
		return Anchor{}, ErrAnchor
	}
	return a, nil
}

// String returns the form in which an anchor is passed on.
func (a Anchor) String() string { return a.Workspace.String() + "@" + a.Commit.String() }

// Anchor returns the commit that was in force.
func (c Checkpoint) Anchor() Anchor { return Anchor{c.Workspace, c.InForce} }
