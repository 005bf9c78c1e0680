package answers

import (
	"testing"

	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/workspace"
)

// TestServes: a proposal serves a gap by what it adds or by its goal, not by one common word.
func TestServes(t *testing.T) {
	jira := gaps.Gap{Name: "jira", Purpose: "move tickets in Jira"}
	release := gaps.Gap{Name: "release-process", Purpose: "cut a release"}
	for name, tc := range map[string]struct {
		e    workspace.Earlier
		g    gaps.Gap
		want bool
	}{
		"adds it":            {workspace.Earlier{Title: "x", Adds: []string{"other", "Jira_Server"}}, jira, true},
		"adds another":       {workspace.Earlier{Title: "x", Adds: []string{"jirafa"}}, jira, false},
		"the same goal":      {workspace.Earlier{Title: "Moving tickets in jira"}, jira, true},
		"one common word":    {workspace.Earlier{Title: "mend the Jira link"}, jira, false},
		"all of a long name": {workspace.Earlier{Title: "write down the release process"}, release, true},
		"a part of it":       {workspace.Earlier{Title: "mend a release"}, release, false},
		"no goal":            {workspace.Earlier{}, jira, false},
		"nothing to say":     {workspace.Earlier{}, gaps.Gap{Name: "x"}, false},
	} {
		if got := serves(tc.e, tc.g); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
