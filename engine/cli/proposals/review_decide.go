package proposals

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// reviewedJSON is a proposal after a decision on it.
type reviewedJSON struct {
	output.Proposal
	By     string `json:"by"`
	Counts bool   `json:"counts"`
	Note   string `json:"note"`
}

// reviewsJSON is the answer about several proposals.
type reviewsJSON[T any] struct {
	Reviews []T `json:"reviews"`
}

// reviewer signs decisions with one key.
type reviewer struct {
	c      *console.Console
	cur    workspace.Session
	signer *keys.Signer
	dryRun bool
}

// decide signs and files one decision.
func (r reviewer) decide(ctx context.Context, d approve.Decision) (out reviewedJSON, err error) {
	if !r.dryRun {
		if err := propose.TakeOwn(ctx, r.cur, console.Acting(r.c, r.cur), d.Proposal); err != nil {
			return out, err
		}
	}
	d.Signer, d.DryRun = r.signer, r.dryRun
	given, err := approve.Run(ctx, r.cur.Workspace, d)
	if err != nil {
		return out, notSigned(d.Proposal, err)
	}
	v := output.ProposalOf(given.Examined)
	if err := errors.Join(v.NameWeak(r.cur, given.Examined), v.NameMaker(r.cur)); err != nil {
		return out, err
	}
	v.DryRun = r.dryRun
	v.Share(r.cur.Workspace)
	return reviewedJSON{v, given.By.Name, given.Counts, given.Note}, nil
}

// notSigned says what to do about a decision that could not be signed.
func notSigned(id string, err error) error {
	var unlisted *approve.NotListed
	var failing *approve.Failing
	var nothing *approve.Nothing
	switch {
	case errors.As(err, &unlisted):
		return console.Refused("assent keys lists the keys that count", "%s", err)
	case errors.As(err, &failing):
		return console.Refused("assent show "+names.ShellWord(id)+" lists the findings", "%s", err)
	case errors.As(err, &nothing):
		return console.Refused("assent why "+names.ShellWord(id)+" shows whose decisions count", "%s", err)
	}
	return console.Stale(err)
}

func (r reviewer) print(out reviewedJSON, d review.Decision) {
	c := r.c
	verb, signed := map[review.Decision]string{review.Approve: "approves", review.Reject: "rejects", review.RequestChanges: "requests changes to", review.Revoke: "revokes the decision on"}[d], "signed"
	if r.dryRun {
		c.Printf("%s\n", c.Style.Warn("dry run: nothing is signed"))
		signed = "would be signed"
	}
	c.Printf("%s %s %s, %s with %s\n", c.Style.Bold(console.OneLine(out.By)), verb, console.OneLine(out.ID), signed, r.signer.Fingerprint())
	if out.Note != "" {
		c.Printf("%s\n", c.Style.Warn(console.OneLine(out.Note)))
	}
	output.PrintProposal(c, out.Proposal)
}

// refusals collects the decisions that were not signed, of several.
type refusals struct {
	of    int
	lines []string
	first error
}

// add keeps a refusal of one of several proposals; it returns every other error.
func (r *refusals) add(id string, err error) error {
	if err == nil || r.of == 1 || console.Classify(err).Code != console.ExitRefused {
		return err
	}
	if r.first == nil {
		r.first = err
	}
	r.lines = append(r.lines, id+": "+console.Sentence(err))
	return nil
}

// failure is the error about all of them; nil without any.
func (r *refusals) failure() error {
	if r.first == nil {
		return nil
	}
	return console.Refused(console.Classify(r.first).Hint, "%s", fmt.Sprintf("%d of %d were not signed:\n", len(r.lines), r.of)+strings.Join(r.lines, "\n"))
}
