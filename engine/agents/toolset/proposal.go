package toolset

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// Proposal is the state of a proposal, for the agent that made it.
type Proposal struct {
	ID    string         `json:"id"`
	Goal  string         `json:"goal"`
	State proposal.State `json:"state"`
	Risk  string         `json:"risk"`
	// WaitingFor says who must approve.
	WaitingFor []string `json:"waiting_for,omitempty"`
	// Review is the place where a person decides: an address or a command.
	Review string `json:"review,omitempty"`
	// Reasons say why it is not merged.
	Reasons  []string `json:"reasons,omitempty"`
	Findings []string `json:"findings,omitempty"`
	Files    []string `json:"files,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	DryRun   bool     `json:"dry_run,omitempty"`
	Next     string   `json:"next"`
}

// maxFiles bounds how many files of a proposal are named.
const maxFiles = 50

func proposalOf(ex workspace.Examined) Proposal {
	c := ex.Case
	out := Proposal{
		ID: c.Pull.ID, Goal: c.Proposal.Goal, State: gate.State(c, ex.Verdict), Risk: ex.Risk.Tier.String(),
		Findings: findings(ex.Report.Diagnostics),
	}
	if out.Goal == "" {
		out.Goal = c.Pull.Title
	}
	for _, f := range ex.Report.Files[:min(maxFiles, len(ex.Report.Files))] {
		out.Files = append(out.Files, f.Path)
	}
	switch out.State {
	case proposal.Waiting, proposal.ChangesRequested, proposal.Expired:
		for _, w := range ex.Verdict.WaitingFor {
			out.WaitingFor = append(out.WaitingFor, waiting(w))
		}
	case proposal.Merged, proposal.Approved, proposal.Rejected, proposal.Withdrawn:
		return out.withReview(c.Pull.URL)
	}
	out.Reasons = ex.Verdict.Reasons()
	return out.withReview(c.Pull.URL)
}

// withReview adds the place where a person decides, and the agent's next step.
func (p Proposal) withReview(url string) Proposal {
	switch p.State {
	case proposal.Waiting, proposal.Expired:
		p.Review = url
		if url == "" {
			p.Review = "assent review " + names.ShellWord(p.ID)
		}
		p.Next = "a person decides at the review's address, with their own key; give them the address, continue with other work, and ask status about " + p.ID
	case proposal.ChangesRequested, proposal.Refused:
		p.Next = fmt.Sprintf("propose again with {\"update\": %q} and files that meet the reasons and findings", p.ID)
	case proposal.Approved:
		p.Next = "nothing is missing: the next pass merges it, or a person with assent merge " + names.ShellWord(p.ID)
	case proposal.Conflicted:
		p.Next = "main changed the same files: load them as they are now, and propose again with {\"update\": \"" + p.ID + "\"}, or run assent rebase " + names.ShellWord(p.ID)
	case proposal.Merged:
		p.Next = "it is in force: find, load and call use it now"
	case proposal.Rejected, proposal.Withdrawn:
		p.Next = "do not propose the same again; status about it gives the reasons"
	default:
		p.Next = "ask status about " + p.ID + " later"
	}
	return p
}

// waiting is one requirement in a sentence.
func waiting(w policy.Wait) string {
	who := strings.Join(w.Who, ", ")
	if who == "" {
		who = "no one can at present"
	}
	return fmt.Sprintf("%d of %d approvals by %s (%s)", w.Have, w.Need, w.Role, who)
}
