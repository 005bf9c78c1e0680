package names

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// SkillFile is the file that makes a folder a capability.
const SkillFile = "SKILL.md"

// Collisions reports files that cannot coexist: paths that a permissive file system treats as
// one, a file where another path needs a folder, and capabilities or agents whose names fold to
// the same key, also across groups. The diagnostic is at the later path of the sorted list and
// names the earlier one.
func Collisions(paths []string) diag.List {
	c := collisions{nodes: map[string]node{}, twins: map[string]string{}, skills: map[string]bool{}}
	sorted := slices.Compact(slices.Sorted(slices.Values(paths)))
	for _, p := range sorted {
		c.path(p)
		if path.Base(p) == SkillFile {
			c.skills[path.Dir(p)] = true
		}
	}
	for _, p := range sorted {
		c.name(p)
	}
	return c.out
}

type node struct {
	path string // in its first spelling
	dir  bool
}

type collisions struct {
	nodes  map[string]node
	twins  map[string]string // area and folded name → folder
	skills map[string]bool   // folders with a SKILL.md
	out    diag.List
}

// path enters p and its parent folders. It reports only the shortest colliding part, because
// everything below collides as well.
func (c *collisions) path(p string) {
	for i := 0; i <= len(p); i++ {
		if i < len(p) && p[i] != '/' {
			continue
		}
		part, dir := p[:i], i < len(p)
		key := foldText(part)
		seen, known := c.nodes[key]
		switch {
		case !known:
			c.nodes[key] = node{path: part, dir: dir}
		case seen.path != part:
			c.clash(RuleCollision, p, seen.path, "%s and %s are one name on systems that fold case or normalise", show(part), show(seen.path))
			return
		case seen.dir != dir:
			c.clash(RuleFileDir, p, part, "%s is both a file and a folder", show(part))
			return
		}
	}
}

// clash reports a collision of p with other.
func (c *collisions) clash(rule, p, other, format string, args ...any) {
	c.out.Add(diag.Diagnostic{Rule: rule, Pos: diag.Pos{File: printable(p)}, Also: diag.Pos{File: printable(other)},
		Message: fmt.Sprintf(format, args...), Fix: "rename one of them"})
}

// name enters the capability or agent whose main file is p. A SKILL.md inside another
// capability is only a file of it.
func (c *collisions) name(p string) {
	dir := path.Dir(p)
	area := Area(p)
	isSkill := area == SkillsArea && path.Base(p) == SkillFile
	isSoul := area == SoulArea && strings.Count(p, "/") >= 2
	switch {
	case isSkill:
		if outer, ok := ParseSkillPath(p, func(dir string) bool { return c.skills[dir] }); ok && outer.Dir != dir {
			return
		}
	case isSoul:
		dir = strings.Join(strings.SplitN(p, "/", 3)[:2], "/")
	default:
		return
	}
	key := string(area) + "/" + Fold(path.Base(dir))
	seen, known := c.twins[key]
	if !known {
		c.twins[key] = dir
		return
	}
	if seen != dir && foldText(seen) != foldText(dir) {
		c.clash(RuleTwin, p, seen, "%s and %s answer to one name", show(dir), show(seen))
	}
}
