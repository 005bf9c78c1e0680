package quarantine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
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
func Survey(ctx context.Context, cur workspace.Session, store *triallog.Health, now time.Time) ([]Subject, error) {
	entries, err := cur.Capabilities.Entries(withCode)
	if err != nil {
		return nil, fmt.Errorf("read the capabilities in force: %w", err)
	}
	var out []Subject
	for _, e := range entries {
		s, ok, err := Look(ctx, cur, store, e.Path, now)
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
func Look(ctx context.Context, cur workspace.Session, store *triallog.Health, path string, now time.Time) (s Subject, ok bool, err error) {
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
	if !s.Health.State.Runs() {
		if id, _, owed, err := proposed(ctx, cur, s); err == nil && !owed {
			s.Health.Proposal = id
		}
	}
	return s, true, nil
}

// proposed returns the proposal about a content, and its id. owed is true if it has to be opened: it does not
// exist, or it was withdrawn while its reason was gone.
func proposed(ctx context.Context, cur workspace.Session, s Subject) (id string, pull forge.Pull, owed bool, err error) {
	id, pull, err = propose.Standing(ctx, cur, cur.Record, s.finding(cur.ID()))
	return id, pull, err == nil && (pull.ID == "" || pull.State == forge.Closed && pull.Why == string(proposal.Withdrawn)), err
}

// Owed returns the subjects in quarantine without a proposal: the process that put them there was
// stopped before it opened one.
func Owed(ctx context.Context, cur workspace.Session, store *triallog.Health, now time.Time) ([]Subject, error) {
	records, err := store.All()
	if err != nil {
		return nil, fmt.Errorf("read the health of capabilities: %w", err)
	}
	var out []Subject
	for _, name := range slices.Sorted(maps.Keys(records)) {
		if !slices.ContainsFunc(records[name].Entries, func(e health.Entry) bool { return !e.State.Runs() }) {
			continue
		}
		known, err := cur.View.Named(name)
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", name, err)
		}
		for _, f := range known {
			s, ok, err := Look(ctx, cur, store, f.Path, now)
			if err != nil {
				return nil, err
			}
			if ok && !s.Health.State.Runs() && s.Health.Proposal == "" && s.Status.Runs() {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// States returns the health of all capabilities with code, by folder, without reading them.
func States(cur workspace.Session, store *triallog.Health) (map[string]health.State, error) {
	entries, err := cur.Capabilities.Entries(withCode)
	if err != nil {
		return nil, fmt.Errorf("read the capabilities in force: %w", err)
	}
	records, err := store.All()
	if err != nil {
		return nil, err
	}
	known := map[string]health.State{}
	for name, r := range records {
		for _, e := range r.Entries {
			known[name+"\x00"+e.Digest] = e.State
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
