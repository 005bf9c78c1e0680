package importer

import (
	"context"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// Foundation is the imported initial content of a workspace.
type Foundation struct {
	// Items are StateNew or StateSkipped, in the order of the folders.
	Items []Item
	Edits []tree.Edit
	// Diagnostics are about the files of Edits and of the template.
	Diagnostics diag.List
}

// Found adapts folders to a workspace that is about to begin. check validates the first tree with
// the files of one folder: separately, because the scanner's work on one tree is bounded. A folder
// with errors is left out. progress receives the number of finished folders.
func Found(ctx context.Context, folders []Folder, l policy.Limits, check func([]tree.Edit) (diag.List, error), progress func(done int)) (Foundation, error) {
	r := run{known: emptyKnown(l), o: Options{Progress: progress}}
	var out Foundation
	for _, f := range folders {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		j, err := r.prepare(f)
		if err != nil {
			return out, err
		}
		if j.item.State == StateNew {
			found, err := check(j.Edits)
			if err != nil {
				return out, err
			}
			if _, bad := split([]job{j}, found); len(bad) > 0 {
				j.item = bad[0]
			} else {
				out.Edits, out.Diagnostics = append(out.Edits, j.Edits...), append(out.Diagnostics, found...)
			}
		}
		r.done(j.item)
	}
	out.Diagnostics.Sort()
	out.Diagnostics = slices.CompactFunc(out.Diagnostics, func(a, b diag.Diagnostic) bool { return a.String() == b.String() })
	out.Items = r.result.Items
	return out, nil
}

// emptyKnown returns the content of a workspace without capabilities.
func emptyKnown(l policy.Limits) *known {
	k := newKnown(workspace.Session{})
	k.cur.Policies.Limits = l
	return k
}
