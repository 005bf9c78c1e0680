package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// unboxed is a machine that cannot isolate: nothing runs, and why is said when
// something would have to.
type unboxed struct{ why *sandbox.Refusal }

func (u unboxed) Run(context.Context, sandbox.Spec) (sandbox.Result, error) {
	return sandbox.Result{}, u.why
}

func (u unboxed) Start(context.Context, sandbox.Spec) (*sandbox.Process, error) { return nil, u.why }

func (unboxed) Protects() bool { return true }

// policiesHere are those in force; where there is no workspace nobody forbids any code.
func (c *console) policiesHere(ctx context.Context) (policy.Policies, error) {
	cur, err := c.current(ctx)
	for _, none := range []error{gitstore.ErrNotRepository, attest.ErrNoGenesis, attest.ErrNoMain} {
		if errors.Is(err, none) {
			var free policy.Policies
			for _, k := range capability.Kinds() {
				free.Autonomy.Executables = append(free.Autonomy.Executables, string(k))
			}
			return free, nil
		}
	}
	return cur.Policies, err
}

// tryNew tries what is new beside what is there. No host is reached: none is admitted.
func (c *console) tryNew(ctx context.Context, o newOptions, p policy.Policies, edits []tree.Edit, beside tree.View) ([]prove.Check, error) {
	p.Security.Hosts = nil
	var runner sandbox.Runner
	var no *sandbox.Refusal
	runner, err := sandbox.New(ctx)
	if errors.As(err, &no) {
		runner, err = unboxed{no}, nil
	}
	if err != nil {
		return nil, err
	}
	m := tree.NewMap(edits...)
	dir := path.Dir(edits[0].Path)
	v := struct {
		*tree.Map
		capability.Namer
	}{m, capability.NamerOf(m)}
	options := prove.Options{Runner: runner, Policies: p, Now: c.world.Now, Workers: runtime.GOMAXPROCS(0)}
	return options.Verify(ctx, v, dir, o.trigger, beside)
}

// verifyNew fails where something does not hold, or could not be tried here.
func (c *console) verifyNew(ctx context.Context, o newOptions, edits []tree.Edit, beside tree.View) ([]prove.Check, error) {
	p, err := c.policiesHere(ctx)
	if err != nil {
		return nil, err
	}
	if no := o.unadmitted(p); no != nil {
		return nil, refused(no.Fix+"; without --verify it is written untried", "nothing was written: %s", no.Why)
	}
	checks, err := c.tryNew(ctx, o, p, edits, beside)
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		return nil, refused(no.Fix+"; without --verify it is written untried", "nothing was written: code is tried in the sandbox only, and %s", no.Why)
	}
	if err != nil {
		return nil, err
	}
	for _, k := range checks {
		if k.Verdict == suite.Skip && k.What != prove.Found {
			return nil, &failure{code: exitWorld, err: fmt.Errorf("nothing was written: %s was not tried: %s", o.name, k.Says), hint: "without --verify it is written untried"}
		}
	}
	return checks, held(o.name, "written", checks)
}

// held is an error where one of the checks fails.
func held(name, done string, checks []prove.Check) error {
	for _, k := range checks {
		if k.Verdict == suite.Fail {
			return &failure{code: exitFindings, err: fmt.Errorf("nothing was %s: %s does not hold: %s: %s", done, name, k.What, k.Says)}
		}
	}
	return nil
}

// proposeNew proposes what is new; a file that is there is never changed by it.
func (c *console) proposeNew(ctx context.Context, o newOptions, edits []tree.Edit) error {
	cur, err := c.joined(ctx)
	if err != nil {
		return err
	}
	if o.what != soulWord {
		known, err := cur.View.Named(o.name)
		if err != nil {
			return err
		}
		if len(known) > 0 {
			return nameTaken(o.name, known[0].Path)
		}
	}
	for _, e := range edits {
		there, err := tree.Exists(cur.View, e.Path)
		if err != nil {
			return err
		}
		if there {
			return refused("edit it, or choose another name", "%s is in force already; nothing was proposed", e.Path)
		}
	}
	r, err := c.proposer(cur, o.proposed.agent, o.dryRun)
	if err != nil {
		return err
	}
	var notes []string
	if o.what != soulWord {
		if notes, err = c.verifiedNotes(ctx, o, cur, edits); err != nil {
			return err
		}
	}
	r.Edits, r.Proposal.Goal = edits, o.proposed.goal
	r.Origin = provenance.Origin{Way: provenance.Edit, Source: "assent new " + o.what, Digest: propose.DigestOf(edits)}
	out, err := propose.Open(ctx, cur.Workspace, r)
	if err != nil {
		return err
	}
	return c.outcome(cur.Workspace, out, notes, o.dryRun)
}

// unadmitted says why the policies let nothing like it run.
func (o newOptions) unadmitted(p policy.Policies) *tool.Unadmitted {
	if k := capability.Kind(o.what); k == capability.KindTool || k == capability.KindMCP {
		return tool.Admits(p, k)
	}
	return nil
}

// verifiedNotes says what was tried, or why nothing was.
func (c *console) verifiedNotes(ctx context.Context, o newOptions, cur workspace.Session, edits []tree.Edit) ([]string, error) {
	switch no := o.unadmitted(cur.Policies); {
	case no != nil && o.verify:
		return nil, refused(no.Fix+"; without --verify it is proposed untried", "nothing was proposed: %s", no.Why)
	case no != nil:
		return []string{"not verified: " + no.Why + "; " + no.Fix}, nil
	}
	checks, err := c.tryNew(ctx, o, cur.Policies, edits, cur.View)
	var no *sandbox.Refusal
	switch {
	case errors.As(err, &no) && o.verify:
		return nil, refused(no.Fix+"; without --verify it is proposed untried", "nothing was proposed: code is tried in the sandbox only, and %s", no.Why)
	case errors.As(err, &no):
		return []string{"not verified: code is tried in the sandbox only, and " + no.Why}, nil
	case err != nil:
		return nil, err
	}
	var notes []string
	for _, k := range checks {
		word := "verified"
		if k.Verdict == suite.Skip {
			word = "not verified"
		}
		notes = append(notes, fmt.Sprintf("%s: %s: %s", word, k.What, k.Says))
	}
	return notes, held(o.name, "proposed", checks)
}

// triedNew shows what was looked at.
func (c *console) triedNew(checks []prove.Check) {
	var rows [][]string
	for _, k := range checks {
		rows = append(rows, []string{c.caseVerdict(suite.Result{Verdict: k.Verdict, Required: true}), oneLine(k.What), oneLine(k.Says)})
	}
	c.table(rows)
}
