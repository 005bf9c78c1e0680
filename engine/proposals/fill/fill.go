package fill

import (
	"context"
	"runtime"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/drafter"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/workspace"
)

// email is the author address of drafters, who cannot approve.
const email = "drafter@agents.invalid"

// Options are the drafter, the actor, and the place to try the answer.
type Options struct {
	Drafter ask.Asker
	// Name is the drafter's: a program's, or a model and its host.
	Name    string
	Timeout time.Duration
	// By is the actor.
	By     forge.Actor
	DryRun bool
	// Say reports long operations.
	Say func(format string, args ...any)
}

// Outcome is the result. If Diagnostics have errors, or a check fails, the proposal is unchanged.
type Outcome struct {
	propose.Outcome
	Checks []prove.Check
}

// Refusal is the reason why nothing is drafted, and the remedy.
type Refusal struct{ Why, Fix string }

// Error is the reason.
func (r *Refusal) Error() string { return r.Why }

// Form is the required form of a drafter's answer.
func Form() ask.Form { return ask.Form{Instructions: drafter.Instructions, Most: drafter.MaxAnswer} }

// Run has an open proposal filled in. The error is a *Refusal, a *sandbox.Refusal, an error of
// propose.Extend (propose.ErrNothing if the answer changes nothing), or says that there is no
// answer.
func Run(ctx context.Context, cur workspace.Session, id string, o Options) (Outcome, error) {
	ex, err := cur.Examine(ctx, id)
	if err != nil {
		return Outcome{}, err
	}
	dir, err := o.may(cur, ex)
	if err != nil {
		return Outcome{}, err
	}
	trial, err := trialIn(ctx, cur)
	if err != nil {
		return Outcome{}, err
	}
	head := ex.Case.Pull.Head
	before, err := cur.See(head)
	if err != nil {
		return Outcome{}, err
	}
	was, err := template(before, dir)
	if err != nil {
		return Outcome{}, err
	}
	edits, diags, err := o.draft(ctx, trial, before, was, ex)
	if err != nil || diags.HasErrors() {
		return Outcome{Outcome: propose.Outcome{Diagnostics: diags}}, err
	}
	r := propose.Request{
		By: o.By, Author: gitstore.Person{Name: o.Name, Email: email, When: cur.Now()}, Tool: o.Name, Edits: edits, Upon: head, DryRun: true,
		Origin: provenance.Origin{Way: provenance.Edit, Source: "assent fill", Digest: propose.DigestOf(edits)},
	}
	out := Outcome{}
	if out.Outcome, err = propose.Extend(ctx, cur.Workspace, id, r); err != nil || out.Diagnostics.HasErrors() {
		return out, err
	}
	if err := o.judge(ctx, cur, trial, before, was, &out); err != nil || out.Diagnostics.HasErrors() || !held(out.Checks) {
		return out, err
	}
	if r.Edits, err = ready(before, was, cur.Policies.Security, edits, &out); err != nil {
		return out, err
	}
	r.Listed, r.Origin.Digest = out.Listed, propose.DigestOf(r.Edits)
	if out.Outcome, err = propose.Extend(ctx, cur.Workspace, id, r); err != nil || out.Diagnostics.HasErrors() || o.DryRun {
		return out, err
	}
	if !out.Examined.Report.Passed {
		out.Diagnostics.Add(out.Examined.Report.Diagnostics...)
		return out, nil
	}
	r.DryRun = false
	out.Outcome, err = propose.Extend(ctx, cur.Workspace, id, r)
	return out, err
}

// trialIn is how drafts are tried: as the policies let code run, but in the sandbox, and no host is reached.
func trialIn(ctx context.Context, cur workspace.Session) (prove.Options, error) {
	p := cur.Policies
	p.Security.Hosts = nil
	runner, err := cur.Sandbox(ctx)
	return prove.Options{Written: true, Runner: runner, Policies: p, Now: cur.Now, Workers: runtime.GOMAXPROCS(0)}, err
}

// judge holds the merge result with the draft, which no ref names yet, against the
// template, the gate's rules for content and the sandbox.
func (o Options) judge(ctx context.Context, cur workspace.Session, trial prove.Options, before tree.View, was capability.Capability, out *Outcome) error {
	after, err := cur.See(out.Pull.Head)
	if err != nil {
		return err
	}
	now, found, err := capability.Load(after, was.Path)
	if err != nil {
		return err
	}
	if !found.HasErrors() { // the report names unreadable files
		out.Diagnostics.Add(drafter.Check(before, after, was, now)...)
	}
	if !out.Examined.Report.Passed {
		out.Diagnostics.Add(out.Examined.Report.Diagnostics...)
	}
	if out.Diagnostics.HasErrors() {
		return nil
	}
	o.Say("trying what %s wrote", o.Name)
	out.Checks, err = trial.Verify(ctx, after, was.Path, "", cur.View)
	return err
}

// held reports whether everything was tried, and holds.
func held(checks []prove.Check) bool {
	for _, k := range checks {
		if k.Verdict != suite.Pass {
			return false
		}
	}
	return true
}
