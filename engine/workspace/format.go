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

// inForce is at for a commit that passed the gate, so that its format counts. The format of
// other commits does not: any pusher could name an unknown one, and lock others out of
// their workspace. keep says whether to cache the facts about its capabilities.
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
