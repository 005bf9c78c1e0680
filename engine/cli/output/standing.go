package output

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// PrintStanding shows the commit in force and the commits blocked after it.
func PrintStanding(c *console.Console, cur workspace.Session) {
	if len(cur.Blocked) == 0 {
		c.Printf("in force: main at %s\n", cur.InForce.Short())
	} else {
		c.Printf("in force: %s; %s\n", cur.InForce.Short(), c.Style.Bad("main is past it and not in force"))
	}
	broken := cur.Halt()
	if broken != nil {
		printBroken(c, *broken, len(cur.Blocked))
	}
	for _, b := range cur.Blocked {
		if broken != nil { // the others follow from it, and --json has them
			break
		}
		c.Printf("  %s %s  %s (%s)\n", c.Style.Bad("not in force"), b.Commit.Short(), console.OneLine(b.Subject), console.OneLine(b.Author))
		for _, p := range b.Paths {
			c.Printf("      %s\n", console.OneLine(p))
		}
		c.Printf("      %s\n", c.Style.Dim("why: "+console.OneLine(b.Why)))
	}
	if n := len(cur.Blocked); n > 0 && broken == nil {
		c.Printf("  %s\n", console.OneLine(cur.Blocked[n-1].Remedy()))
	}
	for _, d := range cur.PolicyDiags {
		c.Printf("  %s %s\n", c.Style.Warn("policies:"), console.OneLine(d.String()))
	}
}

// PrintUnproposed names the commits on main that changed files of clients without a proposal.
func PrintUnproposed(c *console.Console, commits []workspace.Unproposed) {
	for _, u := range commits {
		c.Complain("%s %s by %s changed %s outside of a proposal; agents and editors that run in a checkout read it: git show %s", c.Style.Warn("warning:"),
			u.Commit.Short(), console.OneLine(u.Author), console.OneLine(strings.Join(u.Paths, ", ")), names.ShellWord(u.Commit.String()))
	}
}

// printBroken says which merge is refused that a listed key announced, or which re-anchor was
// not accepted.
func printBroken(c *console.Console, b attest.Unattested, blocked int) {
	what := "break"
	if b.Reanchor != "" {
		what = "re-anchor"
	}
	c.Printf("  %s %s  %s\n", c.Style.Bad(what), b.Commit.Short(), console.OneLine(b.Subject))
	c.Optional("proposal", console.OneLine(b.Proposal))
	if b.Reanchor == "" {
		c.Field("announced", "by "+console.OneLine(b.AnnouncedBy))
	}
	c.Field("refused", console.OneLine(b.Why))
	c.Field("blocked", console.Plural(blocked, "commit")+" of main, this one included")
	c.Field("resolve", console.OneLine(b.WaysOut()))
}
