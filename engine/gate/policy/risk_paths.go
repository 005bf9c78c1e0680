package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
)

// proposalFile is the form of a proposal's own file; the group is the id.
var proposalFile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^proposals/\d{4}/\d{2}/\d{2}/([^/]+)\.md$`) })

// riskPaths covers every changed path, so that no change is missed by the other facts: a path
// that no rule knows is critical.
func riskPaths(r *riskFinder) {
	for _, c := range r.f.Paths {
		top, rest, _ := strings.Cut(c.Path, "/")
		switch top {
		case "policies", "workflows", ".github", "engine", "cmd":
			//defence:rules-are-critical
			r.add(Critical, diag.Pos{File: c.Path}, "%s decides how proposals are judged or run", top+"/")
		case "proposals":
			r.proposalPath(c)
		case "soul":
			r.soulPath(c, rest)
		case "skills":
			if !slices.ContainsFunc(r.f.Capabilities, func(cap Capability) bool { return within(cap.Path, c.Path) }) {
				r.add(Critical, diag.Pos{File: c.Path}, "a file below skills/ that belongs to no capability")
			}
		default:
			//defence:unknown-path-is-critical
			r.add(Critical, diag.Pos{File: c.Path}, "a path outside soul/, skills/ and proposals/")
		}
	}
}

func within(folder, path string) bool {
	rest, below := strings.CutPrefix(path, folder)
	return below && folder != "" && strings.HasPrefix(rest, "/")
}

// proposalPath: a proposal brings its own file; every other one is history.
func (r *riskFinder) proposalPath(c PathChange) {
	m := proposalFile().FindStringSubmatch(c.Path)
	switch {
	case m == nil || m[1] != r.f.ID:
		r.add(Critical, diag.Pos{File: c.Path}, "another proposal's record would change")
	case c.Op == Removed:
		r.add(Critical, diag.Pos{File: c.Path}, "the proposal removes its own record")
	}
}

// soulPath: SOUL.md itself is judged by its sections, if they are known.
func (r *riskFinder) soulPath(c PathChange, rest string) {
	agent, file, nested := strings.Cut(rest, "/")
	described := slices.ContainsFunc(r.f.Soul, func(s SoulEdit) bool { return s.Agent == agent })
	switch {
	case !nested || strings.EqualFold(file, "IDENTITY.md"):
		r.add(Critical, diag.Pos{File: c.Path}, "an agent's identity")
	case file != "SOUL.md":
		r.add(High, diag.Pos{File: c.Path}, "a file that shapes how %s behaves", agent)
	case c.Op == Removed:
		r.add(Critical, diag.Pos{File: c.Path}, "the soul of %s is removed", agent)
	case !described:
		r.add(Critical, diag.Pos{File: c.Path}, "SOUL.md changes and it is not known which sections do")
	}
}
