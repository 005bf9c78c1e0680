package mcpserver_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/workspace"
)

// unread is a forge whose open proposals cannot be examined or not even listed.
type unread struct {
	forge.Forge
	list bool
}

var errUnread = errors.New("not now")

func (u unread) Get(context.Context, string) (forge.Pull, error) { return forge.Pull{}, errUnread }

func (u unread) List(ctx context.Context, f forge.Filter) ([]forge.Pull, error) {
	if !u.list {
		return nil, errUnread
	}
	return u.Forge.List(ctx, f)
}

// TestSessionBeginsWithoutExamination: a session begins with the open proposals, of which none is examined, and with the
// identity even if they cannot be listed.
func TestSessionBeginsWithoutExamination(t *testing.T) {
	d := begin(t)
	a := d.agent("scout")
	id := data[toolset.Proposal](t, connect(t, a), "propose", map[string]any{"goal": "tie boats", "files": skill("bowline", "Make a loop.")}).ID
	look := a.Look
	for _, list := range []bool{true, false} {
		a.Look = func(ctx context.Context) (workspace.Session, error) {
			cur, err := look(ctx)
			if err == nil {
				cur.Workspace.Forge = unread{cur.Forge, list}
			}
			return cur, err
		}
		soul, news, err := a.Welcome(t.Context())
		if soul == "" || list == errors.Is(err, errUnread) || list && !slices.Contains(news, "Your proposal "+id+" is open.") {
			t.Errorf("list %t: a session begins with %.30q, %s, %v", list, soul, strings.Join(news, "\n"), err)
		}
	}
}
