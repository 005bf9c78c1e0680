package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// collect measures a pass of gc beside adding up the same trials, both without a cache.
func collect(ctx context.Context, b *bench) ([]line, error) {
	at, err := b.scratch(ctx, kept.Spec{Capabilities: b.middle})
	if err != nil {
		return nil, err
	}
	open := func() (*workspace.Workspace, error) {
		repo, err := gitstore.Open(at.Repo)
		if err != nil {
			return nil, err
		}
		return workspace.Of(repo, workspace.Surroundings{Now: time.Now, Random: rand.Reader}), nil
	}
	w, err := open()
	if err != nil {
		return nil, err
	}
	cur, err := w.Session(ctx)
	if err != nil {
		return nil, err
	}
	j := &journalOf{dir: at.Repo, repo: w.Repo, now: time.Now().UTC().Truncate(time.Second).AddDate(0, 0, -trialDays)}
	j.log = triallog.New(w.Repo, cur.ID(), func() time.Time { return j.now })
	if err := j.record(ctx, b.trials); err != nil {
		return nil, err
	}
	pass := func() error {
		w, err := open()
		if err == nil {
			_, err = gc.Run(ctx, w, true)
		}
		return err
	}
	fold := func() error {
		w, err := open()
		if err != nil {
			return err
		}
		var r triallog.Reading
		return triallog.New(w.Repo, cur.ID(), time.Now).Refresh(&r)
	}
	took, err := b.long.Medians(ctx, measure.Seconds(pass), measure.Seconds(fold))
	if err != nil {
		return nil, err
	}
	return []line{{
		What: fmt.Sprintf("%s capabilities and %s trials", number(b.middle), number(b.trials)), Peer: "adding up the trials",
		Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 1.2,
	}}, nil
}
