package gate

import (
	"slices"

	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/review"
)

// Approvers names those whose approval of this content counts, sorted: a key or an
// account proves who they are, and they may approve.
func Approvers(c Case) []string {
	var out []string
	f := c.Facts()
	for _, r := range f.Reviews {
		if !r.Valid || r.Decision != review.Approve || r.Head != f.Head && r.Effective != f.Effective {
			continue
		}
		id, known := c.Policies.Roles.Proven(r.By)
		if !known || slices.Contains(out, id.Name) {
			continue
		}
		if may, _ := policy.MayApprove(c.Policies, f, id); may {
			out = append(out, id.Name)
		}
	}
	slices.Sort(out)
	return out
}
