package audit

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Result is the result of verifying a workspace's whole history.
type Result struct {
	Workspace tree.Hash `json:"workspace"`
	Main      tree.Hash `json:"main"`
	InForce   tree.Hash `json:"in_force"`
	// Commits counts those on main since genesis, including it; Merges those that merged
	// a proposal and were judged again.
	Commits int `json:"commits"`
	Merges  int `json:"merges"`
	// Journals counts those read, Reviews the signatures checked in them.
	Journals int `json:"journals"`
	Reviews  int `json:"reviews"`
	// ByTier counts the merges by risk.
	ByTier map[string]int `json:"by_tier"`
	// Signed and Unsigned count the merges by whether their attestations are signed.
	Signed   int `json:"signed"`
	Unsigned int `json:"unsigned"`
	// Unproven lists the merges without a signature.
	Unproven []Reservation `json:"unproven"`
	// OtherEngines counts the merges validated by another version of the program: their
	// reports are not compared byte for byte, because its rules may differ.
	OtherEngines int `json:"other_engines"`
	// Excepted are those among them that today's rules would refuse and that count
	// because enough people signed them.
	Excepted []Reservation `json:"excepted"`
	// Doubtful are the merges with effects in force that used a key while, according to
	// its revocation, it was out of its owner's control. They are open, approved again by
	// other keys, or excepted.
	Doubtful []Relied `json:"doubtful"`
	// Reanchored are the commits by which the workspace continued under a new key, each
	// accepted by name by this user.
	Reanchored []workspace.Reanchor `json:"reanchored"`
	// Reservations are approvals that count with a reservation: a sole human signed their
	// own change, or fewer humans approved than the policies require.
	Reservations []Reservation `json:"reservations"`
	// Unrecorded are open proposals whose branches differ from their journals, merged
	// ones whose merge is only on the remote's main, and, without a proposal, refs with
	// names that assent does not use.
	Unrecorded []Reservation `json:"unrecorded"`
	// Resolved are commits made past the gate that were later adopted or reverted.
	Resolved []attest.Unattested `json:"resolved"`
	// Witnesses are the checkpoints that were compared with the record.
	Witnesses []Seen `json:"witnesses"`
	// Broken is the first fault, or a break of main before it; nil if there is none.
	// Others are further faults found on the way.
	Broken *Break  `json:"broken"`
	Others []Break `json:"others"`
}

// Reservation is a remark about a proposal for people.
type Reservation struct {
	Proposal string    `json:"proposal"`
	Commit   tree.Hash `json:"commit"`
	Note     string    `json:"note"`
}

// Break is a place where the record is invalid.
type Break struct {
	Rule string `json:"rule"`
	// Commit (on main, or of a journal) and Proposal that are affected, if any.
	Commit   tree.Hash `json:"commit"`
	Proposal string    `json:"proposal"`
	// Refs that are damaged or missing.
	Refs []string `json:"refs"`
	// Reason is one sentence without a final stop; it may quote untrusted names.
	Reason string `json:"reason"`
	// Fix is what to do.
	Fix string `json:"fix"`
}

// findings collects counts and faults of a walk.
type findings struct {
	// passes reports whether to ignore a break. Only tests set it, to find out what each
	// rule is needed for.
	passes func(*Break) bool
	res    Result
}

// broken returns a break, nil if it is ignored.
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
