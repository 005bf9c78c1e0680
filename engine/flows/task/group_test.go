package task_test

import (
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// A newer run of a group with cancel ends the older one when it begins, and needs no pass. Without cancel, it waits.
func TestNewerRunReplaces(t *testing.T) {
	for group, want := range map[string]run.Outcome{"{group: braid, cancel: true}": run.Cancelled, "braid": ""} {
		p := beginWith(t, "name: braid\non: {command: braid}\ninputs: {capability: {form: name}, goal: {}}\nconcurrency: "+group+"\njobs:\n  ask: {approve: lead}\n")
		w, err := p.on(nil)
		p.OK(err)
		older, err := beginRun(p, w)
		p.OK(err)
		_, err = task.Advance(t.Context(), w, older)
		p.OK(err)
		p.Clock = p.Clock.Add(time.Minute)
		cur, err := w.Session(t.Context())
		p.OK(err)
		flows, err := task.Workflows(cur)
		p.OK(err)
		newer, _, err := task.Begin(t.Context(), w, task.Beginning{Workflow: flows[0], Commit: cur.InForce, Event: "command", By: "scout", Key: "newer"})
		p.OK(err)
		for _, id := range []string{newer.ID, older} {
			if _, err := task.Advance(t.Context(), w, id); err != nil && want == "" {
				t.Error(err)
			}
		}
		one, err := w.Runs.Read(older)
		p.OK(err)
		two, err := w.Runs.Read(newer.ID)
		p.OK(err)
		if one.Outcome != want || two.Outcome != "" || (two.Jobs["ask"].Status == run.Waiting) != (want != "") {
			t.Errorf("%s: the older run %q, the newer %q %+v", group, one.Outcome, two.Outcome, two.Jobs)
		}
	}
}
