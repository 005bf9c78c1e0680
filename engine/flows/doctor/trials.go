package doctor

import (
	"fmt"

	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// checkTrials reports a database of trials that does not answer, and what waits for it.
func checkTrials(e *examination) {
	l := workspace.TrialsOf(e.cur)
	waits, err := triallog.SpoolOf(l)
	if err != nil {
		e.broke("trials", err)
		return
	}
	if !e.cur.Policies.Retention.Trials.Postgres {
		return
	}
	spool := fmt.Sprintf("%s (%d bytes, %d not sent) wait in %s", plural(waits.Trials, "trial"), waits.Bytes, waits.Unsent, waits.Path)
	if err := triallog.Reach(e.ctx, l); err != nil {
		e.warn("trials", "what the message says; then assent reconcile sends what waits", "%v; %s, and count here meanwhile", err, spool)
		return
	}
	e.ok("trials", "PostgreSQL answers; %s", spool)
}
