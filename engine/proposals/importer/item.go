package importer

import (
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/proposal"
)

// Item is the result for one folder.
type Item struct {
	Path string
	Name string
	// Place is the capability's folder in the workspace; "" when none was found.
	Place string
	// ID is the proposal that brings it, this one or an earlier one.
	ID string
	// State is the state of the proposal, or one of the states below.
	State string
	// Changes lists the adaptations.
	Changes []string
	// Reason is the rule for which it was skipped, or its proposal refused.
	Reason      string
	Diagnostics diag.List
	// Unchanged: there was nothing to propose.
	Unchanged bool
}

// States of an item beside those of proposals.
const (
	StateInForce  = "in_force" // its content is in force, or was and has been improved since
	StateProposed = "proposed" // an open proposal has the same content
	StateSkipped  = "skipped"  // nothing was proposed
	StateNew      = "new"      // ready; of results, only that of Found has it
)

// Failed reports whether the folder was skipped or its proposal cannot pass.
func (i Item) Failed() bool {
	return i.State == StateSkipped || i.State == string(proposal.Refused) || i.State == string(proposal.Conflicted)
}

// skip ends an item for reasons that others found.
func (i Item) skip(why diag.List) Item {
	i.State = StateSkipped
	i.Diagnostics = append(i.Diagnostics, why...)
	i.Reason = firstError(i.Diagnostics)
	return i
}

// skipFor ends an item for one reason.
func (i Item) skipFor(rule, fix, format string, args ...any) Item {
	var why diag.List
	why.Errorf(rule, diag.Pos{File: filepath.ToSlash(i.Path)}, fix, format, args...)
	return i.skip(why)
}

func firstError(ds diag.List) string {
	for _, d := range ds {
		if d.Severity == diag.Error {
			return d.Rule
		}
	}
	return ""
}

// at turns positions inside a folder into positions that can be opened.
func at(f Folder, ds diag.List) diag.List {
	var out diag.List
	for _, d := range ds {
		if d.File == f.Name { // about the folder itself
			d.File = filepath.ToSlash(f.Path)
		} else {
			d.File = strings.TrimSuffix(filepath.ToSlash(f.Path), "/") + "/" + d.File
		}
		out.Add(d)
	}
	return out
}
