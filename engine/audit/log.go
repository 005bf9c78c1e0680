package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Kind is the role of a commit on main.
type Kind string

// The kinds of commits on main.
const (
	// Genesis is the workspace's first commit.
	Genesis Kind = "genesis"
	// Merge is the merge of a proposal.
	Merge Kind = "merge"
	// Direct changes governed folders without the gate.
	Direct Kind = "direct"
	// Other changes nothing governed.
	Other Kind = "other"
	// Before stands for the history before the workspace's genesis.
	Before Kind = "before"
)

// Trailers in which a merge commit repeats its attestation for people.
const (
	agentTrailer    = "Assent-Agent"
	riskTrailer     = "Assent-Risk"
	reportTrailer   = "Assent-Report"
	approverTrailer = "Assent-Approved-By"
)

// Entry is one commit on main's first-parent line, for people. Risk and approvers come
// from its trailers, which only Verify checks.
type Entry struct {
	Commit    tree.Hash `json:"commit"`
	At        time.Time `json:"at"`
	Kind      Kind      `json:"kind"`
	Subject   string    `json:"subject"`
	Author    string    `json:"author"`
	Proposal  string    `json:"proposal"`
	Agent     string    `json:"agent"`
	Risk      string    `json:"risk"`
	Approvers []string  `json:"approvers"`
	InForce   bool      `json:"in_force"`
	// Made reports that the service made the merge and it was attested later.
	Made bool `json:"made_by_service"`
	// Why a commit is not in force.
	Why string `json:"why"`
}

// Log describes the newest commits of main that pick accepts (nil: all), newest first and
// at most limit (0: no bound).
func Log(ctx context.Context, cur workspace.Session, limit int, pick func(gitstore.Commit) (bool, error)) ([]Entry, error) {
	out := []Entry{}
	inForce, began := false, true
	err := cur.Repo.Lineage(cur.Main, func(c gitstore.Commit) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		inForce = inForce || c.Hash == cur.InForce
		admit, err := true, error(nil)
		if pick != nil {
			admit, err = pick(c)
		}
		if err == nil && admit {
			var e Entry
			e, err = describe(ctx, cur, c, began)
			e.InForce = inForce && began
			out = append(out, e)
		}
		if c.Hash == cur.Genesis {
			began = false
		}
		return err == nil && (limit == 0 || len(out) < limit), err
	})
	if err != nil {
		return nil, fmt.Errorf("read main's history: %w", err)
	}
	return out, nil
}

func describe(ctx context.Context, cur workspace.Session, c gitstore.Commit, began bool) (Entry, error) {
	e := Entry{Commit: c.Hash, At: c.Committer.When, Subject: c.Subject(), Author: c.Author.Name, Approvers: []string{}, Kind: Other}
	if i := slices.IndexFunc(cur.Blocked, func(b attest.Unattested) bool { return b.Commit == c.Hash }); i >= 0 {
		e.Why = cur.Blocked[i].Why
	}
	switch {
	case !began:
		e.Kind = Before
		return e, nil
	case c.Hash == cur.Genesis:
		e.Kind = Genesis
		return e, nil
	}
	governed, err := changesOf(cur.Repo, c, governedDirs()...)
	if gitstore.IsUnfit(err) {
		e.Kind = Direct // whatever it changes, no merge did
		return e, nil
	}
	if err != nil {
		return e, err
	}
	merged, err := announced(ctx, cur.Workspace, c, governed)
	switch {
	case err != nil:
		return e, err
	case merged.Proposal != "":
		e.Kind, e.Proposal, e.Made = Merge, merged.Proposal, merged.Afterwards()
		if e.Made {
			e.Risk, e.Approvers = merged.Risk.String(), append(e.Approvers, merged.Approvers...)
			break
		}
		e.Agent, e.Risk = c.Trailer(agentTrailer), c.Trailer(riskTrailer)
		for _, t := range c.Trailers() {
			if t.Key == approverTrailer {
				e.Approvers = append(e.Approvers, t.Value)
			}
		}
	case len(governed) > 0:
		e.Kind = Direct
	}
	return e, nil
}

// announced returns the attestation by which a commit merged the proposal that it names
// or introduces; the zero value if there is none. Anyone can write a trailer.
func announced(ctx context.Context, w *workspace.Workspace, c gitstore.Commit, governed []tree.Change) (attest.Attestation, error) {
	for _, id := range []string{attest.ProposalNamed(c), workspace.BroughtBy(governed)} {
		if id == "" {
			continue
		}
		pull, err := w.Record.Get(ctx, id)
		if err == nil && pull.Merge == c.Hash {
			return w.Attestation(ctx, pull)
		}
		var broken *forge.Damaged
		if err != nil && !errors.Is(err, forge.ErrNotFound) && !errors.As(err, &broken) {
			return attest.Attestation{}, err
		}
	}
	return attest.Attestation{}, nil
}

func governedDirs() []string {
	var out []string
	for _, a := range names.GovernedAreas() {
		out = append(out, string(a))
	}
	return out
}
