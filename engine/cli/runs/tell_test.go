package runs

import (
	"context"
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// paged is a forge that shows each proposal on a page.
type paged struct{ forge.Forge }

func (paged) Get(_ context.Context, id string) (forge.Pull, error) {
	return forge.Pull{ID: id, URL: "https://git.example.org/" + id}, nil
}

// counted is a paged forge that counts how often it is asked.
type counted struct {
	paged
	asked *int
}

func (c counted) Get(ctx context.Context, id string) (forge.Pull, error) {
	*c.asked++
	return c.paged.Get(ctx, id)
}

// Any number of runs asks the service for a few pages at once.
func TestPagesAreBounded(t *testing.T) {
	asked, pages := 0, map[string]string{"known": "https://git.example.org/known"}
	cur := workspace.Session{Workspace: &workspace.Workspace{Forge: counted{asked: &asked}}}
	for n := range 100 {
		pageOf(t.Context(), cur, run.State{Proposal: fmt.Sprint(n)}, pages, 1+maxAsked)
	}
	if asked != maxAsked {
		t.Errorf("%d questions", asked)
	}
}

// A notice about a run has the page of its proposal, also if the proposal is closed.
func TestNoticesOfRunsLinkToTheProposal(t *testing.T) {
	p := worldtest.Begin(t, []string{"scout"}, tree.Edit{Path: "workflows/look.yaml", Content: []byte("name: look\non: {command: look}\njobs:\n  say: {uses: notify, message: Look.}\n")})
	w, err := p.On(nil)
	p.OK(err)
	w.Forge = paged{w.Forge}
	cur, err := w.Session(t.Context())
	p.OK(err)
	for id, about := range map[string]string{"look-aaaaaaaa": "hum-bbbbbbbb", "look-cccccccc": "sing-dddddddd", "look-eeeeeeee": ""} {
		_, _, err = w.Runs.Begin(t.Context(), id, "scout", p.Clock, run.Start{Workflow: "look", About: about})
		p.OK(err)
		_, err = w.Runs.Append(t.Context(), id, "scout", p.Clock, func(run.State) (*run.Record, error) {
			return &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Completed}, nil
		})
		p.OK(err)
	}
	notices, err := aboutRuns(t.Context(), cur, map[string]string{"sing-dddddddd": "https://git.example.org/known"})
	p.OK(err)
	got := map[string]string{}
	for _, n := range notices {
		got[n.Of] = n.Link
	}
	if len(notices) != 3 || got["look-aaaaaaaa"] != "https://git.example.org/hum-bbbbbbbb" || got["look-cccccccc"] != "https://git.example.org/known" || got["look-eeeeeeee"] != "" {
		t.Errorf("%v", got)
	}
}
