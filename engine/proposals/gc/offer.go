package gc

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// offer is a proposal that a finding leads to. Its id follows from title and evidence, so that all collecting
// processes agree, and that a rejected one is not opened again without new evidence. One that expired or
// was withdrawn is followed by another, whose id follows from its own.
type offer struct {
	Result
	title string
	// key is what the id follows from.
	key []string
	// subject is what a restore or conflict is about: one proposal for each is enough.
	subject string
	// marks are the evidence by which the finding is known again, if it does not follow from key: a closed proposal
	// that lacks one of them in its text settles nothing. content are the contents that it is about: a withdrawn
	// proposal about others settles nothing.
	marks   []string
	content string
	// ways are the ways to settle it by a proposal with this id; the first without a reason against it is proposed.
	ways func(id string) ([]request, error)
	// again says what it means that the proposal was merged and the finding is there.
	again string
}

// request is a proposal, or the reasons against it.
type request struct {
	propose.Request
	// Capability, Other and Path are those of the result.
	Capability, Other, Path string
	against, evidence       []string
}

// idAfter returns the id of the proposal that follows an earlier one; of the first, after "".
func (of offer) idAfter(earlier string) string {
	text := strings.Join(of.key, "\x00")
	if earlier != "" {
		text += "\x00after\x00" + earlier
	}
	sum := sha256.Sum256([]byte(text))
	return names.NewProposalID(of.title, [5]byte(sum[:5]))
}

// followers bounds the proposals in a row that are known as ones about a finding.
const followers = 50

// names reports whether a proposal's id is that of a proposal about the finding.
func (of offer) names(id string) bool {
	at := of.idAfter("")
	for range followers {
		if at == id {
			return true
		}
		at = of.idAfter(at)
	}
	return false
}

// knownFrom reports whether a closed proposal had the evidence of the finding.
func (of offer) knownFrom(pull forge.Pull) bool {
	lacks := func(mark string) bool { return !strings.Contains(pull.Body, mark) }
	return !slices.ContainsFunc(of.marks, lacks) && (pull.Why != string(proposal.Withdrawn) || !lacks(of.content))
}

// opener opens offers, each once.
type opener struct {
	w      *workspace.Workspace
	in     *propose.Intake
	dryRun bool
}

func (o opener) open(ctx context.Context, of offer, r *Result) error {
	id, err := o.due(ctx, of, r)
	if err != nil || id == "" {
		return err
	}
	ways, err := of.ways(id)
	if err != nil {
		return err
	}
	r.Outcome, r.Reasons = Kept, nil
	var evidence []string
	for _, req := range ways {
		r.Capability, r.Other, r.Path, evidence = req.Capability, req.Other, req.Path, req.evidence
		if len(req.against) > 0 {
			r.Reasons = append(r.Reasons, req.against...)
			continue
		}
		req.DryRun = true
		tried, err := o.in.Open(ctx, req.Request)
		if err != nil {
			return err
		}
		if report := tried.Examined.Report; tried.Diagnostics.HasErrors() || !report.Passed {
			r.Reasons = append(r.Reasons, append(faults(tried.Diagnostics), faults(report.Diagnostics)...)...)
			continue
		}
		r.Outcome, r.Proposal, r.Reasons = Would, id, evidence
		if o.dryRun {
			return nil
		}
		return o.propose(ctx, of, req.Request, r)
	}
	if of.Kind != "" { // the finding is there although nothing can be proposed
		r.Reasons = append(evidence, r.Reasons...)
	}
	return nil
}

func (o opener) propose(ctx context.Context, of offer, req propose.Request, r *Result) error {
	req.DryRun = false
	done, err := o.in.Open(ctx, req)
	switch {
	case errors.Is(err, forge.ErrExists): // another process was faster
		_, err = o.due(ctx, of, r)
		return err
	case err != nil:
		return err
	case done.Diagnostics.HasErrors():
		r.Outcome, r.Proposal, r.Reasons = Kept, "", faults(done.Diagnostics)
		return nil
	}
	r.Outcome = Proposed
	return nil
}

// due returns the id under which a finding is to be proposed now. If its proposal is open, or settled it,
// the id is empty, and r gets the proposal's state.
func (o opener) due(ctx context.Context, of offer, r *Result) (string, error) {
	for id := of.idAfter(""); ; id = of.idAfter(id) {
		pull, err := o.w.Forge.Get(ctx, id)
		switch {
		case errors.Is(err, forge.ErrNotFound):
			return id, nil
		case err != nil:
			return "", err
		case o.settles(pull, of, r):
			r.Proposal = id
			return "", nil
		}
	}
}

// settles puts the state of a proposal into r, and reports false if the finding may be proposed again: a
// proposal that expired or was withdrawn settles it only for as long as it would have waited.
func (o opener) settles(pull forge.Pull, of offer, r *Result) bool {
	cur := o.in.Session()
	again := pull.Updated.Add(cur.Policies.Limits.Expiry)
	switch {
	case pull.State == forge.Open:
		r.Outcome, r.Reasons = Open, []string{waits(pull)}
	case !of.knownFrom(pull):
		return false
	case pull.State == forge.Merged:
		r.Outcome, r.Reasons = Settled, []string{of.again}
	case pull.Why == string(proposal.Rejected):
		r.Outcome, r.Reasons = Settled, []string{fmt.Sprintf("the same was proposed before and was rejected; assent reopen %s asks again", names.ShellWord(pull.ID))}
	case cur.Now().Before(again):
		r.Outcome, r.Reasons = Settled, []string{fmt.Sprintf("the same was proposed before and was %s; it is proposed again from %s on, or by assent reopen %s", pull.Why, day(again), names.ShellWord(pull.ID))}
	default:
		return false
	}
	return true
}

func waits(p forge.Pull) string {
	return "it waits for a decision: assent why " + names.ShellWord(p.ID)
}

// faults are the errors of a list, in a line each.
func faults(ds diag.List) []string {
	var out []string
	for _, d := range ds {
		if d.Severity == diag.Error {
			out = append(out, strings.TrimSpace(d.Message+" ["+d.Rule+"]"))
		}
	}
	return slices.Compact(out)
}
