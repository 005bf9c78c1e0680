package answers

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// archived returns the capability with the words of a gap's name that was archived last and is not in force, or
// else the one whose text answers the gap as one in force would.
func (f *Finder) archived(ctx context.Context, g gaps.Gap) (Answer, error) {
	if !f.listed {
		var err error
		if f.records, err = archive.Records(f.here.Session); err != nil {
			return Answer{}, err
		}
		f.listed = true
	}
	for _, r := range f.records {
		if index.HasName(r.Name, g.Name) {
			return undone(r), nil
		}
	}
	if len(f.records) == 0 || g.Failures > 0 { // an error message's words count for nothing
		return Answer{}, nil
	}
	if f.old == nil || f.old.Some {
		var err error
		if f.old, err = f.here.Archive(ctx, g.Name+" "+g.Purpose); err != nil {
			return Answer{}, err
		}
	}
	spaced := strings.ReplaceAll(g.Name, "-", " ")
	near, err := f.old.Find(discover.Request{Words: spaced + " " + g.Purpose, Agent: f.agent})
	if err != nil {
		return Answer{}, err
	}
	found, err := f.old.Find(discover.Request{Words: spaced, Agent: f.agent})
	for _, m := range found {
		fits := func(o discover.Archived) bool { return o.Path == m.Path && o.Share >= said }
		if m.Share >= named && slices.ContainsFunc(near, fits) {
			return undone(m.Record), nil
		}
	}
	return Answer{}, err
}

func undone(r archive.Record) Answer {
	return Answer{Status: Archived, Capability: r.Name, Proposal: r.Proposal, Next: "assent undo " + names.ShellWord(r.Proposal)}
}
