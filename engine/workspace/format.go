package workspace

import (
	"fmt"

	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// NewerFormat says that a workspace is written in a format that this program does
// not know. Nothing is answered about it then, because anything in it may mean
// something else.
type NewerFormat struct{ Format int }

// Error says what to do in one sentence.
func (n *NewerFormat) Error() string {
	return fmt.Sprintf("workspace format %d; this program reads up to %d: update assent", n.Format, policy.NewestFormat)
}

// Readable returns a *NewerFormat where policies are those of a newer workspace.
func Readable(p policy.Policies) error {
	if p.Format > policy.NewestFormat {
		return &NewerFormat{Format: p.Format}
	}
	return nil
}

// inForce is at for a commit that the gate let through, whose word about the format
// counts. Of other commits it does not: anybody can push one that names a format
// that nobody knows, and that must not keep others from their workspace. keep says
// that what is found out about its capabilities is worth keeping.
func (w *Workspace) inForce(standing attest.Standing, keep bool) (Session, error) {
	cur, err := w.At(standing)
	if err != nil {
		return cur, err
	}
	if err := Readable(cur.Policies); err != nil {
		return Session{}, err
	}
	cur.Capabilities.keep = keep
	return cur, nil
}
