package fill

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/assent-dev/assent/engine/ask"
	"github.com/assent-dev/assent/engine/capability"
	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/drafter"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/propose"
	"github.com/assent-dev/assent/engine/prove"
	"github.com/assent-dev/assent/engine/provenance"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/suite"
	"github.com/assent-dev/assent/engine/tool"
	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/workspace"
)

// email is the address of drafters as authors: they are nobody who could approve.
const email = "drafter@agents.invalid"

// Options are who is asked, by whom, and where the answer is tried.
type Options struct {
	Drafter ask.Asker
	// Name is the drafter's: a program's, or a model and its host.
	Name    string
	Timeout time.Duration
	// By is who acts; Runner isolates what is tried.
	By     forge.Actor
	Runner sandbox.Runner
	DryRun bool
	// Say tells what takes long.
	Say func(format string, args ...any)
}

// Outcome is what became of it. Where Diagnostics have errors, or a check fails, the
// proposal is as it was.
type Outcome struct {
	propose.Outcome
	Checks []prove.Check
}

// Refusal says why nothing is drafted, and what to do.
type Refusal struct{ Why, Fix string }

// Error is the reason.
func (r *Refusal) Error() string { return r.Why }

// Form is what the answer of a drafter is to be like.
func Form() ask.Form { return ask.Form{Instructions: drafter.Instructions, Most: drafter.MaxAnswer} }

// Run has an open proposal filled in. The error is a *Refusal, a *sandbox.Refusal, what
// propose.Extend answers (propose.ErrNothing where the answer changes nothing), or says that
// no answer could be had.
func Run(ctx context.Context, w *workspace.Workspace, cur workspace.Current, id string, o Options) (Outcome, error) {
	ex, err := w.Examine(ctx, cur, id)
	if err != nil {
		return Outcome{}, err
	}
	dir, err := o.may(cur, ex)
	if err != nil {
		return Outcome{}, err
	}
	head := ex.Case.Pull.Head
	before, err := w.See(cur, head)
	if err != nil {
		return Outcome{}, err
	}
	was, err := template(before, dir)
	if err != nil {
		return Outcome{}, err
	}
	edits, diags, err := o.draft(ctx, w, before, was, ex)
	if err != nil || diags.HasErrors() {
		return Outcome{Outcome: propose.Outcome{Diagnostics: diags}}, err
	}
	r := propose.Request{
		By: o.By, Author: gitstore.Person{Name: o.Name, Email: email, When: w.Now()}, Tool: o.Name, Edits: edits, Upon: head, DryRun: true,
		Origin: provenance.Origin{Way: provenance.Edit, Source: "assent fill", Digest: propose.DigestOf(edits)},
	}
	out := Outcome{}
	if out.Outcome, err = propose.Extend(ctx, w, id, r); err != nil || out.Diagnostics.HasErrors() {
		return out, err
	}
	if err := o.judge(ctx, w, cur, before, was, &out); err != nil || out.Diagnostics.HasErrors() || !held(out.Checks) || o.DryRun {
		return out, err
	}
	r.DryRun = false
	out.Outcome, err = propose.Extend(ctx, w, id, r)
	return out, err
}

// template reads what is to be filled in.
func template(v tool.View, dir string) (capability.Capability, error) {
	c, found, err := capability.Load(v, dir)
	switch {
	case err != nil:
		return c, err
	case found.HasErrors():
		return c, &Refusal{"what there is of " + c.Name + " does not read", "mend it first: assent validate ID tells what is wrong"}
	case !c.Callable():
		return c, &Refusal{fmt.Sprintf("%s of kind %s has nothing that could be tried, and a drafter's text is taken for no more than its code does", c.Name, c.Kind), "write it yourself: assent update ID"}
	}
	return c, nil
}

// draft asks, and reads the answer.
func (o Options) draft(ctx context.Context, w *workspace.Workspace, v tool.View, c capability.Capability, ex workspace.Examined) ([]tree.Edit, diag.List, error) {
	methods, err := o.methods(ctx, w, v, c)
	if err != nil {
		return nil, nil, err
	}
	q, err := drafter.Ask(v, c, methods)
	if err != nil {
		return nil, nil, err //nolint:wrapcheck // it is a sentence
	}
	q.Proposal, q.Goal, q.Why = ex.Case.Pull.ID, ex.Case.Proposal.Goal, ex.Case.Proposal.Body
	o.Say("asking %s to fill in %s", o.Name, c.Name)
	answer, err := o.Drafter.Ask(ctx, o.Timeout, q)
	if err != nil {
		return nil, nil, fmt.Errorf("nothing was drafted: ask %s: %w", o.Name, err)
	}
	edits, diags := drafter.Read(answer, c.Path)
	return edits, diags, nil
}

// methods are those of a server as its template has them; none of a tool.
func (o Options) methods(ctx context.Context, w *workspace.Workspace, v tool.View, c capability.Capability) ([]drafter.Method, error) {
	if c.Kind != capability.KindMCP {
		return nil, nil
	}
	listed, ended, err := tool.NewTrial(v, policy.Policies{}, o.Runner, w.Now, "").Methods(ctx, c)
	if err == nil && ended.Ended != suite.Answered {
		err = errors.New(suite.Cause(ended))
	}
	if err != nil {
		return nil, fmt.Errorf("start the template of %s: %w", c.Name, err)
	}
	var out []drafter.Method
	for _, m := range listed {
		out = append(out, drafter.Method{Name: m.Name, Description: m.Description, Input: m.Input})
	}
	return out, nil
}

// trial is how drafts are tried: without policies, so that no host is reached.
func (o Options) trial(w *workspace.Workspace) prove.Options {
	return prove.Options{Runner: o.Runner, Now: w.Now, Workers: runtime.GOMAXPROCS(0)}
}

// judge holds the merge result with the draft, which no ref names yet, against the
// template, the gate's rules for content and the sandbox.
func (o Options) judge(ctx context.Context, w *workspace.Workspace, cur workspace.Current, before tree.View, was capability.Capability, out *Outcome) error {
	after, err := w.See(cur, out.Pull.Head)
	if err != nil {
		return err
	}
	now, found, err := capability.Load(after, was.Path)
	if err != nil {
		return err
	}
	if !found.HasErrors() { // what does not read is told by the report
		out.Diagnostics.Add(drafter.Check(before, after, was, now)...)
	}
	if !out.Examined.Report.Passed {
		out.Diagnostics.Add(out.Examined.Report.Diagnostics...)
	}
	if out.Diagnostics.HasErrors() {
		return nil
	}
	o.Say("trying what %s wrote", o.Name)
	out.Checks, err = o.trial(w).Verify(ctx, after, was.Path, "", cur.View)
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
