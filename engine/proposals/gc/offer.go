package gc

import (
	"context"
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
	propose.Finding
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

// knownFrom reports whether a closed proposal had the evidence of the finding.
func (of offer) knownFrom(pull forge.Pull) bool {
	lacks := func(mark string) bool { return !strings.Contains(pull.Body, mark) }
	return !slices.ContainsFunc(of.marks, lacks) && (pull.Why != string(proposal.Withdrawn) || !lacks(of.content))
}

// opener opens offers, each once. A dry run makes the same decisions: it refuses beside what it would have opened, and
// sees closed what it would have withdrawn.
type opener struct {
	w      *workspace.Workspace
	in     *propose.Intake
	dryRun bool
	gone   map[string]bool
	// own are the open proposals of this package, of any engine.
	own map[string]bool
}

// imagined shows the proposals closed that a dry run would have withdrawn.
type imagined struct {
	forge.Forge
	opener
}

// Get returns a proposal.
func (i imagined) Get(ctx context.Context, id string) (forge.Pull, error) {
	p, err := i.Forge.Get(ctx, id)
	if i.gone[id] {
		p.State, p.Why, p.Updated = forge.Closed, string(proposal.Withdrawn), i.in.Session().Now()
	}
	return p, err //nolint:wrapcheck // the forge's own
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
		req.DryRun, req.Own = true, o.own
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
			o.in.Pretend(tried.Pull)
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
		if id, err := o.due(ctx, of, r); err != nil || id == "" {
			return err
		}
		r.Outcome, r.Proposal, r.Reasons = Kept, "", []string{"another process proposes it now"}
		return nil
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
	cur := o.in.Session()
	of.Known = of.knownFrom
	id, pull, err := propose.Standing(ctx, cur, imagined{o.w.Forge, o}, of.Finding)
	var taken *propose.Taken
	switch again := pull.Updated.Add(cur.Policies.Limits.Expiry); {
	case errors.As(err, &taken):
		r.Outcome, r.Reasons = Kept, []string{taken.Error()}
		return "", nil
	case err != nil || pull.ID == "":
		return id, err
	case pull.State == forge.Open:
		r.Outcome, r.Reasons = Open, []string{waits(pull)}
	case pull.State == forge.Merged:
		r.Outcome, r.Reasons = Settled, []string{of.again}
	case pull.Why == string(proposal.Rejected):
		r.Outcome, r.Reasons = Settled, []string{fmt.Sprintf("the same was proposed before and was rejected; assent reopen %s asks again", names.ShellWord(pull.ID))}
	default:
		r.Outcome, r.Reasons = Settled, []string{fmt.Sprintf("the same was proposed before and was %s; it is proposed again from %s on, or by assent reopen %s", pull.Why, day(again), names.ShellWord(pull.ID))}
	}
	r.Proposal = id
	return "", nil
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
