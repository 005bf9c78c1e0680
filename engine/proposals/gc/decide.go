package gc

import (
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// candidate is a capability in force that is deprecated, retired or unused, and the reasons for and against
// archiving it.
type candidate struct {
	index.Entry
	// idle and measured are the reasons to let an active one go; both are nil for a deprecated one.
	idle     *idle
	measured *measured
	// missions are those of known installations, by the names of these.
	missions []trial.Mission
	by       installations
	// asked is set if only an open proposal makes it one.
	asked bool
	// changed is the commit that last changed its folder.
	changed gitstore.Outline
	// line are those that supersede it, directly or through others; successor is the first active
	// one.
	line      []index.Entry
	successor *index.Entry
	// kept lists the reasons to keep it; empty if there are none.
	kept []string
}

// deprecated reports whether it is a candidate only because it is deprecated, or retired already.
func (c *candidate) deprecated() bool { return outdated(c.Entry) && c.measured == nil }

func outdated(e index.Entry) bool {
	return e.Status == capability.Deprecated || e.Status == capability.Retired
}

func (c *candidate) keep(format string, args ...any) {
	c.kept = append(c.kept, fmt.Sprintf(format, args...))
}

// aged keeps a capability that was changed too recently. A folder without a known date stays.
func (c *candidate) aged(now time.Time, r policy.Retention) {
	which, after := "deprecated", r.Deprecated
	if c.Status == capability.Retired {
		which = "retired"
	}
	if c.idle != nil {
		which, after = "unused", r.Unused
	}
	if m := c.measured; c.idle == nil && m != nil {
		which, after = "other", r.Unused
		switch {
		case m.shown():
			return // the missions that show it were of its time
		case !m.since.IsZero():
			after = now.Sub(m.since)
		}
	}
	if at := c.changed.When(); c.changed.Hash.IsZero() || now.Sub(at) < after {
		c.keep("it was changed on %s; %s capabilities are kept for %d days", day(at), which, days(after))
	}
}

func days(d time.Duration) int { return int(d.Hours() / 24) }

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// successors are the capabilities that supersede one, directly or through others, the nearest first.
func successors(name string, all []index.Entry) (line []index.Entry) {
	seen := map[string]bool{names.Fold(name): true}
	for next := []string{names.Fold(name)}; len(next) > 0; {
		var further []string
		for _, e := range all {
			if e.Supersedes == "" || seen[names.Fold(e.Name)] || !slices.Contains(next, names.Fold(e.Supersedes)) {
				continue
			}
			seen[names.Fold(e.Name)] = true
			further = append(further, names.Fold(e.Name))
			line = append(line, e)
		}
		next = further
	}
	return line
}

// heir returns the first successor of a capability that is active and not broken, nil for none.
func heir(line []index.Entry, states map[string]health.State) *index.Entry {
	for i, e := range line {
		if e.Status == capability.Active && broken(e, states) == "" {
			return &line[i]
		}
	}
	return nil
}

// broken says why a capability does not do what it is for; empty if it does.
func broken(e index.Entry, states map[string]health.State) string {
	switch state := states[e.Path]; {
	case !e.Status.Runs():
		return "is " + string(e.Status)
	case e.SpecOnly || e.Unsound:
		return "has no code that can run"
	case state == health.Red:
		return "is in quarantine"
	case state == health.Rejected:
		return "is rejected by its tests"
	}
	return ""
}

// succeeded finds the successor among all capabilities. A retired one is not called any more and needs none.
func (c *candidate) succeeded(o observed) {
	c.line = successors(c.Name, o.all)
	if c.successor = heir(c.line, o.states); c.successor != nil || c.Status != capability.Deprecated {
		return
	}
	if sick := heir(c.line, nil); sick != nil {
		c.keep("%s supersedes it, and %s", sick.Name, broken(*sick, o.states))
		return
	}
	c.keep("nothing that is active supersedes it")
}

// needed keeps a capability that another one needs by its record, and one that links an existing
// one to its successor. A successor that implements the same capability is no reason: it is the
// replacement.
func (c *candidate) needed(all []index.Entry) {
	for _, e := range all {
		if names.Fold(e.Name) == names.Fold(c.Name) {
			continue
		}
		if c.Supersedes != "" && names.Fold(c.Supersedes) == names.Fold(e.Name) {
			c.keep("it supersedes %s, which is still in force", e.Name)
		}
		c.named(e.Name, "requires", e.Requires...)
		c.named(e.Name, "applies to", e.AppliesTo...)
		if !slices.ContainsFunc(c.line, func(l index.Entry) bool { return l.Path == e.Path }) {
			c.named(e.Name, "implements", e.Implements)
		}
	}
}

func (c *candidate) named(by, how string, list ...string) {
	if slices.ContainsFunc(list, func(n string) bool { return n != "" && names.Fold(n) == names.Fold(c.Name) }) {
		c.keep("%s %s it", by, how)
	}
}

// covered keeps a capability with tests of its own: a suite only grows, and a successor that
// inherits those cases would lose them (P10, P21).
func (c *candidate) covered(own, successor capability.Capability) {
	if lost := capability.CompareSuites(own.Suite, successor.Suite); lost.HasErrors() {
		c.keep("it has tests that %s has not itself: %d", successor.Name, len(lost))
	}
}
