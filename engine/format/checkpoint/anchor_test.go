package checkpoint_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/checkpoint"
)

func TestAnchor(t *testing.T) {
	want := point().Anchor()
	got, err := checkpoint.ParseAnchor(want.String())
	if err != nil || got != want {
		t.Fatalf("%s came back as %s, %v", want, got, err)
	}
	workspace, commit, _ := strings.Cut(want.String(), "@")
	zero := strings.Repeat("0", 40)
	for _, bad := range []string{
		"", "@", workspace, workspace + "@", "@" + commit, workspace + commit, workspace[:12] + "@" + commit, workspace + "@" + commit[:39],
		workspace + "@" + commit + "0", workspace + "@" + commit + "@" + commit, " " + want.String(), want.String() + "\n", zero + "@" + commit,
		workspace + "@" + zero, workspace + "@" + strings.Repeat("g", 40), "--upload-pack=x@" + commit,
	} {
		if a, err := checkpoint.ParseAnchor(bad); err == nil {
			t.Errorf("%q is taken for %s", bad, a)
		}
	}
}
