package workspace

import (
	"strings"
	"testing"
)

// TestKindOf: each kind of record has its names, and clones exchange those.
func TestKindOf(t *testing.T) {
	const id = "tidy-0abc1234"
	digest := strings.Repeat("0a", 20)
	for ref, want := range map[string]struct {
		kind   RefKind
		shared bool
	}{
		"refs/assent/pulls/" + id:                    {PullRef, true},
		"refs/assent/runs/" + id:                     {RunRef, true},
		"refs/assent/closed/2026":                    {FoldRef, true},
		"refs/assent/closed/2026-origin":             {FoldRef, false},
		"refs/assent/ended/2026":                     {EndRef, true},
		"refs/assent/ended/zz":                       {EndRef, false},
		"refs/assent/stops/" + digest:                {StopRef, true},
		"refs/assent/trials/" + digest:               {TrialRef, true},
		"refs/assent/artifacts/" + id + "." + digest: {ArtifactsRef, true},
		"refs/assent/artifacts/" + id:                {},
		"refs/assent/artifacts/" + digest:            {},
		"refs/assent/pulls/" + id + "/x":             {},
		"refs/assent/pulls/abc/x":                    {},
		"refs/assent/pulls/-x":                       {},
		"refs/assent/pulls/Tidy-0abc1234":            {},
		"refs/assent/runs/x/y":                       {},
		"refs/assent/closed/2026/x":                  {},
		"refs/assent/stops/abc":                      {},
		"refs/assent/trials/abc":                     {},
		"refs/assent/runs":                           {},
		"refs/assent/notes":                          {},
		"refs/heads/main":                            {},
	} {
		if k, s := KindOf(ref), Shared(ref); k != want.kind || s != want.shared {
			t.Errorf("%s: %q, shared %v", ref, k, s)
		}
	}
}
