package fill_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/drafter"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/fill"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// counting counts the programs that are started for a conversation: servers.
type counting struct {
	sandbox.Runner
	started *atomic.Int64
}

func (c counting) Start(ctx context.Context, s sandbox.Spec) (*sandbox.Process, error) {
	c.started.Add(1)
	return c.Runner.Start(ctx, s)
}

// TestListedOnce: a server is started once for its list, whether a dry run or the proposal comes of it. The list of the template
// is known from the proposal.
func TestListedOnce(t *testing.T) {
	box, err := sandbox.New(t.Context())
	if no := (*sandbox.Refusal)(nil); errors.As(err, &no) {
		t.Skip(no)
	}
	d := worldtest.New(t, "kublai")
	d.OK(err)
	var started atomic.Int64
	d.Sandbox = func(context.Context) (sandbox.Runner, error) { return counting{box, &started}, nil }
	edits, found := capability.Scaffold(capability.KindMCP, "notes", capability.ScaffoldOptions{Template: "files", Language: "python", Description: "Reads notes. Use when something was noted."})
	if found.HasErrors() {
		t.Fatal(found)
	}
	opened, err := propose.Open(t.Context(), d.Workspace, d.Request(edits))
	d.OK(err)
	if n := started.Swap(0); n != 1 || !opened.Opened {
		t.Fatalf("%d started for the proposal: %v", n, opened.Diagnostics)
	}
	by := func(_ context.Context, question []byte) ([]byte, error) {
		var q drafter.Question
		if err := json.Unmarshal(question, &q); err != nil {
			return nil, err
		}
		if n := started.Load(); n != 0 {
			t.Errorf("%d started for the question", n)
		}
		for _, f := range q.Files {
			if f.Path == "scripts/main.py" {
				return answers(map[string]string{f.Path: strings.Replace(f.Content, `raise NotImplementedError("not implemented")`, `return {"asked for": given}`, 1)})(t.Context(), nil)
			}
		}
		return nil, errors.New("there is no code")
	}
	starts := func(dry bool) int64 {
		cur, err := d.Session(t.Context())
		d.OK(err)
		cur.Policies.Autonomy.Default = policy.Sandboxed
		out, err := fill.Run(t.Context(), cur, opened.Pull.ID, fill.Options{Drafter: by, Name: "scribbler", Timeout: time.Minute, By: forge.Actor{Name: "kublai"}, Say: d.Logf, DryRun: dry})
		d.OK(err)
		if out.Diagnostics.HasErrors() || !out.Opened && !dry {
			t.Fatalf("nothing was filled in: %v, %v", out.Diagnostics, out.Checks)
		}
		return started.Swap(0)
	}
	if tried, filled := starts(true), starts(false); tried == 0 || tried != filled {
		t.Errorf("%d started for a dry run, %d for the proposal", tried, filled)
	}
}
