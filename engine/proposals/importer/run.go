package importer

import (
	"context"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/folder"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// Options say how to import.
type Options struct {
	// By is the proposer, Author the author of the commits.
	By     forge.Actor
	Author gitstore.Person
	// Group to put everything into; "" uses the groups suggested by the folders' places.
	Group string
	// Batch puts as much into one proposal as the limits allow.
	Batch  bool
	DryRun bool
	// Progress receives the number of finished folders.
	Progress func(done int)
}

// Result is the result of an import.
type Result struct {
	// Items are in the order of the folders. After an error they are those finished before it.
	Items []Item
	// Proposals is the number of opened proposals; of a dry run, of those it would open.
	Proposals int
	// Left is the number of folders not tried because the agent is at its limit of open proposals.
	Left int
}

// Run imports folders. The error is a failed environment, or an interruption: the items in the
// result are done all the same, and running again continues.
func Run(ctx context.Context, w *workspace.Workspace, o Options, folders []Folder) (Result, error) {
	in, err := propose.Begin(ctx, w)
	if err != nil {
		return Result{}, err
	}
	k, err := learnKnown(ctx, w, in)
	if err != nil {
		return Result{}, err
	}
	r := run{o: o, in: in, known: k}
	if o.Batch {
		err = r.batches(ctx, folders)
	} else {
		err = r.each(ctx, folders)
	}
	return r.result, err
}

type run struct {
	o      Options
	in     *propose.Intake
	known  *known
	result Result
}

// job is a folder to be proposed.
type job struct {
	item Item
	Fitted
	// tracked says what the record of its source holds; "" without one.
	tracked string
}

func (r *run) each(ctx context.Context, folders []Folder) error {
	for _, f := range folders {
		if err := ctx.Err(); err != nil {
			return err
		}
		j, err := r.prepare(f)
		if err != nil {
			return err
		}
		if j.item.State == StateNew {
			if j.item, err = r.one(ctx, j); err != nil {
				return err
			}
		}
		r.done(j.item)
	}
	return nil
}

func (r *run) done(items ...Item) {
	r.result.Items = append(r.result.Items, items...)
	if r.o.Progress != nil {
		r.o.Progress(len(r.result.Items))
	}
}

// prepare reads and adapts a folder and compares it with the known content.
func (r *run) prepare(f Folder) (job, error) {
	item := Item{Path: f.Path, Name: f.Name, State: StateNew}
	l := r.known.cur.Policies.Limits
	files, unread, err := f.read(BoundsOf(l))
	if err != nil {
		return job{item: item.skipFor(RuleRead, "make it readable, or leave it out", "%v", err)}, nil
	}
	if unread.HasErrors() {
		return job{item: item.skip(at(f, unread))}, nil
	}
	group := r.o.Group
	if group == "" {
		group = f.Group
	}
	fitted, err := Fit(f.Name, files, unread, func(name string) (string, error) { return r.known.place(name, group), nil })
	if err != nil {
		return job{}, err
	}
	if fitted.Name != "" {
		item.Name = fitted.Name
	}
	item.Changes, item.Place = fitted.Changes, fitted.Place
	if fitted.Skipped {
		return job{item: item.skip(at(f, fitted.Diags))}, nil
	}
	item.Diagnostics = at(f, fitted.Diags)
	item, err = r.known.judge(item, fitted)
	j := job{item: item, Fitted: fitted}
	if err == nil && f.Track != nil && (item.State == StateNew || item.State == StateInForce) {
		err = j.track(r.known.cur, *f.Track)
	}
	return j, err
}

// BoundsOf are the bounds of a skill's folder.
func BoundsOf(l policy.Limits) folder.Bounds {
	return folder.Bounds{Files: l.FilesPerProposal, FileBytes: l.FileBytes, Bytes: l.ProposalBytes}
}

// Prepare reads a folder and adapts it as the capability called name in place.
func Prepare(f Folder, name, place string, l policy.Limits) (Fitted, error) {
	files, unread, err := f.read(BoundsOf(l))
	if err != nil || unread.HasErrors() {
		return Fitted{Skipped: true, Diags: unread}, err
	}
	return Fit(name, files, unread, func(string) (string, error) { return place, nil })
}

// one opens the proposal of one folder.
func (r *run) one(ctx context.Context, j job) (Item, error) {
	if full := r.full(ctx); full != nil {
		r.result.Left++
		return j.item.skip(full), nil
	}
	out, err := r.in.Open(ctx, r.request([]job{j}))
	if err != nil {
		return j.item, err
	}
	if out.Diagnostics.HasErrors() && !out.Opened {
		return j.item.skip(out.Diagnostics), nil
	}
	r.count(out)
	return opened(j.item, out), nil
}

// full says that the proposer may open no more.
func (r *run) full(ctx context.Context) diag.List {
	return r.in.Full(ctx, propose.Request{By: r.o.By})
}

func (r *run) count(out propose.Outcome) {
	r.result.Proposals++
	if r.o.DryRun {
		r.in.Pretend(out.Pull)
	}
}
