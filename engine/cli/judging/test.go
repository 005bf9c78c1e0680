package judging

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/machine"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

type testOptions struct {
	proposal string
	tags     []string
	repeat   int
	dryRun   bool
}

// maxRepeat bounds how often one case is run.
const maxRepeat = 100

func newTest(c *console.Console) *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [NAME... | ID]",
		Short: "Run the tests of capabilities, in the sandbox",
		Long: `Test runs the cases of a capability's tests.yaml, those of what it supersedes, and
those that its schema demands, in the sandbox, with made-up secrets. NAME is a capability
in force; without any, all that have code are tested. ID is an open proposal: what merging
it would bring is tested, and its new cases have to fail on what is in force; so are composed
tools in force that call it, of which what held has to hold. What came of it is recorded
beside the proposal, unless --tag chose a part; whoever merges runs them again.

The exit code is 0 if all is proven, 1 if a required case fails, a case passes only
sometimes, or nothing was shown, and 4 if this machine lacks what a case needs.`,
		Example: `  assent test
  assent test parse_csv --repeat 5
  assent test --tag smoke
  assent test better-csv --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("repeat") && (o.repeat < 1 || o.repeat > maxRepeat) {
				return console.Usage("--repeat %d: from 1 to %d", o.repeat, maxRepeat)
			}
			return runTest(cmd.Context(), c, o, args)
		},
	}
	cmd.Flags().StringVar(&o.proposal, "proposal", "", "test what this proposal would bring: an `ID`, also if a capability is called so")
	cmd.Flags().StringSliceVar(&o.tags, "tag", nil, "only the cases that carry one of these `TAGS`")
	cmd.Flags().IntVar(&o.repeat, "repeat", 0, "run each case `N` times, to find out what passes only sometimes (default 1, of a proposal what security.yaml asks for)")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "list the cases, but run nothing")
	cmd.AddCommand(newTestAdd(c))
	return cmd
}

func runTest(ctx context.Context, c *console.Console, o testOptions, args []string) error {
	if o.proposal != "" && len(args) > 0 {
		return console.Usage("give either --proposal or names")
	}
	found, err := testTargets(ctx, c, o, args)
	if err != nil {
		return err
	}
	if o.repeat == 0 {
		o.repeat = 1
		if asked := found.cur.Policies.Security.Tests; found.id != "" && len(asked.Required) > 0 {
			o.repeat = asked.Repeat
		}
	}
	plan, err := prove.Plan(found.targets, o.tags...)
	if err != nil {
		return err
	}
	if len(o.tags) > 0 {
		plan = slices.DeleteFunc(plan, func(p prove.Planned) bool { return len(p.Cases) == 0 && !p.Diagnostics.HasErrors() })
	}
	if !o.dryRun && (found.id != "" || len(args) > 0) {
		for _, p := range plan {
			if no := tool.Admits(found.cur.Policies, p.Capability.Kind); no != nil {
				return console.Refused(no.Fix, "no test is run, for %s: %s", p.Capability.Name, no.Why)
			}
		}
	}
	switch {
	case len(plan) == 0 && len(o.tags) > 0:
		return console.Usage("no case carries %s", strings.Join(o.tags, " or "))
	case o.dryRun || len(plan) == 0:
		return printPlans(c, found.id, plan)
	}
	options, err := testing(ctx, c, found.cur.ID(), found.cur.Policies, found.id != "", o.repeat)
	if err != nil {
		return err
	}
	options.Now = c.World.Now
	proofs, err := options.Run(ctx, plan)
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		return console.Refused(no.Fix, "nothing is tested: %s", no.Why)
	}
	if err != nil {
		return err
	}
	if found.ex != nil && len(o.tags) == 0 {
		if err := recordTests(ctx, c, found, o.repeat, proofs); err != nil {
			return err
		}
	}
	if found.id == "" && len(o.tags) == 0 {
		if err := noteTests(ctx, found.cur, o.repeat, proofs); err != nil { // they were run all the same
			c.Complain("%s not noted for assent health: %s", c.Style.Warn("warning:"), console.OneLine(err.Error()))
		}
	}
	return printTests(c, found.id, proofs)
}

// tested are the capabilities to test: in force, or brought by a proposal, with its id and
// examination.
type tested struct {
	cur     workspace.Session
	id      string
	ex      *workspace.Examined
	targets []prove.Target
}

// testTargets finds the capabilities to test, and their proposal.
func testTargets(ctx context.Context, c *console.Console, o testOptions, args []string) (tested, error) {
	var out tested
	var err error
	id := o.proposal
	if id == "" {
		if out.cur, err = c.Current(ctx); err != nil {
			return out, err
		}
		out.targets, err = targetsInForce(out.cur, args)
		if err == nil || len(args) != 1 {
			return out, err
		}
		if known, nerr := out.cur.View.Named(args[0]); nerr != nil || len(known) > 0 {
			return out, err
		}
		id = args[0]
	}
	find := c.Target // a complete result is recorded
	if o.dryRun || len(o.tags) > 0 {
		find = c.Shown
	}
	cur, pull, err := find(ctx, id)
	if errors.Is(err, forge.ErrNotFound) && o.proposal == "" {
		_, err = targetsInForce(cur, args)
	}
	if err != nil {
		return out, err
	}
	if o.proposal == "" {
		c.Progress("%s is not in force: this is what merging %s would bring", console.OneLine(id), pull.ID)
	}
	out.cur, out.cur, out.id = cur, cur, pull.ID
	out.ex, out.targets, err = targetsOf(ctx, cur, pull)
	return out, err
}

// targetsInForce are capabilities in force by name; without names, all with code.
func targetsInForce(cur workspace.Session, args []string) ([]prove.Target, error) {
	var out []prove.Target
	for _, name := range args {
		f, err := console.CapabilityNamed(cur, name)
		if err != nil {
			return nil, err
		}
		c, found, err := capability.Load(cur.View, f.Path)
		if err != nil {
			return nil, err
		}
		if !found.HasErrors() && !c.Callable() {
			return nil, console.Usage("%s of kind %s has no code that could be tested", c.Name, c.Kind)
		}
		out = append(out, prove.Target{View: cur.View, Path: f.Path})
	}
	if len(args) > 0 {
		return out, nil
	}
	folders, err := cur.Capabilities.Folders()
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		c, _, err := capability.Load(cur.View, f.Path)
		if err != nil {
			return nil, err
		}
		if c.Callable() {
			out = append(out, prove.Target{View: cur.View, Path: f.Path})
		}
	}
	return out, nil
}

// targetsOf are the capabilities with code that merging a proposal would add or change, and
// composed tools in force that call these.
func targetsOf(ctx context.Context, cur workspace.Session, pull forge.Pull) (*workspace.Examined, []prove.Target, error) {
	ex, err := cur.Examine(ctx, pull.ID)
	switch {
	case err != nil:
		return nil, nil, err
	case pull.State != forge.Open:
		return nil, nil, console.Refused("assent test NAME tests what is in force", "%s is not open any more", pull.ID)
	case len(ex.Result.Conflicts) > 0:
		return nil, nil, console.Refused("assent rebase "+names.ShellWord(pull.ID), "%s does not apply to main, so there is nothing to test", pull.ID)
	}
	after, err := cur.See(ex.Result.Tree)
	if err != nil {
		return nil, nil, err
	}
	var out []prove.Target
	for _, brought := range slices.Concat(ex.Report.Changes.Capabilities, ex.Report.Changes.Callers) {
		if brought.Op == policy.Removed {
			continue
		}
		c, _, err := capability.Load(after, brought.Path)
		if err != nil {
			return nil, nil, err
		}
		if c.Callable() {
			out = append(out, prove.Target{View: after, Path: brought.Path, Base: cur.View, Calls: brought.Calls})
		}
	}
	return &ex, out, nil
}

// testing returns the options to run tests here. It fails if nothing could be run safely: proposed
// code is isolated, even if the policy lets code run unprotected.
func testing(ctx context.Context, c *console.Console, id string, p policy.Policies, proposed bool, repeat int) (prove.Options, error) {
	home, err := keys.Home()
	if err != nil {
		return prove.Options{}, err
	}
	if proposed {
		p.Security.Sandbox = "required"
	}
	runner, err := sandbox.OrRefusing(machine.Sandbox(ctx, id, p))
	o := prove.Options{Runner: runner, Policies: p, Packages: filepath.Join(home, "packages"), Workers: runtime.GOMAXPROCS(0), Repeat: repeat}
	if c.Terminal() {
		o.Progress = func(done, total int) {
			if done < total && done%max(total/4, 1) == 0 {
				c.Progress("%d of %d runs", done, total)
			}
		}
	}
	return o, err
}

// noteTests records the results of tests in force as trials, as assent health --check does.
func noteTests(ctx context.Context, cur workspace.Session, repeat int, proofs []prove.Proof) error {
	k := quarantine.Keeper{W: cur.Workspace, Store: workspace.HealthOf(cur)}
	return k.Note(ctx, cur, proofs, repeat)
}

// recordTests keeps test results of a proposal: in its journal, for everyone, and here, so that a
// merge need not repeat them.
func recordTests(ctx context.Context, c *console.Console, found tested, repeat int, proofs []prove.Proof) error {
	subjects, err := prove.Of(found.cur, *found.ex)
	if err != nil {
		return err
	}
	home, err := keys.Home()
	if err != nil {
		return err
	}
	trials := prove.Trials(proofs, subjects, repeat)
	for _, t := range trials {
		if err := console.KeptTrials(home).Save(t); err != nil {
			c.Complain("%s", console.OneLine(err.Error()))
		}
	}
	return merge.RecordTests(ctx, found.cur, *found.ex, trials, c.World.Getenv("ASSENT_AGENT"))
}
