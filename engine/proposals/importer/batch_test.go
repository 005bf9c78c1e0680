package importer

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// For all sizes: nothing is lost or doubled, everything that can fit fits, and the order is kept
// inside a group.
func TestPacks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := policy.Limits{FilesPerProposal: rapid.IntRange(3, 40).Draw(t, "files"), ProposalBytes: rapid.Int64Range(200, 4000).Draw(t, "bytes")}
		var jobs []job
		for i := range rapid.IntRange(0, 20).Draw(t, "jobs") {
			place := fmt.Sprintf("skills/g%d/n%d", rapid.IntRange(0, 3).Draw(t, "group"), i)
			j := job{item: Item{Path: place}, Fitted: Fitted{Name: fmt.Sprint("n", i), Place: place}}
			for n := range rapid.IntRange(1, 30).Draw(t, "n") {
				j.Edits = append(j.Edits, tree.Edit{Path: fmt.Sprint(place, "/", n), Content: make([]byte, rapid.IntRange(0, 100).Draw(t, "size"))})
			}
			jobs = append(jobs, j)
		}
		r := run{known: &known{cur: workspace.Session{Policies: policy.Policies{Limits: limits}}}}
		var got []string
		for _, pack := range r.packs(jobs) {
			total := own()
			for _, j := range pack {
				total = total.add(sizeOf(j))
				got = append(got, j.Place)
			}
			if len(pack) > 1 && (total.files > limits.FilesPerProposal || total.bytes > limits.ProposalBytes) {
				t.Fatalf("a pack of %d is %+v, the limits are %+v", len(pack), total, limits)
			}
		}
		var want []string
		for _, group := range byGroup(jobs) {
			for _, j := range group {
				want = append(want, j.Place)
			}
		}
		if !slices.Equal(got, want) || len(want) != len(jobs) {
			t.Fatalf("%d jobs became %v", len(jobs), got)
		}
	})
}
