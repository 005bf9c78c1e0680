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
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

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
		return nil, nil, fmt.Errorf("nothing was drafted: ask %s: %w", o.Name, err)
	}
	edits, diags := drafter.Read(answer, c.Path)
	return edits, diags, nil
}

// activate makes what is developed active with a draft that holds, so that merging it lets it be
// called. A drafter's own change of the status is refused before.
func activate(v tool.View, c capability.Capability, edits []tree.Edit) ([]tree.Edit, error) {
	path := c.Path + "/" + capability.RecordFile
	if c.Record.Status != capability.Developing {
		return edits, nil
	}
	edits = slices.Clone(edits)
	i := slices.IndexFunc(edits, func(e tree.Edit) bool { return e.Path == path })
	if i < 0 {
		src, err := v.Read(path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		i, edits = len(edits), append(edits, tree.Edit{Path: path, Content: src, Mode: tree.Regular})
	}
	changed, ok := capability.SetStatus(edits[i].Content, capability.Active)
	if !ok {
		return nil, &Refusal{"the status in " + path + " cannot be edited", "write status: active there by hand: assent update ID"}
	}
	edits[i].Content = changed
	return edits, nil
}

// methods are those of a server as its template has them; none of a tool.
func methods(ctx context.Context, trial prove.Options, v tool.View, c capability.Capability) ([]drafter.Method, error) {
	if c.Kind != capability.KindMCP {
		return nil, nil
	}
	listed, ended, err := tool.NewTrial(v, trial.Policies, trial.Runner, trial.Now, "").Methods(ctx, c)
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
