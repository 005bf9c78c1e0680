package reconcile

import (
	"context"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
)

const (
	// recent is the maximum age of an ended proposal that starts a run, if the time of the
	// last pass is unknown.
	recent = 24 * time.Hour
	// span and most limit what is remembered of ended proposals, by age and number.
	span = task.Late
	most = 5000
)

// known records the ended proposals that a clone had seen after a pass: the sorted marks of
// those that ended at From or later. Any other proposal that ended at From or later is
// news. It may have ended before the last pass and arrived late from another clone.
type known struct {
	From  time.Time `json:"from"`
	Ended []string  `json:"ended"`
}

// mark identifies one ending of a proposal: it may be rejected, reopened and merged.
func mark(p forge.Pull) string { return string(p.State) + " " + p.ID + " " + p.Head.Short() }

// news reports whether the ending of p is not yet known.
func (k known) news(p forge.Pull) bool {
	_, seen := slices.BinarySearch(k.Ended, mark(p))
	return !seen && !p.Updated.Before(k.From)
}

// before returns what was known before a pass. If no workflow had such an event, it starts
// at the time of the previous pass.
func (l last) before(now time.Time) known {
	switch {
	case l.Known != nil:
		return *l.Known
	case l.At.IsZero():
		return known{From: now.Add(-recent)}
	}
	return known{From: l.At}
}

// after returns what is known after a pass that saw all of o.Ended. Proposals whose runs
// are not started yet stay news.
func (l last) after(o Observation) *known {
	if o.Ended == nil {
		return nil
	}
	out := known{From: o.Now.Add(-span), Ended: []string{}}
	if l.Known != nil && l.Known.From.After(out.From) {
		out.From = l.Known.From
	}
	newest := slices.Clone(o.Ended)
	order.Sort(newest, func(a, b forge.Pull) int { return b.Updated.Compare(a.Updated) })
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

// observeEnded lists the merged and rejected proposals if a workflow has such an event;
// else Ended stays nil.
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
	for i, p := range o.Ended {
		if !p.Updated.Before(o.Now.Add(-span)) { // older ones are no news
			o.Ended[i].Updated = task.Ended(w, p)
		}
	}
	return nil
}

// ending returns the final state that an event is about, "" for none.
func ending(event string) forge.State {
	switch event {
	case workflow.ProposalMerged:
		return forge.Merged
	case workflow.ProposalRejected:
		return forge.Closed
	}
	return ""
}
