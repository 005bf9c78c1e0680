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

// TestStatusWithoutExamination: what waits for people is listed as it is recorded, and what is in conflict is examined.
func TestStatusWithoutExamination(t *testing.T) {
	d := begin(t)
	a := d.agent("scout")
	s := connect(t, a)
	d.inForce(skill("reef", "Make a knot."))
	p := data[toolset.Proposal](t, s, "propose", map[string]any{"goal": "tie boats", "files": skill("reef", "Make a loop.")})
	look := a.Look
	status := func(forbidden bool) (toolset.StatusOutput, error) {
		a.Look = func(ctx context.Context) (workspace.Session, error) {
			cur, err := look(ctx)
			if err == nil && forbidden {
				cur.Workspace.Forge = unread{cur.Forge, true}
			}
			return cur, err
		}
		return a.Status(t.Context(), toolset.StatusInput{})
	}
	got, err := status(true)
	d.OK(err)
	if open := got.Workspace.Open; len(open) != 1 || open[0].State != "waiting" || open[0].Goal != p.Goal || open[0].Risk != p.Risk || open[0].Review != p.Review || !slices.Equal(open[0].WaitingFor, p.WaitingFor) || len(open[0].Reasons) > 0 {
		t.Errorf("listed as %+v, proposed as %+v", open, p)
	}
	d.inForce(skill("reef", "Make no knot."))
	if _, err := status(true); !errors.Is(err, errUnread) {
		t.Errorf("a proposal in conflict was not examined: %v", err)
	}
	got, err = status(false)
	d.OK(err)
	if open := got.Workspace.Open; len(open) != 1 || open[0].State != "conflicted" {
		t.Errorf("in conflict, it is listed as %+v", open)
	}
}

// TestSessionBeginsWithServers: only where a server is in force, the news says how its methods are called.
func TestSessionBeginsWithServers(t *testing.T) {
	d := begin(t)
	a := d.agent("scout")
	said := func() bool {
		_, news, err := a.Welcome(t.Context())
		d.OK(err)
		return strings.Contains(strings.Join(news, "\n"), "SERVER__METHOD")
	}
	if said() {
		t.Error("said without a server")
	}
	server := skill("tally", "Counts.")
	server["skills/tally/capability.yaml"] = "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio, entry: scripts/main.py}\n"
	server["skills/tally/server.json"] = `{"name": "localhost/tally", "description": "Counts", "version": "1.0.0"}`
	server["skills/tally/scripts/main.py"] = "import sys\n"
	d.inForce(server)
	if !said() {
		t.Error("not said of a server")
	}
}
