package capability

import (
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Touched is a capability's folder with a difference between two trees.
type Touched struct {
	names.Capability
	InBase, InHead bool
	Changes        []tree.Change // those in it
}

// TouchedBy returns the folders that changes, the differences of base and head, touch, in the order of the changes.
// orphans are files in the head that belong to no capability.
func TouchedBy(base, head tree.View, changes []tree.Change) (out []Touched, orphans []tree.Change, err error) {
	holds := func(v tree.View) func(string) bool {
		return func(dir string) bool {
			ok, failed := tree.Exists(v, dir+"/"+names.SkillFile)
			if failed != nil {
				err = failed
			}
			return ok
		}
	}
	at := map[string]int{}
	touch := func(c names.Capability) *Touched {
		i, known := at[c.Dir]
		if !known {
			i = len(out)
			at[c.Dir], out = i, append(out, Touched{Capability: c})
		}
		return &out[i]
	}
	for _, c := range changes {
		if names.Area(c.Path) != names.SkillsArea {
			continue
		}
		was, inBase := names.ParseSkillPath(c.Path, holds(base))
		if inBase {
			f := touch(was)
			f.InBase, f.Changes = true, append(f.Changes, c)
		}
		is, inHead := names.ParseSkillPath(c.Path, holds(head))
		if inHead {
			f := touch(is)
			f.InHead = true
			if !inBase || was.Dir != is.Dir {
				f.Changes = append(f.Changes, c)
			}
		}
		if !inBase && !inHead && !c.Removed() {
			orphans = append(orphans, c)
		}
	}
	return out, orphans, err
}
