package reconcile

import (
	"context"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
)

const (
	// recent is how long ago a proposal may have ended to start a run, where nobody
	// remembers when the last pass was.
	recent = 24 * time.Hour
	// span and most bound what is remembered of proposals that ended: how long ago, and
	// how many.
	span = 31 * 24 * time.Hour
	most = 5000
)

// known says which proposals a clone had seen to have ended when a pass was over: of those
// that ended at From or later, the marks, sorted. Whatever else ended at From or later is
// news, however late it came here: by its own date it may be older than the last pass.
type known struct {
	From  time.Time `json:"from"`
	Ended []string  `json:"ended"`
}

// mark tells apart what can end a proposal: it may be rejected, reopened and merged.
func mark(p forge.Pull) string { return string(p.State) + " " + p.ID + " " + p.Head.Short() }

// news reports whether a proposal ended since.
func (k known) news(p forge.Pull) bool {
	_, seen := slices.BinarySearch(k.Ended, mark(p))
	return !seen && !p.Updated.Before(k.From)
}

// before is what was known before a pass. Where no workflow waited for what ends, it is
// the time of the pass before.
func (l last) before(now time.Time) known {
	switch {
	case l.Known != nil:
		return *l.Known
	case l.At.IsZero():
		return known{From: now.Add(-recent)}
	}
	return known{From: l.At}
}

// after is what is known when a pass is over that saw all of these. Those whose runs are
// still to be started stay news.
func (l last) after(o Observation) *known {
	if o.Ended == nil {
		return nil
	}
	out := known{From: o.Now.Add(-span), Ended: []string{}}
	if l.Known != nil && l.Known.From.After(out.From) {
		out.From = l.Known.From
	}
	newest := slices.Clone(o.Ended)
	slices.SortFunc(newest, func(a, b forge.Pull) int { return b.Updated.Compare(a.Updated) })
	if len(newest) > most && !newest[most].Updated.Before(out.From) {
		out.From = newest[most].Updated.Add(1)
	}
	due := map[string]bool{}
	for _, b := range o.Starts {
		due[b.About] = true
	}
	for _, p := range newest {
		if !p.Updated.Before(out.From) && !due[p.ID] {
			out.Ended = append(out.Ended, mark(p))
		}
	}
	slices.Sort(out.Ended)
	return &out
}

// observeEnded lists the proposals that merged or were rejected, where a workflow waits
// for that; else it stays nil.
func (o *Observation) observeEnded(ctx context.Context, w *workspace.Workspace) error {
	waits := slices.ContainsFunc(o.Workflows, func(f workflow.Workflow) bool {
		return !f.Direct() && slices.ContainsFunc(f.On.Proposal, func(e string) bool { return ending(e) != "" })
	})
	if !waits {
		return nil
	}
	all, err := w.Forge.List(ctx, forge.Filter{})
	if _, err = forge.Damages(err); err != nil {
		return err
	}
	o.Ended = slices.DeleteFunc(append([]forge.Pull{}, all...), func(p forge.Pull) bool {
		return p.State != forge.Merged && (p.State != forge.Closed || p.Why != string(proposal.Rejected))
	})
	return nil
}

// ending is the state that an event leaves a proposal in for good, "" for none.
func ending(event string) forge.State {
	switch event {
	case workflow.ProposalMerged:
		return forge.Merged
	case workflow.ProposalRejected:
		return forge.Closed
	}
	return ""
}
