package importer

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// batches puts all folders into as few proposals as the limits allow.
func (r *run) batches(ctx context.Context, folders []Folder) error {
	var jobs []job
	for _, f := range folders {
		if err := ctx.Err(); err != nil {
			return err
		}
		j, err := r.prepare(f)
		if err != nil {
			return err
		}
		if j.item.State != StateNew {
			r.done(j.item)
			continue
		}
		jobs = append(jobs, j)
	}
	for _, pack := range r.packs(jobs) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.pack(ctx, pack); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.result.Items, func(a, b Item) int { return order(folders, a) - order(folders, b) })
	return nil
}

func order(folders []Folder, item Item) int {
	return slices.IndexFunc(folders, func(f Folder) bool { return f.Path == item.Path })
}

// size is measured against the limits of a proposal.
type size struct {
	files int
	bytes int64
}

func (s size) add(t size) size { return size{s.files + t.files, s.bytes + t.bytes} }

// own is the size of a proposal's other files: its own file, and the proposer's SOUL.md.
func own() size { return size{files: 2} }

// sizeOf returns the larger of a job's stored and original sizes: each has to fit alone. Its text
// in the proposal's own file counts, too.
func sizeOf(j job) size {
	var stored, found size
	for _, e := range j.Edits {
		stored = stored.add(size{1, int64(len(e.Content) + len(e.Path) + len("\n  - "))})
	}
	for _, c := range append(j.Changes, j.Name) {
		stored.bytes += int64(len(c) + len("\n\n## "))
	}
	for _, e := range j.Original {
		found = found.add(size{1, int64(len(e.Content))})
	}
	return size{max(stored.files, found.files), max(stored.bytes, found.bytes)}
}

// packs splits jobs into proposals that fit: whole groups if they fit, in order.
func (r *run) packs(jobs []job) [][]job {
	l := r.known.cur.Policies.Limits
	fits := func(s size) bool { return s.files <= l.FilesPerProposal && s.bytes <= l.ProposalBytes }
	var out [][]job
	have := own()
	for _, group := range byGroup(jobs) {
		whole := size{}
		for _, j := range group {
			whole = whole.add(sizeOf(j))
		}
		if len(out) == 0 || !fits(have.add(whole)) {
			out, have = append(out, nil), own()
		}
		for _, j := range group {
			s := sizeOf(j)
			if !fits(have.add(s)) {
				out, have = append(out, nil), own()
			}
			out[len(out)-1] = append(out[len(out)-1], j)
			have = have.add(s)
		}
	}
	return slices.DeleteFunc(out, func(p []job) bool { return len(p) == 0 })
}

func byGroup(jobs []job) [][]job {
	at := map[string]int{}
	var out [][]job
	for _, j := range jobs {
		g := capability.FolderOf(j.Place).Group
		if _, ok := at[g]; !ok {
			at[g] = len(out)
			out = append(out, nil)
		}
		out[at[g]] = append(out[at[g]], j)
	}
	return out
}

// pack opens one proposal. Skills that validation refuses are left out first: one bad skill must
// not keep the others out.
func (r *run) pack(ctx context.Context, jobs []job) error {
	if full := r.full(ctx); full != nil {
		for _, j := range jobs {
			r.result.Left++
			r.done(j.item.skip(full))
		}
		return nil
	}
	for len(jobs) > 0 {
		q := r.request(jobs)
		q.DryRun = true
		out, err := r.in.Open(ctx, q)
		if err != nil {
			return err
		}
		good, bad := split(jobs, append(slices.Clone(out.Diagnostics), out.Examined.Report.Diagnostics...))
		r.done(bad...)
		if len(bad) == 0 {
			break
		}
		jobs = good
	}
	if len(jobs) == 0 {
		return nil
	}
	out, err := r.in.Open(ctx, r.request(jobs))
	if err != nil {
		return err
	}
	r.open(jobs, out)
	return nil
}

func (r *run) open(jobs []job, out propose.Outcome) {
	stopped := out.Diagnostics.HasErrors() && !out.Opened
	if !stopped {
		r.count(out)
	}
	for _, j := range jobs {
		if stopped {
			r.done(j.item.skip(out.Diagnostics))
		} else {
			r.done(opened(j.item, out))
		}
	}
}

// split parts the jobs whose files have errors from the others.
func split(jobs []job, found diag.List) (good []job, bad []Item) {
	for _, j := range jobs {
		var own diag.List
		for _, d := range found {
			if d.File == j.Place || strings.HasPrefix(d.File, j.Place+"/") {
				own.Add(d)
			}
		}
		if own.HasErrors() {
			bad = append(bad, j.item.skip(own))
		} else {
			good = append(good, j)
		}
	}
	return good, bad
}
