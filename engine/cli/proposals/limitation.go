package proposals

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/drafter"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/workspace"
)

// limitationOptions are the flags of propose for a capability that is missing.
type limitationOptions struct {
	text, missing, reason, drafter string
}

// noDrafter as --drafter means the template.
const noDrafter = "none"

func (o *limitationOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.text, "limitation", "", "propose the specification of a tool for what cannot be done today, as `TEXT`")
	cmd.Flags().StringVar(&o.missing, "missing", "", "with --limitation: the `NAME` of what is missing (default: of the text)")
	cmd.Flags().StringVarP(&o.reason, "reason", "m", "", "with --limitation: why nothing in force will do, as `TEXT`")
	cmd.Flags().StringVar(&o.drafter, "drafter", "", "with --limitation: the `COMMAND` that specifies it, or none for a template (default: drafter.yaml)")
	for _, other := range []string{"tool", "delete", "file", "files", "group"} {
		cmd.MarkFlagsMutuallyExclusive("limitation", other)
	}
}

// given reports whether a flag is set. It refuses flags that go with another one.
func (o *limitationOptions) given(cmd *cobra.Command, args []string) (bool, error) {
	changed := cmd.Flags().Changed
	if !changed("limitation") {
		for _, name := range []string{"missing", "reason", "drafter"} {
			if changed(name) {
				return false, console.Usage("--%s goes with --limitation", name)
			}
		}
		return false, nil
	}
	if len(args) > 0 {
		return false, console.Usage("--limitation makes the draft itself: leave out %s", args[0])
	}
	if strings.TrimSpace(o.text) == "" {
		return false, console.Usage("--limitation is empty: say what cannot be done today")
	}
	for _, text := range []string{o.text, o.missing, o.reason} {
		if len(text) > maxLimitation {
			return false, console.Usage("--limitation, --missing and --reason have at most %d bytes each", maxLimitation)
		}
		if shown := trial.Masked(text); shown != text {
			return false, console.Usage("leave the secret out, because a proposal is published: %s", console.OneLine(shown))
		}
	}
	return true, nil
}

// maxLimitation bounds each text about a limitation, in bytes.
const maxLimitation = 4000

// limitedJSON is the answer of propose --limitation.
type limitedJSON struct {
	Status     string         `json:"final_status"`
	ProposalID string         `json:"proposal_id"`
	Validation validationJSON `json:"validation"`
	// ScaffoldPath is the folder of the specification on the proposal's branch; empty where nothing was proposed.
	ScaffoldPath string `json:"scaffold_path"`
	Message      string `json:"message"`
	// DraftedBy is the drafter; empty for the template.
	DraftedBy    string   `json:"drafted_by,omitempty"`
	Alternatives []string `json:"alternatives"`
	// Proposal is what propose answers otherwise; absent where nothing was proposed.
	Proposal *output.Proposal `json:"proposal,omitempty"`
}

// validationJSON sums a proposal up for the program that proposed.
type validationJSON struct {
	Valid    bool     `json:"valid"`
	Errors   []string `json:"errors"`
	Warnings []string `json:"warnings"`
	// Action is approve, reject or manual_review.
	Action string `json:"action"`
}

func runLimitation(ctx context.Context, c *console.Console, o proposeOptions) error {
	cur, in, r, err := o.begin(ctx, c)
	if err != nil {
		return err
	}
	gap := gaps.Planned(cmp.Or(o.limited.missing, o.limited.text), o.limited.text, 0)
	notes, there, err := o.answered(ctx, in.Session(), gap)
	if err != nil {
		return err
	}
	d, by, found, err := o.limitation(ctx, c, in.Session(), gap, there)
	if err != nil {
		return err
	}
	known, err := in.Session().View.Named(d.Proposal.Capability)
	if err != nil {
		return err
	}
	found.Add(d.Taken(known)...)
	if by != "" {
		notes = append(notes, "specified by "+by)
	}
	out := propose.Outcome{Diagnostics: found}
	if !found.HasErrors() {
		r.Proposal, r.Edits, r.Tool = d.Proposal, d.Edits, cmp.Or(by, o.madeWith)
		r.Proposal.Goal = cmp.Or(o.goal, gap.Purpose)
		r.Origin = provenance.Origin{Way: provenance.Edit, Source: "assent propose --limitation", Digest: propose.DigestOf(d.Edits)}
		more, err := o.answer(in.Session(), &r)
		if err != nil {
			return err
		}
		notes = append(notes, more...)
		if out, err = in.Open(ctx, r); err != nil {
			return err
		}
		out.Diagnostics.Add(found...)
	}
	if !c.JSON {
		return output.PrintOutcome(c, cur.Workspace, out, notes, o.dryRun)
	}
	return emitLimited(c, cur.Workspace, out, d, by, notes, o.dryRun)
}

