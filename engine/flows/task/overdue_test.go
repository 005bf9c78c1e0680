package task_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// The process that runs a script ends it at the timeout of its run, and no retry follows.
func TestScriptStoppedByItsRun(t *testing.T) {
	p := isolated(t, strings.Replace(strings.Replace(scripted, "timeout: 10s, run: \"echo tied\"", "timeout: 1h, retries: 2, run: \"echo tied; sleep 3600\"", 1), "jobs:", "timeout: 1m\njobs:", 1))
	w, err := p.on(nil)
	p.OK(err)
	id, err := beginRun(p, w)
	p.OK(err)
	p.Clock = p.Clock.Add(time.Minute - time.Millisecond*300) // and stands still, so that no pass ends the run
	out, err := task.Advance(t.Context(), w, id)
	p.OK(err)
	look := out.Jobs["look"]
	if out.Outcome != run.Broke || look.Status != run.Gave || look.Attempt != 1 || !strings.Contains(look.Reason, "the timeout of its run, 1m0s") {
		t.Errorf("%q: %s; %+v", out.Outcome, out.Reason, look)
	}
}
