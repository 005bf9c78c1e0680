package memory

import (
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Deeds say how capabilities did. They read the trials once, when they are first asked.
type Deeds struct {
	cur   workspace.Session
	deeds *triallog.Deeds
}

// DeedsOf returns the deeds of the capabilities of a workspace.
func DeedsOf(cur workspace.Session) *Deeds { return &Deeds{cur: cur} }

// Of says how a capability did since a time; zero means ever.
func (m *Deeds) Of(name string, since time.Time) (triallog.Did, error) {
	if m.deeds == nil {
		deeds, err := triallog.ReadDeeds(workspace.TrialsOf(m.cur), m.cur.Policies.Retention.Trials.Writers, 0)
		if err != nil {
			return triallog.Did{}, fmt.Errorf("read how capabilities did: %w", err)
		}
		m.deeds = &deeds
	}
	return m.deeds.Of(name, since), nil
}

// Did says how the capabilities of a proposal did: of a merged one those that it brought, since the
// merge; of another one those that it changes or removes and that something is known of, until now.
func (m *Deeds) Did(ex workspace.Examined) (out []triallog.Did, err error) {
	var since time.Time
	pull, past := ex.Case.Pull, policy.Added
	merged := pull.State == forge.Merged
	if merged {
		c, err := m.cur.Repo.Commit(pull.Merge)
		if err != nil {
			return nil, fmt.Errorf("read the merge of %s: %w", pull.ID, err)
		}
		since, past = c.Committer.When.UTC(), policy.Removed
	}
	for _, c := range ex.Report.Changes.Capabilities {
		if c.Op == past {
			continue
		}
		did, err := m.Of(c.Name, since)
		if err != nil {
			return nil, err
		}
		if merged || did.Known() {
			out = append(out, did)
		}
	}
	return out, nil
}

// Remarks are what critics said so far of the capabilities that an open proposal changes, for notes to
// its proposer.
func Remarks(cur workspace.Session, ex workspace.Examined) (out []string, err error) {
	all, err := DeedsOf(cur).Did(ex)
	for _, d := range all {
		for _, text := range d.Remarks() {
			out = append(out, d.Capability+": "+text)
		}
	}
	return out, err
}
