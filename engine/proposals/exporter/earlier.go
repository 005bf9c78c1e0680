package exporter

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Earlier are the contents that an export of a capability could have written before, by the path
// in its folder.
type Earlier map[string]map[tree.Hash]bool

// EarlierOf reads all earlier contents of a capability's files from the history of the commit in
// force, wherever its folder was. No record is kept with an export, so exports by others and
// copies are recognised, too.
func EarlierOf(cur workspace.Session, name string) (Earlier, error) {
	out := Earlier{}
	var skills tree.Hash // in the commit read last
	dir := ""            // the folder there
	err := cur.Repo.Lineage(cur.InForce, func(c gitstore.Commit) (bool, error) {
		view, err := cur.Repo.Snapshot(c.Tree)
		if err == nil {
			dir, skills, err = out.at(view, name, dir, skills)
		}
		if gitstore.IsBadObject(err) { // such a commit was blocked
			err = nil
		}
		return true, err
	})
	return out, err
}

// at adds the contents in one commit.
func (o Earlier) at(view tree.View, name, dir string, last tree.Hash) (string, tree.Hash, error) {
	all, err := view.Lookup(string(names.SkillsArea))
	if errors.Is(err, fs.ErrNotExist) || err == nil && all.Hash == last {
		return dir, last, nil
	}
	if err != nil {
		return dir, last, err
	}
	there := false
	if dir != "" {
		if there, err = tree.Exists(view, dir+"/"+names.SkillFile); err != nil {
			return dir, all.Hash, err
		}
	}
	if !there {
		found, err := capability.NamerOf(view).Named(name)
		if err != nil || len(found) == 0 {
			return dir, all.Hash, err
		}
		dir = found[0].Path
	}
	if original, err := originalOf(view, dir); err == nil && !original.IsZero() {
		o.add(names.SkillFile, original)
	}
	return dir, all.Hash, tree.Files(view, dir, func(e tree.Entry) error {
		if e.Mode.IsFile() {
			o.add(strings.TrimPrefix(e.Path, dir+"/"), e.Hash)
		}
		return nil
	})
}

func (o Earlier) add(path string, h tree.Hash) {
	path = spelling(path)
	if o[path] == nil {
		o[path] = map[tree.Hash]bool{}
	}
	o[path][h] = true
}

// spelling is one for a SKILL.md and for the original of another case.
func spelling(path string) string {
	if strings.EqualFold(path, names.SkillFile) {
		return names.SkillFile
	}
	return path
}
