package learn

import (
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// StepsOf returns the capabilities that changes, the differences of base and head, touch.
func StepsOf(base, head tree.View, changes []tree.Change) ([]Step, error) {
	var failed error
	holds := func(v tree.View) func(string) bool {
		return func(dir string) bool {
			ok, err := tree.Exists(v, dir+"/"+names.SkillFile)
			if err != nil {
				failed = err
			}
			return ok
		}
	}
	type sides struct{ inBase, inHead bool }
	seen, order := map[string]sides{}, []names.Capability{}
	note := func(c names.Capability, inHead bool) {
		s, known := seen[c.Dir]
		if !known {
			order = append(order, c)
		}
		s.inBase, s.inHead = s.inBase || !inHead, s.inHead || inHead
		seen[c.Dir] = s
	}
	for _, c := range changes {
		if names.Area(c.Path) != names.SkillsArea {
			continue
		}
		if was, ok := names.ParseSkillPath(c.Path, holds(base)); ok {
			note(was, false)
		}
		if is, ok := names.ParseSkillPath(c.Path, holds(head)); ok {
			note(is, true)
		}
	}
	var out []Step
	for _, c := range order {
		s := seen[c.Dir]
		out = append(out, Step{Name: c.Name, Dir: c.Dir, Added: !s.inBase, Removed: !s.inHead})
	}
	return out, failed
}
