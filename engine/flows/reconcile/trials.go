package reconcile

import (
	"context"

	"github.com/assent-dev/assent/engine/workspace"
)

// keepTrials brings this installation's journal of trials up to date, so that none waits longer than a pass
// and none keeps what policies want erased.
func (p *pass) keepTrials(ctx context.Context) {
	cur, err := p.w.Session(ctx)
	if err != nil {
		return // the rounds report it
	}
	if err := workspace.KeepTrials(ctx, cur); err != nil {
		p.failed = append(p.failed, err)
	}
}
