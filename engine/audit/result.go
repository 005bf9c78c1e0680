package audit

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Result is what walking all of a workspace's history came to.
type Result struct {
	Workspace tree.Hash `json:"workspace"`
	Main      tree.Hash `json:"main"`
	InForce   tree.Hash `json:"in_force"`
	// Commits on main since the workspace began, the genesis commit included; Merges
	// are those that brought a proposal and were judged again.
	Commits int `json:"commits"`
	Merges  int `json:"merges"`
	// Journals that were read, and Reviews whose signatures were checked in them.
	Journals int `json:"journals"`
	Reviews  int `json:"reviews"`
	// ByTier counts the merges by risk.
	ByTier map[string]int `json:"by_tier"`
	// Signed and Unsigned count the merges by whether their attestations are signed.
	Signed   int `json:"signed"`
	Unsigned int `json:"unsigned"`
	// Unproven names the merges that nobody signed for.
	Unproven []Reservation `json:"unproven"`
	// OtherEngines counts the merges that another version of the program validated: their
	// reports are not compared byte for byte, because its rules may have been others.
	OtherEngines int `json:"other_engines"`
	// Excepted are those among them that today's rules would not let pass, and that stand
	// because enough people signed for them.
	Excepted []Reservation `json:"excepted"`
	// Doubtful are the merges that a key carried while it was out of its owner's hands, as
	// its revocation says, and of which something is in force: still open, approved again by
	// other keys, or excepted.
	Doubtful []Relied `json:"doubtful"`
	// Reanchored are the commits by which the workspace went on under a new key, each of
	// which this user accepted by name.
	Reanchored []workspace.Reanchor `json:"reanchored"`
	// Reservations are approvals that count although something is missing: a sole
	// human who signed what they wrote, or fewer humans than the policies want.
	Reservations []Reservation `json:"reservations"`
	// Unrecorded are open proposals whose branches are not where their journals say, and
	// merged ones whose merge only main of the remote has.
	Unrecorded []Reservation `json:"unrecorded"`
	// Resolved are commits made past the gate that were adopted or taken back since.
	Resolved []attest.Unattested `json:"resolved"`
	// Witnesses are the checkpoints that were held against the record.
	Witnesses []Seen `json:"witnesses"`
	// Broken is the first thing that does not hold, or a break of main before that; nil when
	// everything holds. Others are what else was found on the way.
	Broken *Break  `json:"broken"`
	Others []Break `json:"others"`
}

// Reservation is something that people should know about a proposal.
type Reservation struct {
	Proposal string    `json:"proposal"`
	Commit   tree.Hash `json:"commit"`
	Note     string    `json:"note"`
}

// Break is a place where the record does not hold.
type Break struct {
	Rule string `json:"rule"`
	// Commit (on main, or of a journal) and Proposal that it is about, where there
	// are such.
	Commit   tree.Hash `json:"commit"`
	Proposal string    `json:"proposal"`
	// Refs that are damaged or missing.
	Refs []string `json:"refs"`
	// Reason is one sentence without a final stop; it may quote untrusted names.
	Reason string `json:"reason"`
	// Fix says what to do.
	Fix string `json:"fix"`
}

// findings are what a walk counts, and where the record does not hold.
type findings struct {
	// passes says of each break whether it is passed over. Nothing but a test sets it, to
	// ask what each rule is needed for.
	passes func(*Break) bool
	res    Result
}

// broken makes a break, nil when it is passed over.
func (v *findings) broken(rule, fix, format string, args ...any) *Break {
	b := &Break{Rule: rule, Fix: fix, Reason: fmt.Sprintf(format, args...), Refs: []string{}}
	if v.passes != nil && v.passes(b) {
		return nil
	}
	return b
}

func (b *Break) at(commit tree.Hash, proposal string, refs ...string) *Break {
	if b != nil {
		b.Commit, b.Proposal, b.Refs = commit, proposal, append(b.Refs, refs...)
	}
	return b
}
