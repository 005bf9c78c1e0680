package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
)

// sizes are the numbers of capabilities that rows are measured at, and how often.
type sizes struct {
	// smallest, small, middle and largest are 100, 1 000, 10 000 and 100 000.
	smallest, small, middle, largest int
	// closed and merged proposals of the workspace with a past, and the events of
	// each closed one.
	closed, merged, events int
	// trials are those of the longest journal.
	trials int
	// short is for what takes milliseconds, long for what may take seconds.
	short, long measure.Rounds
}

// allEvents is about how many events the journals of all closed proposals have.
const allEvents = 100_000

func sizesOf(o options) sizes {
	if o.quick {
		return sizes{
			smallest: 50, small: 100, middle: 500, largest: min(o.largest, 1000), closed: min(o.closed, 600), merged: 5, events: 10, trials: 3000,
			short: measure.Rounds{Least: 2, Most: 2}, long: measure.Rounds{Least: 1, Most: 1},
		}
	}
	return sizes{
		smallest: 100, small: 1000, middle: 10_000, largest: o.largest, closed: o.closed, merged: 100, events: max(4, allEvents/max(1, o.closed)), trials: 1_000_000,
		short: measure.Rounds{Least: 10, Most: 200, Budget: 4 * time.Second}, long: measure.Rounds{Least: 3, Most: 15, Budget: 6 * time.Second},
	}
}

// bench is one run.
type bench struct {
	sizes
	quick bool
	store kept.Store
	log   io.Writer
	// temp is removed at the end; program is assent, built from this source.
	temp, program string
	scenes        map[kept.Spec]*scene
}

func begin(ctx context.Context, store kept.Store, s sizes, quick bool, log io.Writer) (*bench, func(), error) {
	b := &bench{sizes: s, quick: quick, store: store, log: log, scenes: map[kept.Spec]*scene{}}
	temp, remove, err := store.Temp()
	if err != nil {
		return nil, nil, err
	}
	b.temp, b.program = temp, filepath.Join(temp, "assent")
	build := exec.CommandContext(ctx, "go", "build", "-o", b.program, "github.com/assent-dev/assent/cmd/assent")
	build.Stdout, build.Stderr = log, log
	if err := build.Run(); err != nil {
		remove()
		return nil, nil, fmt.Errorf("building assent: %w", err)
	}
	return b, remove, nil
}

// all measures rows one after the other, so that none disturbs another. A row that
// fails says so in its result and keeps no other from being measured.
func (b *bench) all(ctx context.Context, rows []row) []result {
	var out []result
	for _, r := range rows {
		fmt.Fprintf(b.log, "row %s: %s\n", r.id, r.title)
		res := result{Row: r.id, Title: r.title}
		lines, err := r.run(ctx, b)
		if err == nil && len(lines) == 0 {
			continue // its peer is not here, which it said
		}
		if res.Lines = lines; err != nil {
			res.Failed = err.Error()
			fmt.Fprintf(b.log, "row %s: %v\n", r.id, err)
		}
		out = append(out, res)
	}
	return out
}

// registry is a workspace of n capabilities without a past, not to be changed.
func (b *bench) registry(ctx context.Context, n int) (kept.Workspace, error) {
	w, err := b.store.Get(ctx, kept.Spec{Capabilities: n})
	if err == nil {
		err = w.Enter()
	}
	return w, err
}

// scratch is a copy that may be changed.
func (b *bench) scratch(ctx context.Context, spec kept.Spec) (kept.Workspace, error) {
	dir, err := os.MkdirTemp(b.temp, "scratch-")
	if err != nil {
		return kept.Workspace{}, err
	}
	w, err := b.store.Copy(ctx, spec, dir)
	if err == nil {
		err = w.Enter()
	}
	return w, err
}
