package gc

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Worse says which tools and servers in force are often called and shown to do worse than another one that provides
// the same, or than their own former version, by the calls of known installations. The error names
// journals that were passed over; the others count.
func Worse(cur workspace.Session, of ...capability.Folder) ([]trial.Worse, error) {
	uses, unread := triallog.KnownUses(workspace.TrialsOf(cur), cur.Policies.Retention.Trials.Writers)
	out := []trial.Worse{}
	for _, f := range of {
		if len(uses[names.Fold(f.Name)]) < trial.LeastUses {
			continue
		}
		found, err := worse(cur, f, uses)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, unread
}

// worse compares one capability.
func worse(cur workspace.Session, of capability.Folder, uses map[string][]*trial.Kept) ([]trial.Worse, error) {
	c, _, err := capability.Glance(cur.View, of)
	if err != nil || !called(&c) {
		return nil, err //nolint:wrapcheck // it names the capability
	}
	own := trial.Content{Capability: names.Fold(c.Name), Version: c.Version}
	ways, err := capability.Ways(cur.View, cur.View, c.Canonical())
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the capability
	}
	var peers []trial.Content
	all := slices.Clone(uses[own.Capability])
	for _, way := range ways {
		p, _, err := capability.Glance(cur.View, way)
		if err != nil {
			return nil, err //nolint:wrapcheck // it names the capability
		}
		if way.Path != of.Path && p.Kind == c.Kind && !p.Record.Breaking && !c.Record.Breaking && called(&p) {
			peer := trial.Content{Capability: names.Fold(p.Name), Version: p.Version}
			peers, all = append(peers, peer), append(all, uses[peer.Capability]...)
		}
	}
	order.Sort(all, func(a, b *trial.Kept) int { return a.ID.Compare(b.ID) })
	return trial.WorseThan(own, peers, all), nil
}

// called reports whether a capability has code that calls run.
func called(c *capability.Capability) bool { return c.Callable() && !c.SpecOnly && c.Status.Runs() }
