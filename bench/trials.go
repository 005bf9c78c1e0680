package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// trialDays is over how many days the trials of a measurement are spread.
const trialDays = 30

// journalOf is a new repository, the log of its trials, and the clock of that log.
type journalOf struct {
	dir  string
	repo *gitstore.Repo
	log  triallog.Log
	now  time.Time
}

func (b *bench) journal(ctx context.Context) (*journalOf, error) {
	dir, err := os.MkdirTemp(b.temp, "trials-")
	if err != nil {
		return nil, err
	}
	if _, err := gitrun.Output(ctx, gitrun.Call{Dir: dir, Args: []string{"init", "-q", "--bare"}}, ""); err != nil {
		return nil, err
	}
	j := &journalOf{dir: dir, now: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)}
	if j.repo, err = gitstore.Open(dir); err != nil {
		return nil, err
	}
	j.log = triallog.New(j.repo, "1111111111111111111111111111111111111111", func() time.Time { return j.now })
	return j, nil
}

// record keeps n trials, a full batch at a time.
func (j *journalOf) record(ctx context.Context, n int) error {
	step := trialDays * 24 * time.Hour / time.Duration(max(1, n/triallog.MaxBatch))
	for at := 0; at < n; at += triallog.MaxBatch {
		batch := make([]trial.Observation, 0, triallog.MaxBatch)
		for i := at; i < min(n, at+triallog.MaxBatch); i++ {
			batch = append(batch, observation(i, j.now))
		}
		if _, err := j.log.Record(ctx, batch...); err != nil {
			return err
		}
		j.now = j.now.Add(step)
	}
	return j.log.Commit(ctx)
}

// observation is one of many uses: of 200 capabilities by four agents with three models.
func observation(i int, at time.Time) trial.Observation {
	o := trial.Observation{
		At: at, Source: trial.Engine, Level: trial.Followed, Agent: fmt.Sprint("agent-", i%4), Model: []string{"large", "small", "local"}[i%3],
		Mission: fmt.Sprint("m-", i/20), Tags: [][]string{{"csv"}, {"csv", "eu"}, nil}[i%3], Capability: fmt.Sprint("capability-", i*7919%200), Version: "1.2.0",
		Blob: "5a02d711a05a02d711a05a02d711a05a02d711a0", Outcome: trial.Success, MS: int64(i % 900), Tokens: int64(i % 3000), InputSummary: "{text text(120)}", OutputSummary: "{rows list(3)}",
	}
	if i%11 == 0 {
		o.Outcome, o.Error = trial.Failure, "timeout"
	}
	return o
}

// recordTrials measures durable records beside the same commits, made by git fast-import.
func recordTrials(ctx context.Context, b *bench) ([]line, error) {
	n := b.trials / 10
	like, err := b.journal(ctx)
	if err != nil {
		return nil, err
	}
	if err := like.record(ctx, n); err != nil {
		return nil, err
	}
	stream, err := gitrun.Output(ctx, gitrun.Call{Dir: like.dir, Args: []string{"fast-export", "--all"}}, "")
	if err != nil {
		return nil, err
	}
	took, err := b.long.Medians(ctx,
		func() (float64, error) {
			j, err := b.journal(ctx)
			if err != nil {
				return 0, err
			}
			defer os.RemoveAll(j.dir)
			return measure.Seconds(func() error { return j.record(ctx, n) })()
		},
		func() (float64, error) {
			j, err := b.journal(ctx)
			if err != nil {
				return 0, err
			}
			defer os.RemoveAll(j.dir)
			return measure.Seconds(func() error {
				_, err := gitrun.Output(ctx, gitrun.Call{Dir: j.dir, Args: []string{"fast-import", "--quiet"}}, string(stream))
				return err
			})()
		})
	if err != nil {
		return nil, err
	}
	return []line{{
		What: fmt.Sprintf("%s trials in batches of %s, each synced before it is acknowledged", number(n), number(triallog.MaxBatch)), Peer: "`git fast-import` of the same commits, as git syncs by default",
		Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 1,
	}}, nil
}

// foldTrials measures counts from Git without any cache, and with one more batch.
func foldTrials(ctx context.Context, b *bench) ([]line, error) {
	j, err := b.journal(ctx)
	if err != nil {
		return nil, err
	}
	if err := j.record(ctx, b.trials); err != nil {
		return nil, err
	}
	var text []byte
	if _, err := j.log.Visit(0, func(k triallog.Kept) bool {
		record, eerr := k.Encode()
		text, err = append(text, record...), errors.Join(err, eerr)
		return true
	}); err != nil {
		return nil, err
	}
	cold := func() error {
		repo, err := gitstore.Open(j.dir)
		if err != nil {
			return err
		}
		var r triallog.Reading
		if err := triallog.New(repo, "1111111111111111111111111111111111111111", time.Now).Refresh(&r); err != nil {
			return err
		}
		return some("a fold", len(r.Book.Names()), errors.Join(r.Problems...))
	}
	took, err := b.long.Medians(ctx, measure.Seconds(cold), measure.Seconds(func() error { return decoded(text) }))
	if err != nil {
		return nil, err
	}
	var r triallog.Reading
	if err := j.log.Refresh(&r); err != nil {
		return nil, err
	}
	more, err := b.short.Medians(ctx, func() (float64, error) {
		if err := j.record(ctx, triallog.MaxBatch); err != nil {
			return 0, err
		}
		return measure.Seconds(func() error { return j.log.Refresh(&r) })()
	})
	if err != nil {
		return nil, err
	}
	what := number(b.trials) + " trials"
	return []line{
		{What: what + ", from Git and without a cache", Peer: "`encoding/json` of their records, in memory", Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 0.1},
		{What: what + ", then one batch of 1 000 more", Peer: "all of them, from Git and without a cache", Unit: inSeconds, Ours: more[0], Theirs: took[0], Goal: 0.001},
	}, nil
}

// decoded reads records as any program would.
func decoded(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var t trial.Trial
		err := dec.Decode(&t)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
