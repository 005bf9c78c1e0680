package gc

import (
	"slices"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// TestUnclearRefutes: that missions spoke against a capability is refuted once they do not tell whether it is the cause,
// also if it could be proposed for another reason. What was proposed for another reason stays.
func TestUnclearRefutes(t *testing.T) {
	knot := index.Entry{Folder: capability.FolderOf("skills/knot"), Tree: tree.BlobHash([]byte("knot"))}
	for verdict, want := range map[string][]string{trial.Unclear: {trial.Harmful, trial.Useless}, "": nil} {
		c := &candidate{Entry: knot, measured: &measured{Utility: trial.Utility{Verdict: verdict, Beside: []string{"moor"}}, cap: 3}}
		for _, ground := range []string{trial.Harmful, trial.Useless, capGround} {
			why := asked{kind: Archive, content: knot, ground: ground}.refuted(opener{}, observed{all: []index.Entry{knot}}, c)
			if (len(why) == 1) != slices.Contains(want, ground) {
				t.Errorf("%q of one that is %q: %q", ground, verdict, why)
			}
		}
	}
}
