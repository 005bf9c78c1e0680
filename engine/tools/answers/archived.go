package answers

import (
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// archived returns the capability with the words of a gap's name that was archived last and is not in force.
func (f *Finder) archived(g gaps.Gap) (Answer, error) {
	if !f.listed {
		var err error
		if f.records, err = archive.Records(f.here.Session.View); err != nil {
			return Answer{}, err
		}
		f.listed = true
	}
	for _, r := range f.records {
		if index.HasName(r.Name, g.Name) {
			return Answer{Status: Archived, Capability: r.Name, Proposal: r.Proposal, Next: "assent undo " + names.ShellWord(r.Proposal)}, nil
		}
	}
	return Answer{}, nil
}
