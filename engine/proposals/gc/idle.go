package gc

import (
	"cmp"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// idle describes a capability without a recorded use since a day.
type idle struct {
	since time.Time
	// used is the day of the last use, zero for none.
	used time.Time
	// trials counts what was recorded since, by writers.
	trials  int64
	writers []trial.Writer
}

// activity reads when capabilities were used, and what was recorded since the period of
// retention.yaml.
func activity(cur workspace.Session) (a trial.Activity, since time.Time, err error) {
	var r triallog.Reading
	if err := workspace.TrialsOf(cur).Refresh(&r); err != nil {
		return a, since, err
	}
	since = trial.DayOf(cur.Now().Add(-cur.Policies.Retention.Unused)).Time()
	return r.Book.Activity(r.Trust(cur.Policies.Retention.Trials.Writers), since), since, nil
}

// unused returns the candidates that are active, learned by an agent, and not used by any trial since
// the period of retention.yaml began. It returns nil unless known installations recorded trials both
// before that period and in it: without records, nothing is known to be unused.
func unused(o observed) []*candidate {
	a, since := o.activity, o.since
	if a.Trials == 0 || a.Began.After(since) {
		return nil
	}
	var out []*candidate
	for _, e := range o.all {
		used := a.Used[names.Fold(e.Name)]
		if e.Status == capability.Active && o.learned[names.Fold(e.Name)] && used.Before(since) {
			out = append(out, &candidate{Entry: e, idle: &idle{since, used, a.Trials, a.Writers}})
		}
	}
	return out
}

// alone keeps a capability without a successor whose tests no other way to do the same has (P21). siblings are
// those ways.
func (c *candidate) alone(own capability.Capability, siblings []capability.Capability) {
	if len(own.Suite.Cases) == 0 {
		return
	}
	for _, s := range siblings {
		if !capability.CompareSuites(own.Suite, s.Suite).HasErrors() {
			return
		}
	}
	c.keep("it alone has its tests: %d", len(own.Suite.Cases))
}

// siblings are the other active ways to do what a capability does.
func (c *candidate) siblings(all []index.Entry) (out []index.Entry) {
	does := names.Fold(cmp.Or(c.Implements, c.Name))
	for _, e := range all {
		if e.Path != c.Path && e.Status == capability.Active && names.Fold(cmp.Or(e.Implements, e.Name)) == does {
			out = append(out, e)
		}
	}
	return out
}
