package workspace

import (
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
)

// Held says why an examined proposal cannot merge, whatever its verdict, and the remedy; both are
// empty if nothing blocks it. ahead is the date of the commit in force if it is later than the
// clock. A merge asks this, and so does a proposal's state word.
func Held(cur Session, ex Examined, ahead time.Time) (why, way string) {
	switch {
	case !ahead.IsZero():
		return fmt.Sprintf("what is in force is dated %s, and the clock here says %s", ahead.UTC().Format(time.RFC3339), ex.Case.Now.UTC().Format(time.RFC3339)),
			"set the clock if it is wrong; if it was ahead when that was merged, docs/repositories.md says what to do"
	case ex.bypasses != "":
		return ex.bypasses, "assent rebase " + names.ShellWord(ex.Case.Pull.ID)
	case ex.Case.Conflicted || ex.Covered || ex.crowded:
		return "", ""
	case len(cur.Blocked) > 0:
		b := cur.Blocked[0]
		return fmt.Sprintf("main holds commit %s (%s) that never passed the gate: %s", b.Commit.Short(), b.Subject, b.Why), b.Remedy()
	}
	return "the merge would bring changes that the proposal does not make", "assent rebase " + names.ShellWord(ex.Case.Pull.ID)
}
