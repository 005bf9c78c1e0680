package archive

import (
	"context"
	"slices"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/workspace"
)

// First returns what has to come back before an archived capability can: what it refers to and was archived
// itself by another proposal. It is the record itself if there is nothing such, or if that cannot be read.
func (r Record) First(ctx context.Context, cur workspace.Session) (Record, error) {
	for seen := map[string]bool{}; !seen[r.Proposal]; {
		seen[r.Proposal] = true
		next, err := r.lacks(ctx, cur)
		if err != nil && !Damaged(err) {
			return r, err
		}
		if next.Proposal != "" {
			r = next
		}
	}
	return r, nil
}

// lacks finds a record of what an archived capability refers to and must be in force.
func (r Record) lacks(ctx context.Context, cur workspace.Session) (Record, error) {
	old, ok, err := r.Open(ctx, cur)
	if err != nil || !ok {
		return Record{}, err
	}
	own, _, err := capability.Load(old.Before, old.Path)
	if err != nil {
		return Record{}, err //nolint:wrapcheck // Load names the file
	}
	must := own.Record
	for _, name := range slices.Concat(must.Requires.Capabilities, must.Requires.Optional, must.Enhances, must.AppliesTo) {
		now, err := cur.View.Named(name)
		if err != nil {
			return Record{}, err
		}
		if len(now) > 0 {
			continue
		}
		if other, ok, err := Of(cur, name); err != nil || ok && other.Proposal != r.Proposal {
			return other, err
		}
	}
	return Record{}, nil
}