// answered refuses what is served already. It returns remarks, and capabilities in force that come near.
func (o proposeOptions) answered(ctx context.Context, cur workspace.Session, gap gaps.Gap) (notes []string, there []drafter.There, err error) {
	here, err := discover.Open(ctx, cur)
	if err != nil {
		return nil, nil, err
	}
	finder := answers.New(here, o.agent)
	a, err := finder.Answer(ctx, gap)
	if err != nil {
		return nil, nil, err
	}
	differs := slices.ContainsFunc(o.differs, func(text string) bool {
		name, _, _ := strings.Cut(text, "=")
		return names.Fold(strings.TrimSpace(name)) == names.Fold(a.Capability)
	})
	switch {
	case a.Status == answers.InForce && !differs:
		return nil, nil, console.Refused(a.Next+"; if it will not do: --differs-from "+a.Capability+"=HOW", "nothing was proposed: %s is in force", a.Capability)
	case a.Status == answers.Open:
		return nil, nil, console.Refused(a.Next, "nothing was proposed: %s is open", cmp.Or(a.Proposal, a.Run))
	case a.Status == answers.Archived && !differs:
		return nil, nil, console.Refused(a.Next+"; if it will not do: --differs-from "+a.Capability+"=HOW", "nothing was proposed: %s was archived", a.Capability)
	case a.Status == answers.Rejected:
		notes = append(notes, a.Proposal+" was rejected by "+a.By+": "+a.Reason)
	}
	near, err := finder.Near(ctx, gap)
	for _, m := range near {
		there = append(there, drafter.There{Name: m.Name, Description: m.Description})
	}
	return notes, there, err
}

// limitation asks the drafter, or fills in the template. by is the drafter's name.
func (o proposeOptions) limitation(ctx context.Context, c *console.Console, cur workspace.Session, gap gaps.Gap, there []drafter.There) (d proposal.Drafted, by string, found diag.List, err error) {
	q := drafter.Limitation{
		Task: drafter.LimitationInstructions, Goal: cmp.Or(o.goal, gap.Purpose), Limitation: o.limited.text, Missing: o.limited.missing, Reason: o.limited.reason,
		There: console.NonNil(there),
	}
	asked, by, most, err := o.asked(ctx, c, cur)
	if err != nil {
		return d, by, nil, err
	}
	if asked == nil {
		answer, err := q.Template(names.Callable(gap.Name))
		if err != nil {
			return d, "", nil, fmt.Errorf("fill in the template: %w", err)
		}
		d, found = drafter.ReadLimitation("--limitation", answer)
		return d, "", found, nil
	}
	c.Progress("asking %s to specify %s", console.OneLine(by), gap.Name)
	answer, err := asked.Ask(ctx, most, q)
	if err != nil {
		return d, by, nil, &console.Failure{
			Code: console.ExitWorld, Err: fmt.Errorf("nothing was proposed by %s: %w", by, err), Hint: "--drafter none proposes the template instead",
		}
	}
	d, found = drafter.ReadLimitation(by, answer)
	return d, by, found, nil
}

// usualTime is how long a drafter of the command line is waited for.
const usualTime = 5 * time.Minute

// asked returns the drafter; nil for the template.
func (o proposeOptions) asked(ctx context.Context, c *console.Console, cur workspace.Session) (ask.Asker, string, time.Duration, error) {
	form := ask.Form{Instructions: drafter.LimitationInstructions, Most: drafter.MaxAnswer}
	switch line := strings.TrimSpace(o.limited.drafter); line {
	case "":
	case noDrafter:
		return nil, "", 0, nil
	default:
		return form.Command(line), path.Base(strings.Fields(line)[0]), usualTime, nil
	}
	config, is, err := console.WhoIsAsked(advice.DrafterFile)
	if err != nil || !is || !config.For(cur.ID()) {
		return nil, "", 0, err
	}
	key, err := console.SecretIn(ctx, c, config.KeyFile)
	return form.Of(config, key), config.Asked(), config.Timeout, err
}

// emitLimited prints the JSON. What is refused ends with the exit code of propose.
func emitLimited(c *console.Console, w *workspace.Workspace, out propose.Outcome, d proposal.Drafted, by string, notes []string, dryRun bool) error {
	v := limitedJSON{Status: "requires_new_skill", DraftedBy: by, Alternatives: console.NonNil(d.Proposal.Alternatives)}
	diags, name := out.Diagnostics, cmp.Or(d.Proposal.Capability, "capability")
	var refusal error
	if !diags.HasErrors() {
		p := output.OutcomeOf(out, notes, dryRun)
		p.Share(w)
		v.Proposal, v.ScaffoldPath, diags, refusal = &p, path.Dir(d.Edits[0].Path), p.Diagnostics, p.Refusal()
		if !dryRun {
			v.ProposalID = p.ID
		}
	}
	v.Validation = validationJSON{Errors: []string{}, Warnings: []string{}, Action: "manual_review"}
	for _, found := range diags {
		switch found.Severity {
		case diag.Error:
			v.Validation.Errors = append(v.Validation.Errors, found.String())
		case diag.Warning:
			v.Validation.Warnings = append(v.Validation.Warnings, found.String())
		}
	}
	if refusal != nil && len(v.Validation.Errors) == 0 { // the content is sound, and not allowed
		v.Validation.Errors = v.Proposal.Reasons
	}
	v.Validation.Valid = v.Proposal != nil && refusal == nil
	switch {
	case !v.Validation.Valid:
		v.Validation.Action, v.Message = "reject", name+" is refused: "+strings.Join(v.Validation.Errors, "; ")
	case v.Proposal.State == string(proposal.Approved):
		v.Validation.Action, v.Message = "approve", name+" is proposed and may be merged"
	default:
		v.Message = name + " is proposed and needs a review"
	}
	if v.ProposalID != "" {
		v.Message += ": " + v.Proposal.Next
	}
	if err := c.Emit(v); err != nil {
		return err
	}
	if v.Proposal == nil {
		return console.Findings("nothing was proposed: the draft cannot stand as it is", diags)
	}
	return refusal
}
