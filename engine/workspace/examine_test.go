package workspace_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// TestExamineBreaks: a proposal on which the program breaks is damaged, which stops no reader of others.
func TestExamineBreaks(t *testing.T) {
	d := worldtest.New(t, "kublai")
	out, err := propose.Open(t.Context(), d.Workspace, d.Request(skill("bowline")))
	d.OK(err)
	s, err := d.Session(t.Context())
	d.OK(err)
	d.Forge = breaking{d.Forge}
	var damaged *forge.Damaged
	if _, err := s.Examine(t.Context(), out.Pull.ID); !errors.As(err, &damaged) || damaged.ID != out.Pull.ID {
		t.Errorf("%v", err)
	}
}

// breaking is a forge that breaks when it is asked for what happened.
type breaking struct{ forge.Forge }

func (breaking) Activity(context.Context, string) (forge.Activity, error) { panic("broken") }
