package output

import (
	"context"

	"github.com/assent-dev/assent/engine/audit/maintain"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/workspace"
)

// TidyByTheWay does a bounded part of maintenance after a command's own work, which is done and
// stays done if this fails.
func TidyByTheWay(ctx context.Context, c *console.Console, cur workspace.Session) {
	out, err := maintain.ByTheWay(ctx, cur)
	switch {
	case err != nil:
		c.Progress("closed proposals could not be folded (%v); nothing is lost, and assent maintenance tries again", err)
	case out.Folded+out.FoldedRuns+out.Drops.Removed > 0:
		c.Progress("%s and %s folded, and %s removed of those folded before", console.Plural(out.Folded, "closed proposal"), console.Plural(out.FoldedRuns, "ended run"), console.Plural(out.Drops.Removed, "ref"))
	}
}
