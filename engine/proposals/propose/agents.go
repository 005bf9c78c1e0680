package propose

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// Known reports whether a name can act in this workspace: listed in policies/roles.yaml, or an
// agent with a SOUL.md in force. Limits, exclusions and histories depend on the name: a made-up
// name for each proposal would have no limit and could approve under the real one. If no roles are
// readable, any well-formed name can propose, so that they can be repaired.
func Known(cur workspace.Session, name string) bool {
	if _, listed := cur.Policies.Roles.ByName(name); listed {
		return true
	}
	return hasSoul(cur, name) || len(cur.Policies.Roles.All()) == 0 && names.IsName(name)
}

// Agents lists the known agents, sorted.
func Agents(cur workspace.Session) []string {
	var out []string
	for _, id := range cur.Policies.Roles.All() {
		if id.Kind == policy.KindAgent {
			out = append(out, id.Name)
		}
	}
	souls, err := cur.View.List(string(names.SoulArea))
	if err == nil {
		for _, e := range souls {
			if name := strings.TrimPrefix(e.Path, string(names.SoulArea)+"/"); hasSoul(cur, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func hasSoul(cur workspace.Session, name string) bool {
	if !names.IsName(name) {
		return false
	}
	ok, err := tree.Exists(cur.View, string(names.SoulArea)+"/"+name+"/SOUL.md")
	return ok && err == nil
}
