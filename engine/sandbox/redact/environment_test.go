package redact_test

import (
	"slices"
	"testing"

	"github.com/assent-dev/assent/engine/sandbox/redact"
)

func TestEnvironment(t *testing.T) {
	keep := []string{"PATH=/bin", "ASSENT_HOME=/h", "ASSENT_AGENT=smith", "TOKEN_OF_OTHERS=x"}
	drop := []string{"ASSENT_TOKEN=x", "assent_git_password=x", "GH_TOKEN=x", "GITHUB_TOKEN=x", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_VALUE_0=x", "ACTIONS_RUNTIME_TOKEN=x"}
	all := slices.Concat(drop, keep)
	if got := redact.Environment(all); !slices.Equal(got, keep) || len(all) != len(drop)+len(keep) || all[0] != drop[0] {
		t.Errorf("%q", got)
	}
}
