package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/workspace"
)

// Kind says what a commit on main is to the record.
type Kind string

// The kinds of commits on main.
const (
	// Genesis begins the workspace.
	Genesis Kind = "genesis"
	// Merge brought a proposal.
	Merge Kind = "merge"
	// Direct changed governed folders past the gate.
	Direct Kind = "direct"
	// Other changes nothing that is governed.
	Other Kind = "other"
	// Before stands for history from before the workspace began.
	Before Kind = "before"
)

// What a merge commit repeats of its attestation, for people.
const (
	agentTrailer    = "Assent-Agent"
	riskTrailer     = "Assent-Risk"
	reportTrailer   = "Assent-Report"
	approverTrailer = "Assent-Approved-By"
)

// Entry is one commit on main's first-parent line, for people. Risk and approvers
// are repeated from its trailers: Verify finds out whether they are true.
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
	// Why a commit is not in force.
	Why string `json:"why"`
}

// Log describes the newest commits of main, newest first; those that pick admits
// (nil: all), and at most limit of them (0: no bound).
func Log(ctx context.Context, w *workspace.Workspace, cur workspace.Current, limit int, pick func(gitstore.Commit) (bool, error)) ([]Entry, error) {
	out := []Entry{}
	inForce, began := false, true
	err := w.Repo.FirstParents(cur.Main, func(c gitstore.Commit) (bool, error) {
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
			e, err = describe(ctx, w, cur, c, began)
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

func describe(ctx context.Context, w *workspace.Workspace, cur workspace.Current, c gitstore.Commit, began bool) (Entry, error) {
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
	governed, err := changesOf(w.Repo, c, governedDirs()...)
	if err != nil {
		return e, err
	}
	merged, err := announced(ctx, w, c)
	switch {
	case err != nil:
		return e, err
	case merged:
		e.Kind, e.Proposal, e.Agent = Merge, c.Trailer(attest.ProposalTrailer), c.Trailer(agentTrailer)
		e.Risk = c.Trailer(riskTrailer)
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

// announced reports whether the proposal that a commit names was merged by it:
// anybody can write a trailer.
func announced(ctx context.Context, w *workspace.Workspace, c gitstore.Commit) (bool, error) {
	id := c.Trailer(attest.ProposalTrailer)
	if id == "" || len(c.Parents) != 2 {
		return false, nil
	}
	pull, err := w.Record.Get(ctx, id)
	var broken *forge.Damaged
	if errors.Is(err, forge.ErrNotFound) || errors.As(err, &broken) {
		return false, nil
	}
	return pull.Merge == c.Hash, err
}

func governedDirs() []string {
	var out []string
	for _, a := range names.GovernedAreas() {
		out = append(out, string(a))
	}
	return out
}
