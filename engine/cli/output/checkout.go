package output

import (
	"errors"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// PrintCheckout shows the result of refreshing the user's checkout.
func PrintCheckout(c *console.Console, r gitstore.Refresh, err error) {
	if errors.Is(err, gitrun.ErrNoGit) {
		c.Progress("your checkout of main still shows the old files: the git program is not installed")
		return
	}
	if err != nil {
		c.Progress("your checkout of main could not follow (%v); nothing is lost, and what is in force does not depend on it: assent doctor says how to go on", err)
		return
	}
	for _, k := range r.Kept {
		why := k.Why
		if why == "staged" {
			why = "no longer staged"
		}
		c.Printf("  %s %s stays as you left it (%s); git diff shows how it differs from the commit in force\n",
			c.Style.Warn("kept"), console.OneLine(k.Path), why)
		if !k.Staged.IsZero() {
			c.Printf("    its staged content is in no file; this prints it: git cat-file blob %s\n", names.ShellWord(k.Staged.String()))
		}
	}
}
