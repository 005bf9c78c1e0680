package policy_test

import (
	"os"
	"testing"

	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/tree"
)

// defaults returns the policy files that the repository ships.
func defaults(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, path := range policy.Files() {
		data, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = string(data)
	}
	return files
}

func TestShippedPoliciesLoadCleanly(t *testing.T) {
	_, ds := policy.Load(tree.MapOf(defaults(t)))
	for _, d := range ds {
		t.Error(d)
	}
}
