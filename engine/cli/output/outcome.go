package output

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// PrintOutcome shows the result of propose, update and similar commands.
func PrintOutcome(c *console.Console, w *workspace.Workspace, out propose.Outcome, notes []string, dryRun bool) error {
	if out.Diagnostics.HasErrors() {
		return console.Findings("nothing was proposed: the change is not valid", out.Diagnostics)
	}
	v := OutcomeOf(out, notes, dryRun)
	v.Share(w)
	if !c.JSON {
		for _, n := range notes {
			c.Printf("%s\n", c.Style.Dim(console.OneLine(n)))
		}
		if dryRun {
			c.Printf("%s\n", c.Style.Warn("dry run: nothing is written; this is what would happen"))
		}
	}
	return PrintAnswer(c, v)
}

// Share makes publishing the next step of a proposal that waits for people, who cannot see records
// of this clone. A dry run recorded nothing, and its id names nothing.
func (v *Proposal) Share(w *workspace.Workspace) {
	switch {
	case v.DryRun:
		v.Next = ""
	case v.State == string(proposal.Waiting) && v.Next == "assent review "+names.ShellWord(v.ID) && v.Pull.URL == "" && console.HasRemote(w):
		v.Next = "assent push " + names.ShellWord(v.ID)
	}
}

// OutcomeOf is the JSON of the result of propose, update and similar commands.
func OutcomeOf(out propose.Outcome, notes []string, dryRun bool) Proposal {
	v := ProposalOf(out.Examined)
	v.DryRun, v.Notes = dryRun, append(v.Notes, notes...)
	v.Diagnostics = append(v.Diagnostics, out.Diagnostics...)
	if dryRun && !out.Known {
		v.unnamed()
	}
	return v
}

// unnamed removes the id from fixes: nothing is stored under it.
func (v *Proposal) unnamed() {
	for i, d := range v.Diagnostics {
		if fix := strings.ReplaceAll(d.Fix, v.ID, "ID"); fix != d.Fix {
			v.Diagnostics[i].Fix = fix + " (ID: the id of the proposal once it exists)"
		}
	}
}
