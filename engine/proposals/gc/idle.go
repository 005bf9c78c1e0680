package gc

import (
	"cmp"
	"errors"
	"io/fs"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// idle is what the trials say about a capability that nobody used since a day.
type idle struct {
	since time.Time
	// used is the day of the last use, zero for none.
	used time.Time
	// trials and writers count what was recorded since.
	trials, writers int64
}

// unused returns the candidates that are active and learned by an agent, and that no trial since
// the period of retention.yaml used. There are none unless known installations recorded trials before
// that period and in it: where nothing is recorded, nothing is known to be unused.
func unused(cur workspace.Session, all []index.Entry) ([]*candidate, error) {
	var r triallog.Reading
	if err := triallog.New(cur.Repo, cur.ID(), cur.Now).Refresh(&r); err != nil {
		return nil, err
	}
	since := trial.DayOf(cur.Now().Add(-cur.Policies.Retention.Unused)).Time()
	a := r.Book.Activity(r.Trust(cur.Policies.Retention.Trials.Writers), since)
	if a.Trials == 0 || a.Began.After(since) {
		return nil, nil
	}
	learned, err := learnedNames(cur.View)
	if err != nil {
		return nil, err
	}
	var out []*candidate
	for _, e := range all {
		used := a.Used[names.Fold(e.Name)]
		if e.Status == capability.Active && learned[names.Fold(e.Name)] && used.Before(since) {
			out = append(out, &candidate{Entry: e, idle: &idle{since, used, a.Trials, a.Writers}})
		}
	}
	return out, nil
}

// learnedNames are the folded names in the learned lists of all agents: what agents made.
func learnedNames(v tree.View) (map[string]bool, error) {
	out := map[string]bool{}
	err := tree.Files(v, string(names.SoulArea), func(e tree.Entry) error {
		if !e.Mode.IsFile() {
			return nil
		}
		src, err := v.Read(e.Path)
		if err != nil {
			return err
		}
		list, _ := soul.ReadLearned(src) // an entry that cannot be read names nothing
		for _, l := range list {
			out[names.Fold(l.Name)] = true
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	return out, err
}

// alone keeps an unused capability whose tests no other way to do the same has (P21). siblings are
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
