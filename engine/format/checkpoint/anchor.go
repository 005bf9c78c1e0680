package checkpoint

import (
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Anchor names a workspace and a commit that was in force there. Given to a newcomer
// by another way than the repository, it is short enough for a message. It is not
// signed: it is worth as much as the way by which it came.
type Anchor struct {
	Workspace tree.Hash `json:"workspace"`
	Commit    tree.Hash `json:"commit"`
}

// ErrAnchor says that a text is no anchor.
var ErrAnchor = errors.New("want WORKSPACE@COMMIT, both with all 40 hexadecimal digits, as assent push prints it")

// ParseAnchor reads what String writes. Abbreviations are refused, because others can
// make commits whose names begin alike.
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

// String is the form in which an anchor is passed on.
func (a Anchor) String() string { return a.Workspace.String() + "@" + a.Commit.String() }

// Anchor is what a checkpoint says was in force.
func (c Checkpoint) Anchor() Anchor { return Anchor{c.Workspace, c.InForce} }
