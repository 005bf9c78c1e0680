package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/audit/maintain"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace"
)

// advertised counts what a fetch is told before and after maintenance. The second
// pass of maintenance, ten minutes later, is brought about by a clock that is ahead.
func advertised(ctx context.Context, b *bench) ([]line, error) {
	w, err := b.scratch(ctx, b.withPast())
	if err != nil {
		return nil, err
	}
	before, err := told(ctx, w)
	if err != nil {
		return nil, err
	}
	first := measure.Seconds(func() error { return maintained(ctx, w, 0) })
	second := measure.Seconds(func() error { return maintained(ctx, w, 2*journal.Settling) })
	fold, err := first()
	if err != nil {
		return nil, err
	}
	drop, err := second()
	if err != nil {
		return nil, err
	}
	after, err := told(ctx, w)
	if err != nil {
		return nil, err
	}
	gc, err := b.scratch(ctx, b.withPast())
	if err != nil {
		return nil, err
	}
	tidy, err := measure.Seconds(func() error { _, err := gc.Git(ctx, "", "gc", "-q"); return err })()
	what := fmt.Sprintf("%s closed proposals, %s events", number(b.closed), number(b.closed*b.events))
	return []line{
		{What: what + ": told after both runs of maintenance", Peer: "before", Unit: inRefs, Ours: after, Theirs: before, Most: 1000},
		{What: what + ": the run that folds", Peer: "`git gc` of the same, which folds nothing", Unit: inSeconds, Ours: fold, Theirs: tidy},
		{What: what + ": the run that removes refs", Peer: "`git gc`", Unit: inSeconds, Ours: drop, Theirs: tidy},
	}, err
}

// told is how many refs a fetch is told.
func told(ctx context.Context, w kept.Workspace) (float64, error) {
	out, err := w.Git(ctx, "", "ls-remote", ".")
	return float64(strings.Count(out, "\n") + 1), err
}

func maintained(ctx context.Context, w kept.Workspace, later time.Duration) error {
	ws, err := workspace.Open(w.Repo, workspace.Surroundings{Now: func() time.Time { return time.Now().Add(later) }, Random: rand.Reader})
	if err != nil {
		return err
	}
	cur, err := ws.Session(ctx)
	if err != nil {
		return err
	}
	out, err := maintain.Run(ctx, cur, maintain.Options{})
	if err == nil && (out.NoFold != "" || len(out.Damaged) > 0) {
		err = fmt.Errorf("not folded: %s %v", out.NoFold, out.Damaged)
	}
	return err
}
