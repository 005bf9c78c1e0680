package keys_test

import (
	"math"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/home/keys"
)

// An attempt of an approved job begins here once, none before a later one, and none after its end.
func TestUseApproval(t *testing.T) {
	t.Setenv("ASSENT_HOME", t.TempDir())
	workspace := strings.Repeat("ab", 16)
	for i, c := range []struct {
		job     string
		attempt int
		fresh   bool
	}{{"a/x", 1, true}, {"a/x", 1, false}, {"a/y", 1, true}, {"a/x", 3, true}, {"a/x", 2, false}, {"a/x", math.MaxInt, true}, {"a/x", 4, false}, {"a/y", 2, true}} {
		if fresh, err := keys.UseApproval(t.Context(), workspace, c.job, c.attempt); err != nil || fresh != c.fresh {
			t.Errorf("%d: %v, %v", i, fresh, err)
		}
	}
	if _, err := keys.UseApproval(t.Context(), "../"+workspace, "a/x", 9); err == nil {
		t.Error("a workspace outside of the folder")
	}
}
