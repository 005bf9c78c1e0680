package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// checkAgents warns of records that allow or deny an agent without a role and without a soul.
// A misspelt name in deny excludes no agent. It is a warning because the agent may be added later.
func checkAgents(s *capabilities) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	var known []string
	for _, l := range all {
		if !l.InHead {
			continue
		}
		who := l.head.Record.Agents
		if known == nil && len(who.Allow)+len(who.Deny) > 0 {
			if known, err = agents(s.change); err != nil {
				return out, err
			}
		}
		for i, name := range who.Allow {
			checkAgent(&out, l, known, name, "agents.allow names %s, which is not an agent of this workspace: the entry admits no agent", "allow", i)
		}
		for i, name := range who.Deny {
			checkAgent(&out, l, known, name, "agents.deny names %s, which is not an agent of this workspace: the entry excludes no agent", "deny", i)
		}
	}
	return out, nil
}

func checkAgent(out *diag.List, l loaded, known []string, name, format, field string, i int) {
	if slices.Contains(known, name) || !names.IsName(name) { // record-value reports invalid names
		return
	}
	fix := "correct the name, or add the agent to soul/ or policies/roles.yaml"
	if near := strictyaml.Nearest(name, known); near != "" {
		fix = "did you mean " + near + "?"
	}
	out.Warnf(RuleAgents, l.head.RecordPos("agents", field, i), fix, format, name)
}

// agents are those that the workspace would know: by a role, in force or in the change, or by a soul.
func agents(s *change) ([]string, error) {
	roles := []policy.Roles{s.Policies.Roles}
	if s.changesArea(names.PoliciesArea) {
		next, _ := policy.Load(s.Head)
		roles = append(roles, next.Roles)
	}
	out := []string{}
	for _, r := range roles {
		for _, id := range r.All() {
			if id.Kind == policy.KindAgent {
				out = append(out, id.Name)
			}
		}
	}
	entries, err := s.Head.List(string(names.SoulArea))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the souls: %w", err)
	}
	for _, e := range entries {
		if e.Mode == tree.Dir {
			out = append(out, strings.TrimPrefix(e.Path, string(names.SoulArea)+"/"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
