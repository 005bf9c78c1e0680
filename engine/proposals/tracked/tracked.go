package tracked

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/upstream"
	"github.com/assent-dev/assent/engine/workspace"
)

// States of a tracked capability.
const (
	Known       = "tracked"     // listed, not compared
	Unchanged   = "unchanged"   // its files are as they were taken
	Proposed    = "proposed"    // the change was proposed now
	Would       = "would"       // a dry run would propose it
	Conflict    = "conflict"    // both sides changed the same lines
	Deleted     = "deleted"     // the source no longer has the skill
	Gone        = "gone"        // the source, or its ref, is not there
	Unreachable = "unreachable" // the source does not answer
	Refused     = "refused"     // what the source has cannot be proposed
	Invalid     = "invalid"     // the record cannot be read
	Lost        = "lost"        // what was taken is not in the history that is here
	Near        = "near"        // on this machine or network, and not named
	// An earlier proposal of the same content has its own states: open, rejected, withdrawn, expired,
	// merged.
)

// Item is one tracked capability.
type Item struct {
	Name  string `json:"name"`
	Place string `json:"place"`
	upstream.Record
	State string `json:"state"`
	// Reason explains the state.
	Reason string `json:"reason"`
	// Now is the commit of the source; "" for a folder, and if it was not reached.
	Now string `json:"now"`
	// Proposal brings the change. Open are other open proposals that change the record.
	Proposal string   `json:"proposal"`
	Open     []string `json:"open"`
	// Superseded are the proposals that were withdrawn for this one.
	Superseded []string `json:"superseded"`
	// Rewritten is set if the commit that was taken is not in the ref's history any more.
	Rewritten bool     `json:"rewritten"`
	Commits   []Commit `json:"commits"`
	Files     []File   `json:"files"`
	// Edited are the files with local edits, Conflicts those that both sides changed.
	Edited    []string `json:"edited"`
	Conflicts []string `json:"conflicts"`
	// Findings are those that the change brings.
	Findings []Finding `json:"findings"`
}

// Commit is a commit of the source that changed the skill.
type Commit struct {
	Commit  string `json:"commit"`
	Subject string `json:"subject"`
}

// File is a file that the source changed: added, changed or removed.
type File struct {
	Path   string `json:"path"`
	Change string `json:"change"`
}

// Finding is a diagnostic about what would be in force.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// Failed reports whether someone has to look at it.
func (i Item) Failed() bool {
	return slices.Contains([]string{Conflict, Deleted, Gone, Unreachable, Refused, Invalid, Lost}, i.State)
}

// List returns the tracked capabilities in force, in order, without reaching for a source.
func List(ctx context.Context, cur workspace.Session, pulls []forge.Pull) ([]Item, error) {
	folders, err := cur.Capabilities.Folders()
	if err != nil {
		return nil, err
	}
	out := []Item{}
	for _, f := range folders {
		src, err := cur.View.Read(f.Path + "/" + upstream.File)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		item := newItem(f)
		if item.Record, err = upstream.Parse(f.Path+"/"+upstream.File, src); err != nil {
			item.State, item.Reason = Invalid, err.Error()
		}
		others, err := changing(ctx, cur, pulls, f.Path+"/"+upstream.File)
		if err != nil {
			return nil, err
		}
		for _, p := range others {
			item.Open = append(item.Open, p.ID)
		}
		out = append(out, item)
	}
	return out, nil
}

func newItem(f capability.Folder) Item {
	return Item{
		Name: f.Name, Place: f.Path, State: Known, Open: []string{}, Superseded: []string{}, Commits: []Commit{}, Files: []File{},
		Edited: []string{}, Conflicts: []string{}, Findings: []Finding{},
	}
}

// changing returns the open proposals that change a file.
func changing(ctx context.Context, cur workspace.Session, pulls []forge.Pull, file string) ([]forge.Pull, error) {
	var out []forge.Pull
	for _, p := range pulls {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		base, err := cur.Repo.MergeBase(cur.Main, p.Head)
		if err != nil {
			continue // a pushed head may be broken in any way, which blocks no other
		}
		before, err := cur.Repo.Snapshot(base)
		if err != nil {
			return nil, err
		}
		after, err := cur.Repo.Snapshot(p.Head)
		if err != nil {
			continue
		}
		if changes, err := tree.Diff(before, after, file); err == nil && len(changes) > 0 {
			out = append(out, p)
		}
	}
	return out, nil
}
