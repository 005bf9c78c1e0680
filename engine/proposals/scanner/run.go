package scanner

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/scan"
)

// Options are the caller's context of a scan.
type Options struct {
	// MaxFile is the largest text file in bytes that is read; 0 means
	// scan.DefaultMaxFile.
	MaxFile int64
	// Workers scan at once; at least one.
	Workers int
	// Security returns the waivers for a target, as of Today; nil if the target is in no
	// workspace.
	Security func(path string) *policy.Security
	Today    time.Time
	// Older, if not nil, has the earlier version of each target: only new findings are reported
	// then.
	Older Older
	// Second, if not nil, is asked for a second opinion on each target.
	Second Opinion
}

// Opinion judges the files of one capability and the rules' findings, and returns further
// findings. It can only add.
type Opinion func(ctx context.Context, files []scan.File, found diag.List) diag.List

// Run scans targets and calls report with each result, in their order, from one
// goroutine. The error is report's, or that the context ended.
func Run(ctx context.Context, targets []*Target, o Options, report func(scan.Result) error) error {
	results := make([]chan scan.Result, len(targets))
	for i := range results {
		results[i] = make(chan scan.Result, 1)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	pool := &errgroup.Group{}
	pool.SetLimit(max(1, o.Workers))
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		for i, t := range targets {
			pool.Go(func() error {
				if ctx.Err() == nil {
					results[i] <- o.one(ctx, pool, t)
				}
				return nil
			})
		}
	}()
	defer func() { stop(); <-fed; _ = pool.Wait() }()
	for i := range targets {
		select {
		case <-ctx.Done():
			return fmt.Errorf("scan: %w", ctx.Err())
		case r := <-results[i]:
			if err := report(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// one scans one target; its files are shared out to workers that have nothing
// else to do.
func (o Options) one(ctx context.Context, pool *errgroup.Group, t *Target) scan.Result {
	limit := o.MaxFile
	if limit == 0 {
		limit = scan.DefaultMaxFile
	}
	files, found := t.read(max(limit, scan.DefaultMaxAsset))
	opt := scan.Options{Declared: declared(files), MaxFile: int(limit), Each: each(pool)}
	if o.Older == nil {
		found.Add(scan.Files(files, opt)...)
	} else {
		before, err := o.Older.Files(t)
		if err != nil {
			found.Errorf(RuleUnread, diag.Pos{}, "make the older version readable, or scan without --base", "the older version could not be read: %v", reason(err))
		}
		found.Add(scan.New(before, files, opt)...)
	}
	found.Add(badNames(files)...)
	found.Add(doubled(files)...)
	for i := range found {
		found[i].File = strings.TrimPrefix(found[i].File, unit+"/")
	}
	for i := range files {
		files[i].Path = strings.TrimPrefix(files[i].Path, unit+"/")
	}
	if o.Second != nil {
		found.Add(o.Second(ctx, files, slices.Clone(found))...)
	}
	r := scan.Result{Path: t.Path, Name: nameOf(t.Path), Files: len(t.files), Findings: found}
	for _, f := range t.files {
		r.Bytes += int(f.info.Size())
	}
	o.waive(r, files)
	r.Settle()
	return r
}

// each runs parts of the work on free workers of the pool, and here where none is.
func each(pool *errgroup.Group) func(int, func(int)) {
	return func(n int, do func(int)) {
		var left sync.WaitGroup
		for i := range n {
			left.Add(1)
			work := func() error { defer left.Done(); do(i); return nil }
			if i == n-1 || !pool.TryGo(work) {
				_ = work()
			}
		}
		left.Wait()
	}
}

// waive applies the workspace's waivers; a file that was not read whole has no
// content to waive.
func (o Options) waive(r scan.Result, files []scan.File) {
	if o.Security == nil {
		return
	}
	security := o.Security(r.Path)
	if security == nil || len(security.Waivers) == 0 {
		return
	}
	blobs := map[string]string{}
	for _, f := range files {
		if f.Size == 0 {
			blobs[f.Path] = tree.BlobHash(f.Content).String()
		}
	}
	security.Waive(r.Findings, func(file string) string { return blobs[file] }, o.Today)
}

// badNames finds names that a reader cannot see as they are.
func badNames(files []scan.File) diag.List {
	var found diag.List
	for _, f := range files {
		if name := strings.TrimPrefix(f.Path, unit+"/"); scan.Visible(name) != name && len(name) < 150 {
			found.Errorf(RuleName, diag.Pos{File: f.Path}, "rename the file", "the file's name holds invisible characters: %s", scan.Visible(name))
		}
	}
	return found
}

// nameOf is the last part of a path that may be ".".
func nameOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}
