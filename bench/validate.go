package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/workspace"
)

// validateOne opens a workspace and examines a proposal in it, again and again: what
// `assent validate ID` does, without the start of a process.
func validateOne(ctx context.Context, b *bench) ([]line, error) {
	large, err := b.examiner(ctx, b.largest)
	if err != nil {
		return nil, err
	}
	small, err := b.examiner(ctx, b.smallest)
	if err != nil {
		return nil, err
	}
	took, err := b.short.Medians(ctx, large, small)
	if err != nil {
		return nil, err
	}
	return []line{{What: capabilities(b.largest), Peer: "itself with " + capabilities(b.smallest), Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 1.5}}, nil
}

func (b *bench) examiner(ctx context.Context, n int) (measure.Sample, error) {
	w, err := b.scratch(ctx, kept.Spec{Capabilities: n})
	if err != nil {
		return nil, err
	}
	r, err := w.Open()
	if err != nil {
		return nil, err
	}
	id, err := generate.World{Repo: r}.Propose(ctx, w.Options(), w.Next())
	if err != nil {
		return nil, err
	}
	return measure.Seconds(func() error {
		if err := w.Enter(); err != nil {
			return err
		}
		ws, err := workspace.Open(w.Repo, workspace.Surroundings{Now: time.Now, Random: rand.Reader})
		if err != nil {
			return err
		}
		cur, err := ws.Session(ctx)
		if err != nil {
			return err
		}
		ex, err := cur.Examine(ctx, id)
		if err == nil && !ex.Report.Passed {
			err = fmt.Errorf("%s does not pass: %s", id, ex.Report.Summary())
		}
		return err
	}), nil
}
