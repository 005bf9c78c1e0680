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
	return f.request("record a second opinion on", id, a.At, a.Check(), func(now observed) (decision, error) {
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

// Prove implements forge.Forge.
func (f *Forge) Prove(_ context.Context, id string, p forge.Proof) error {
	return f.request("record the tests of", id, p.At, p.Check(), func(now observed) (decision, error) {
		if err := mustBeOpen(now.pull); err != nil {
			return decision{}, err
		}
		there, ev := now.activity.Proofs, journal.Event{Kind: evTests, At: p.At, Files: files(testsFile, p.Record)}
		if len(p.Signature) > 0 {
			there, ev.Kind = now.activity.Results, evResult
			ev.Files = map[string][]byte{resultFile: p.Record, resultSignatureFile: p.Signature}
		}
		if slices.ContainsFunc(there, func(old forge.Proof) bool { return bytes.Equal(old.Record, p.Record) }) {
			return decision{}, nil
		}
		full, err := withActor(ev, p.By, forge.Open)
		return decision{event: full}, err
	})
}
