package fill

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/drafter"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// template reads the capability to fill in.
func template(v tool.View, dir string) (capability.Capability, error) {
	c, found, err := capability.Load(v, dir)
	switch {
	case err != nil:
		return c, err
	case found.HasErrors():
		return c, &Refusal{c.Name + " cannot be read", "fix it first: assent validate ID lists the findings"}
	case !c.Callable():
		return c, &Refusal{fmt.Sprintf("%s of kind %s cannot be tried, and a drafter's answer is accepted only after a trial", c.Name, c.Kind), "write it yourself: assent update ID"}
	}
	return c, nil
}

// draft asks, and reads the answer.
func (o Options) draft(ctx context.Context, trial prove.Options, v tool.View, c capability.Capability, ex workspace.Examined) ([]tree.Edit, diag.List, error) {
	methods, err := methods(ctx, trial, v, c)
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
		return nil, nil, fmt.Errorf("nothing was drafted by %s: %w", o.Name, err)
	}
	edits, diags := drafter.Read(answer, c.Path)
	return edits, diags, nil
}

// activate makes a capability in development active with a draft that passes, so that it can be
// called after the merge. A drafter's own change of the status is refused earlier.
func activate(v tool.View, c capability.Capability, edits []tree.Edit) ([]tree.Edit, error) {
	path := c.Path + "/" + capability.RecordFile
	if c.Record.Status != capability.Developing {
		return edits, nil
	}
	edits, i, err := editOf(v, path, edits)
	if err != nil {
		return nil, err
	}
	changed, ok := capability.SetStatus(edits[i].Content, capability.Active)
	if !ok {
		return nil, &Refusal{"the status in " + path + " cannot be edited", "write status: active there by hand: assent update ID"}
	}
	edits[i].Content = changed
	return edits, nil
}

// ready completes a draft that passed its checks, so that the gate asks for no more work by hand.
// It adds cases that show an effect, and sets the status with which the capability can be called.
// The status stays if no case shows an effect, or if the policies do not admit a host that it needs.
func ready(v tool.View, c capability.Capability, security policy.Security, edits []tree.Edit, out *Outcome) ([]tree.Edit, error) {
	edits, shown, err := show(v, c, edits, out.Checks)
	switch {
	case err != nil:
		return nil, err
	case !shown:
		out.Checks = append(out.Checks, prove.Check{What: "answers", Verdict: suite.Pass, Says: "no case shows that it does anything, so that it stays " + string(c.Record.Status)})
		return edits, nil
	case slices.ContainsFunc(c.Record.Requires.Hosts, func(h string) bool { return !security.AdmitsHost(h) }):
		return edits, nil
	}
	return activate(v, c, edits)
}

// show adds the calls that a server answered to its tests, as cases, if none of its own cases shows
// an effect. The gate asks for such a case, and makes none for a server. It reports whether there
// is one now.
func show(v tool.View, c capability.Capability, edits []tree.Edit, checks []prove.Check) ([]tree.Edit, bool, error) {
	if slices.ContainsFunc(checks, func(k prove.Check) bool { return k.Shows }) {
		return edits, true, nil
	}
	path, added := c.Path+"/"+capability.SuiteFile, false
	for _, k := range checks {
		if k.Case == nil {
			continue
		}
		now, i, err := editOf(v, path, edits)
		if err != nil {
			return nil, false, err
		}
		text, found, err := capability.AddCase(path, now[i].Content, *k.Case)
		if err == nil && found.HasErrors() {
			err = errors.New(found[0].String())
		}
		if err != nil {
			return nil, false, fmt.Errorf("add %q to %s: %w", k.Case.Name, path, err)
		}
		now[i].Content = text
		edits, added = now, true
	}
	return edits, added, nil
}

// editOf returns a copy of edits with an edit of the file, and its index. A new edit leaves the file
// unchanged.
func editOf(v tool.View, path string, edits []tree.Edit) ([]tree.Edit, int, error) {
	edits = slices.Clone(edits)
	if i := slices.IndexFunc(edits, func(e tree.Edit) bool { return e.Path == path }); i >= 0 {
		return edits, i, nil
	}
	src, err := v.Read(path)
	if err != nil && !errors.Is(err, tree.ErrNotExist) {
		return nil, 0, fmt.Errorf("read %s: %w", path, err)
	}
	return append(edits, tree.Edit{Path: path, Content: src, Mode: tree.Regular}), len(edits), nil
}

// methods are those of a server as its template has them; none of a tool.
func methods(ctx context.Context, trial prove.Options, v tool.View, c capability.Capability) ([]capability.Method, error) {
	if c.Kind != capability.KindMCP || c.Methods != nil {
		return c.Methods, nil
	}
	listed, ended, err := tool.NewTrial(v, trial.Policies, trial.Runner, trial.Now, "").Methods(ctx, c)
	if err == nil && ended.Ended != suite.Answered {
		err = errors.New(suite.Cause(ended))
	}
	if err != nil {
		return nil, fmt.Errorf("start the template of %s: %w", c.Name, err)
	}
	return listed, nil
}
