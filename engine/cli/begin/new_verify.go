package begin

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
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

// unboxed is a machine that cannot isolate: nothing runs, and a check that needs to run a program
// reports why.
type unboxed struct{ why *sandbox.Refusal }

func (u unboxed) Run(context.Context, sandbox.Spec) (sandbox.Result, error) {
	return sandbox.Result{}, u.why
}

func (u unboxed) Start(context.Context, sandbox.Spec) (*sandbox.Process, error) { return nil, u.why }

func (unboxed) Protects() bool { return true }

// policiesHere returns the policies in force; outside a workspace all code is allowed.
func policiesHere(ctx context.Context, c *console.Console) (policy.Policies, error) {
	cur, err := c.Current(ctx)
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

// tryNew tries the new capability beside the existing ones. It can reach no host.
func tryNew(ctx context.Context, c *console.Console, o newOptions, p policy.Policies, edits []tree.Edit, beside tree.View) ([]prove.Check, error) {
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
	options := prove.Options{Runner: runner, Policies: p, Now: c.World.Now, Workers: runtime.GOMAXPROCS(0)}
	return options.Verify(ctx, v, dir, o.trigger, beside)
}

// verifyNew fails where something does not hold, or could not be tried here.
func verifyNew(ctx context.Context, c *console.Console, o newOptions, edits []tree.Edit, beside tree.View) ([]prove.Check, error) {
	p, err := policiesHere(ctx, c)
	if err != nil {
		return nil, err
	}
	if no := o.unadmitted(p); no != nil {
		return nil, console.Refused(no.Fix+"; without --verify it is written untried", "nothing was written: %s", no.Why)
	}
	checks, err := tryNew(ctx, c, o, p, edits, beside)
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		return nil, console.Refused(no.Fix+"; without --verify it is written untried", "nothing was written: code is tried in the sandbox only, and %s", no.Why)
	}
	if err != nil {
		return nil, err
	}
	for _, k := range checks {
		if k.Verdict == suite.Skip && k.What != prove.Found {
			return nil, &console.Failure{Code: console.ExitWorld, Err: fmt.Errorf("nothing was written: %s was not tried: %s", o.name, k.Says), Hint: "without --verify it is written untried"}
		}
	}
	return checks, held(o.name, "written", checks)
}

// held is an error where one of the checks fails.
func held(name, done string, checks []prove.Check) error {
	for _, k := range checks {
		if k.Verdict == suite.Fail {
			return &console.Failure{Code: console.ExitFindings, Err: fmt.Errorf("nothing was %s: %s does not hold: %s: %s", done, name, k.What, k.Says)}
		}
	}
	return nil
}

// proposeNew proposes the new capability; it never changes an existing file.
func proposeNew(ctx context.Context, c *console.Console, o newOptions, edits []tree.Edit) error {
	cur, err := c.Joined(ctx)
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
			return console.Refused("edit it, or choose another name", "%s is in force already; nothing was proposed", e.Path)
		}
	}
	r, err := console.Proposer(cur, o.agent, o.dryRun)
	if err != nil {
		return err
	}
	var notes []string
	if o.what != soulWord {
		if notes, err = verifiedNotes(ctx, c, o, cur, edits); err != nil {
			return err
		}
	}
	r.Edits, r.Proposal.Goal = edits, o.goal
	r.Origin = provenance.Origin{Way: provenance.Edit, Source: "assent new " + names.ShellWord(o.what), Digest: propose.DigestOf(edits)}
	out, err := propose.Open(ctx, cur.Workspace, r)
	if err != nil {
		return err
	}
	return output.PrintOutcome(c, cur.Workspace, out, notes, o.dryRun)
}

// unadmitted says why the policies let nothing like it run.
func (o newOptions) unadmitted(p policy.Policies) *tool.Unadmitted {
	if k := capability.Kind(o.what); k == capability.KindTool || k == capability.KindMCP {
		return tool.Admits(p, k)
	}
	return nil
}

// verifiedNotes lists the checks, or says why none ran.
func verifiedNotes(ctx context.Context, c *console.Console, o newOptions, cur workspace.Session, edits []tree.Edit) ([]string, error) {
	switch no := o.unadmitted(cur.Policies); {
	case no != nil && o.verify:
		return nil, console.Refused(no.Fix+"; without --verify it is proposed untried", "nothing was proposed: %s", no.Why)
	case no != nil:
		return []string{"not verified: " + no.Why + "; " + no.Fix}, nil
	}
	checks, err := tryNew(ctx, c, o, cur.Policies, edits, cur.View)
	var no *sandbox.Refusal
	switch {
	case errors.As(err, &no) && o.verify:
		return nil, console.Refused(no.Fix+"; without --verify it is proposed untried", "nothing was proposed: code is tried in the sandbox only, and %s", no.Why)
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

// printTried shows the checks.
func printTried(c *console.Console, checks []prove.Check) {
	var rows [][]string
	for _, k := range checks {
		rows = append(rows, []string{output.CaseVerdict(c, suite.Result{Verdict: k.Verdict, Required: true}), console.OneLine(k.What), console.OneLine(k.Says)})
	}
	c.Table(rows)
}
