package attest

import "fmt"

// Broken means that a reader without memory met a break or a re-anchor (see Standing.Halt).
// Reading on would mean to act by policies that may be older than those in force.
type Broken struct{ At Unattested }

// Error names the commit and why it is refused.
func (b *Broken) Error() string {
	kind := "break"
	if b.At.Reanchor != "" {
		kind = "re-anchor"
	}
	return fmt.Sprintf("main has a %s at %s (%s): %s", kind, b.At.Commit.Short(), b.At.Subject, b.At.BreakWhy())
}

// BreakWhy says why a commit is a break.
func (u Unattested) BreakWhy() string {
	if u.Reanchor != "" || !u.Bypassed.IsZero() {
		return u.Why
	}
	return u.AnnouncedBy + " announced it as a merge, and it is refused: " + u.Why
}

// WaysOut returns the remedy for a break.
func (b *Broken) WaysOut() string { return b.At.WaysOut() }

// WaysOut returns the remedy for a break; empty for other commits.
func (u Unattested) WaysOut() string {
	switch {
	case !u.Break && u.Reanchor == "":
		return ""
	case u.Restore != "":
		return u.Restore
	}
	journal := "the journal"
	if u.Proposal != "" {
		journal = "the journal refs/assent/pulls/" + u.Proposal
	}
	return "restore " + journal + " from a clone that has it as of the merge (assent doctor --fix --remote there, assent pull here); " +
		"a clone that was used before may instead revert the commit (" + u.revert() +
		") and merge a proposal that two humans approve; " +
		"until then a new clone stops here"
}
