package quarantine

import (
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

// Subject is a capability with code that is in force, and its health here.
type Subject struct {
	capability.Capability
	Digest string
	Health health.Entry
	// Interval is how long test results are valid, Due whether tests are to be run.
	Interval time.Duration
	Due      bool
}

// Thresholds are the limits that a policy sets.
func Thresholds(p policy.Policies) health.Thresholds {
	r := p.Retention
	return health.Thresholds{Degraded: r.DegradedAfter, RetireFailures: r.RetireAfter, RetireBelow: r.RetireBelow}
}

// withCode selects the index entries that may have a health.
func withCode(e index.Entry) bool {
	return (e.Kind == capability.KindTool || e.Kind == capability.KindMCP) && !e.SpecOnly
}

// Survey lists the capabilities with code that are in force, in the order of lists.
func Survey(cur workspace.Session, store *calls.Health, now time.Time) ([]Subject, error) {
	entries, err := cur.Capabilities.Entries(withCode)
	if err != nil {
		return nil, fmt.Errorf("read the capabilities in force: %w", err)
	}
	var out []Subject
	for _, e := range entries {
		s, ok, err := Look(cur, store, e.Path, now)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, s)
		}
	}
	return out, nil
}

// Look is the health of the capability in a folder; ok is false where it has no code.
func Look(cur workspace.Session, store *calls.Health, path string, now time.Time) (s Subject, ok bool, err error) {
	s.Capability, _, err = capability.Load(cur.View, path)
	if err != nil {
		return s, false, fmt.Errorf("read %s: %w", path, err)
	}
	if !s.Callable() {
		return s, false, nil
	}
	at, err := cur.View.Lookup(path)
	if err != nil {
		return s, false, fmt.Errorf("look up %s: %w", path, err)
	}
	known, err := store.Read(s.Name)
	if err != nil {
		return s, false, err
	}
	s.Digest = at.Hash.String()
	s.Health = known.Entry(s.Digest, s.Version)
	if s.Interval = time.Duration(s.Record.Revalidate); s.Interval == 0 {
		s.Interval = cur.Policies.Retention.Revalidate
	}
	s.Due = s.Health.Due(now, s.Interval)
	return s, true, nil
}

// Owed returns the subjects in quarantine without a known proposal: the process that put them
// there was stopped before it opened one. Without such a subject it reads only local records.
func Owed(cur workspace.Session, store *calls.Health, now time.Time) ([]Subject, error) {
	records, err := store.All()
	if err != nil {
		return nil, err
	}
	var out []Subject
	for _, r := range records {
		if !slices.ContainsFunc(r.Entries, owing) {
			continue
		}
		known, err := cur.View.Named(r.Name)
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", r.Name, err)
		}
		for _, f := range known {
			s, ok, err := Look(cur, store, f.Path, now)
			if err != nil {
				return nil, err
			}
			if ok && owing(s.Health) && s.Status.Runs() {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

func owing(e health.Entry) bool { return !e.State.Runs() && e.Proposal == "" }

// States returns the health of all capabilities with code, by folder, without reading them.
func States(cur workspace.Session, store *calls.Health) (map[string]health.State, error) {
	entries, err := cur.Capabilities.Entries(withCode)
	if err != nil {
		return nil, fmt.Errorf("read the capabilities in force: %w", err)
	}
	records, err := store.All()
	if err != nil {
		return nil, err
	}
	known := map[string]health.State{}
	for _, r := range records {
		for _, e := range r.Entries {
			known[names.Fold(r.Name)+"\x00"+e.Digest] = e.State
		}
	}
	out := map[string]health.State{}
	for _, e := range entries {
		state, ok := known[names.Fold(e.Name)+"\x00"+e.Tree.String()]
		if !ok {
			state = health.Pending
		}
		out[e.Path] = state
	}
	return out, nil
}
