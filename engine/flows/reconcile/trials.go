package reconcile

import (
	"context"

	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// commitTrials commits acknowledged trials to this installation's journal, so none waits
// longer than a pass.
func (p *pass) commitTrials(ctx context.Context) {
	if !triallog.New(p.w.Repo, "", p.w.Now).Waiting() {
		return
	}
	cur, err := p.w.Session(ctx)
	if err == nil {
		err = triallog.New(p.w.Repo, cur.ID(), p.w.Now).Commit(ctx)
	}
	if err != nil {
		p.failed = append(p.failed, err)
	}
}
