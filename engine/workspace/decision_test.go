package workspace_test

import (
	"errors"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/proposals/approve"
)

// Between the look and the signature there may be a passphrase to type, and time for a push: only
// the content that was shown is signed.
func TestDecisionIsAboutWhatWasSeen(t *testing.T) {
	d := newWorld(t)
	pull := d.open(skill("bowline")...)
	next := d.Commit("Another text", []tree.Hash{pull.Head}, longer("bowline"))
	_, err := d.Forge.Push(d.Context(), pull.ID, forge.Push{By: forge.Actor{Name: "kublai"}, Old: pull.Head, New: next, At: d.Tick()})
	d.OK(err)
	decide := approve.Decision{Proposal: pull.ID, Head: pull.Head, Decision: review.Approve, Signer: d.Ada}
	var stale *forge.ErrStale
	if _, err := approve.Run(d.Context(), d.Workspace, decide); !errors.As(err, &stale) || stale.Got != next {
		t.Errorf("signed for another version than the one that was looked at: %v", err)
	}
	decide.Head = next
	if _, err := approve.Run(d.Context(), d.Workspace, decide); err != nil {
		t.Error(err)
	}
}
