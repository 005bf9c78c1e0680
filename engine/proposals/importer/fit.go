package importer

import (
	"fmt"
	"strconv"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/folder"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// Fitted is a skill's folder made ready to be proposed.
type Fitted struct {
	// Name of the capability, and Place, its folder in the workspace.
	Name, Place string
	// Edits are the files to store, with paths from the workspace's root. Original
	// are those files as they were found; empty where nothing was changed.
	Edits, Original []tree.Edit
	// Found are the files that are stored, as they were found, with paths in the folder.
	Found []tree.Edit
	// LeftOut are the paths in the folder that are not stored.
	LeftOut []string
	// Changes says in one sentence each what was changed or left out.
	Changes []string
	// Skipped: it cannot be proposed, and Diags says why.
	Skipped bool
	Diags   diag.List
}

// Fit makes a capability of the files of a skill folder called name; place returns the folder of a
// capability in the workspace. unread are the findings of folder.Read.
func Fit(name string, files []tree.Edit, unread diag.List, place func(capability string) (string, error)) (Fitted, error) {
	imported := capability.Import(name, files)
	f := Fitted{Name: imported.Name, Changes: imported.Changes, Skipped: imported.Skipped}
	f.Diags.Add(unread...)
	f.Diags.Add(imported.Diags...)
	if f.Skipped {
		return f, nil
	}
	for _, d := range unread {
		if d.Rule == folder.RuleSpecial {
			f.LeftOut = append(f.LeftOut, d.File)
			f.Changes = append(f.Changes, fmt.Sprintf("left out %s: no regular file", strconv.Quote(d.File)))
		}
	}
	for _, d := range imported.Diags {
		if d.Rule == capability.RuleImportFile {
			f.LeftOut = append(f.LeftOut, d.File)
		}
	}
	var err error
	if f.Place, err = place(f.Name); err != nil {
		return f, err
	}
	f.Edits, f.Found = propose.Below(f.Place, imported.Edits), kept(files, f.LeftOut)
	if len(f.Changes) > 0 {
		f.Original = propose.Below(f.Place, f.Found)
	}
	return f, nil
}

// kept are the files that are stored, as they were found.
func kept(files []tree.Edit, leftOut []string) []tree.Edit {
	out := map[string]bool{}
	for _, p := range leftOut {
		out[p] = true
	}
	var left []tree.Edit
	for _, f := range files {
		if !out[f.Path] {
			left = append(left, f)
		}
	}
	return left
}
