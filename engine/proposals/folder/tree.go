package folder

import (
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
)

// FromTree is Read for a folder of a Git tree, given the entries below it. Links and submodules are
// diagnosed and left out, and the size of a file is compared before it is read.
func FromTree(v tree.View, dir string, entries []tree.Entry, b Bounds) ([]tree.Edit, diag.List, error) {
	r := reader{bounds: b}
	for _, e := range entries {
		rel := strings.TrimPrefix(strings.TrimPrefix(e.Path, dir), "/")
		if !e.Mode.IsFile() {
			r.diags.Warnf(RuleSpecial, diag.Pos{File: rel}, "replace it by its files, or remove it", "%s is left out: it is a link or a submodule", rel)
			continue
		}
		if err := r.blob(v, e, rel); errors.Is(err, errEnough) {
			break
		} else if err != nil {
			return nil, nil, err
		}
	}
	return r.edits, r.diags, nil
}

func (r *reader) blob(v tree.View, e tree.Entry, rel string) error {
	size, err := tree.Size(v, e)
	if err != nil {
		return err
	}
	if fits, err := r.fits(rel, size); !fits {
		return err
	}
	data, err := v.Read(e.Path)
	mode := tree.Regular
	if e.Mode == tree.Executable && strings.Contains("/"+rel, "/scripts/") {
		mode = tree.Executable
	}
	r.edits = append(r.edits, tree.Edit{Path: rel, Mode: mode, Content: data})
	return err
}
