package workspace_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// TestPolicyCache: openings that share what they read read policies once, and others when others are in force.
func TestPolicyCache(t *testing.T) {
	d := newWorld(t)
	s := d.Surroundings()
	s.PolicyCache = new(workspace.PolicyCache)
	read := func() policy.Policies {
		cur, err := workspace.Of(d.Repo, s).Session(t.Context())
		d.OK(err)
		return cur.Policies
	}
	first := read()
	if len(first.Security.Prohibited) == 0 || first.Security.Prohibited[0].Match != read().Security.Prohibited[0].Match {
		t.Error("the same policies are read twice")
	}
	d.merged(tree.Edit{Path: "policies/limits.yaml", Content: []byte("open_proposals_per_agent: 7\n")})
	if n := read().Limits.OpenPerAgent; n != 7 || first.Limits.OpenPerAgent == n {
		t.Errorf("the limit is %d, it was %d", n, first.Limits.OpenPerAgent)
	}
}
