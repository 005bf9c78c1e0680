package importer

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/upstream"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// track adds the record of the source to what is proposed. A capability whose content is in force
// gets the record alone; one that has a record stays as it is.
func (j *job) track(cur workspace.Session, r upstream.Record) error {
	have, err := tree.Exists(cur.View, j.item.Place+"/"+upstream.File)
	if err != nil {
		return err
	}
	if have {
		if j.item.State == StateNew {
			j.item = j.item.skipFor(RuleTaken, "propose what changed upstream: assent upstream check "+names.ShellWord(j.Name), "%s is tracked already, and an import would take local edits back", j.Name)
		}
		return nil
	}
	inForce := j.item.State == StateInForce
	if inForce {
		j.Edits, j.Place = nil, j.item.Place
	}
	record, original, err := Record(cur, j.Place, r, j.Found)
	if err != nil {
		return err
	}
	j.Edits, j.Original = append(j.Edits, record), original
	j.item.State, j.item.Unchanged = StateNew, false
	j.tracked = fmt.Sprintf("%q, commit %.12s", r.Source, r.Commit)
	return nil
}

// Record returns the edit that records the source of found files, and the edits of the commit that
// holds exactly these in the capability's folder: it is what a later comparison starts from.
func Record(cur workspace.Session, place string, r upstream.Record, found []tree.Edit) (record tree.Edit, original []tree.Edit, err error) {
	top, err := cur.Repo.WriteTree(tree.Hash{}, found)
	if err != nil {
		return record, nil, fmt.Errorf("write the tree of %s: %w", place, err)
	}
	r.Tree = top.String()
	text, err := upstream.Format(r)
	if err != nil {
		return record, nil, err
	}
	original = propose.Below(place, found)
	held := tree.NewMap(original...)
	err = tree.Files(cur.View, place, func(e tree.Entry) error {
		if _, err := held.Lookup(e.Path); errors.Is(err, fs.ErrNotExist) {
			original = append(original, tree.Edit{Path: e.Path, Remove: true})
		}
		return nil
	})
	return tree.Edit{Path: place + "/" + upstream.File, Content: text}, original, err
}
