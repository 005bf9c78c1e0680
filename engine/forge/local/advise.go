package local

import (
	"bytes"
	"context"
	"slices"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Advise implements forge.Forge.
func (f *Forge) Advise(_ context.Context, id string, a forge.Advice) error {
	err := a.Check()
	if err == nil {
		err = f.change(id, a.At, func(now observed) (decision, error) {
			if err := mustBeOpen(now.pull); err != nil {
				return decision{}, err
			}
			if slices.ContainsFunc(now.activity.Advice, func(old forge.Advice) bool { return bytes.Equal(old.Record, a.Record) }) {
				return decision{}, nil
			}
			ev, err := withActor(journal.Event{Kind: evAdvice, At: a.At, Files: files(adviceFile, a.Record)}, a.By, forge.Open)
			return decision{event: ev}, err
		})
	}
	return wrap("record a second opinion on", id, err)
}
