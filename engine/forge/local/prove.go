package local

import (
	"bytes"
	"context"
	"slices"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Prove implements forge.Forge.
func (f *Forge) Prove(_ context.Context, id string, p forge.Proof) error {
	err := p.Check()
	if err == nil {
		err = f.change(id, p.At, func(now observed) (decision, error) {
			if err := mustBeOpen(now.pull); err != nil {
				return decision{}, err
			}
			if slices.ContainsFunc(now.activity.Proofs, func(old forge.Proof) bool { return bytes.Equal(old.Record, p.Record) }) {
				return decision{}, nil
			}
			ev, err := withActor(journal.Event{Kind: evTests, At: p.At, Files: files(testsFile, p.Record)}, p.By, forge.Open)
			return decision{event: ev}, err
		})
	}
	return wrap("record the tests of", id, err)
}
