package validate

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// checkPaths judges the shape of every path that the change adds or alters, the kind of file
// at it, and collisions with other paths.
func checkPaths(s *change) (diag.List, error) {
	var out diag.List
	dirs := map[string]bool{}
	for _, c := range s.changes {
		if c.Removed() {
			continue
		}
		//defence:path-shape
		out.Add(names.CheckPath(c.Path)...)
		if names.Governed(c.Path) {
			//defence:only-regular-files
			out.Add(names.CheckModes(c.New)...)
			//defence:governed-folders-have-one-spelling
			checkPlace(&out, c)
		}
		for dir := parent(c.Path); ; dir = parent(dir) {
			dirs[dir] = true
			if dir == "" {
				break
			}
		}
	}
	return out, checkCollisions(s, &out, dirs)
}

// checkPlace refuses files directly below a governed folder where none belongs,
// and governed folders in another spelling.
func checkPlace(out *diag.List, c tree.Change) {
	first, rest, _ := strings.Cut(c.Path, "/")
	area := names.Area(c.Path)
	if first != string(area) {
		out.Errorf(RulePathArea, diag.Pos{File: c.Path}, "use the folder "+string(area)+"/", "%q is another spelling of %s/", first, area)
	}
	if strings.Contains(rest, "/") || rest == "README.md" || rest == ".gitkeep" {
		return
	}
	if area == names.SoulArea || area == names.SkillsArea || area == names.ProposalsArea {
		out.Errorf(RulePathPlace, diag.Pos{File: c.Path}, placeOf(area), "a file directly in %s/ belongs to nothing", area)
	}
}

func placeOf(area names.AreaName) string {
	switch area {
	case names.SoulArea:
		return "put it into soul/<agent>/"
	case names.SkillsArea:
		return "put it into skills/[<group>/]<name>/"
	}
	return "proposals are written by assent, as proposals/<yyyy>/<mm>/<dd>/<id>.md"
}

// unseen replaces the content of a folder that is not listed.
const unseen = "/_"

// checkCollisions compares the folders that the change reaches into. It lists names and
// reads no file.
func checkCollisions(s *change, out *diag.List, dirs map[string]bool) error {
	var paths []string
	for dir := range dirs {
		entries, err := s.Head.List(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			switch {
			case e.Mode != tree.Dir:
				paths = append(paths, e.Path)
			case !dirs[e.Path]: // not entered: one name represents its files
				paths = append(paths, e.Path+unseen)
			}
		}
	}
	changed := map[string]bool{}
	for _, c := range s.changes {
		for p := c.Path; p != ""; p = parent(p) {
			changed[p] = true
		}
	}
	for _, d := range names.Collisions(paths) {
		d.File = strings.TrimSuffix(d.File, unseen)
		//defence:names-do-not-collide
		if changed[d.File] || changed[d.Also.File] { // the finding is at the path that sorts later
			out.Add(d)
		}
	}
	return nil
}

func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ""
	}
	return path[:i]
}
