package policy

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

// The formats of workspaces. A format says which content a workspace may have beyond the one
// before it, so that a program that does not know it stops instead of guessing.
const (
	// Unnumbered is the format of a workspace without workspace.yaml, from before formats had
	// numbers.
	Unnumbered = 0
	// FoldedJournals is the first format in which journals of closed proposals may be in
	// refs/assent/closed/<yyyy> instead of a ref each. Earlier programs would not find the
	// evidence of merges there.
	FoldedJournals = 1
	// NewestFormat is the newest that this program knows.
	NewestFormat = FoldedJournals
)

// loadFormat reads the workspace's format. An unusable file counts as Unnumbered, in which the
// least may be written. A number above NewestFormat is returned as it is, without a
// diagnostic: only newer programs know the other fields of such a file, and the caller decides
// whether to go on.
func loadFormat(v tree.View, ds *diag.List) int {
	if there, err := tree.Exists(v, WorkspaceFile); err == nil && !there {
		return Unnumbered
	}
	return loadFile(v, WorkspaceFile, ds, Unnumbered, readFormat)
}

func readFormat(doc *strictyaml.Doc, ds *diag.List) int {
	var raw struct {
		Format int `yaml:"format"`
	}
	var found diag.List
	doc.Decode(&raw, &found)
	if raw.Format > NewestFormat {
		return raw.Format
	}
	bounds{doc, &found}.check("format", float64(raw.Format), 1, NewestFormat)
	ds.Add(found...)
	return raw.Format
}
