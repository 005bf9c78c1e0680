package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// copies returns the imported capabilities in force that the change resembles, by its report: an
// import stays an import under another name. Merges without a record here are left out.
func copies(w *Workspace, from, genesis tree.Hash, r validate.Report) ([]string, error) {
	var out []string
	for _, d := range r.Diagnostics {
		dir := path.Dir(d.Also.File)
		if !slices.Contains([]string{validate.RuleIdentical, validate.RuleRenamed, validate.RuleReworded}, d.Rule) || slices.Contains(out, dir) {
			continue
		}
		imported, err := imported(w, dir, from, genesis)
		if err != nil {
			return nil, err
		}
		if imported {
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	return out, nil
}

// imported reports whether the merge that brought a folder was of an import.
func imported(w *Workspace, dir string, from, genesis tree.Hash) (bool, error) {
	var brought gitstore.Commit
	seen := 0
	err := w.Repo.Lineage(from, func(c gitstore.Commit) (bool, error) {
		seen++
		view, err := w.Repo.Snapshot(c.Tree)
		if err != nil {
			return false, err
		}
		if _, err := view.Lookup(dir); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		} else if gitstore.IsBadObject(err) { // such a commit was blocked
			return seen < mergeCommits && c.Hash != genesis, nil
		} else if err != nil {
			return false, err
		}
		brought = c
		return seen < mergeCommits && c.Hash != genesis, nil
	})
	id := attest.ProposalNamed(brought)
	if err != nil || !forge.IsID(id) {
		return false, err
	}
	// Later records must not change how merges after that one are judged.
	found, err := w.claims().first(context.Background(), id, brought) // a local read, which needs no cancellation
	var activity forge.Activity
	if err == nil {
		_, activity, err = found.read()
	}
	if attest.IsRefusal(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look where %s came from: %w", dir, err)
	}
	return slices.ContainsFunc(activity.Pushes, func(p forge.Push) bool {
		rec, err := provenance.Decode(p.Provenance)
		return err == nil && rec.Way.Outside()
	}), nil
}
