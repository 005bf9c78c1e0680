package judging

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

type testAddOptions struct {
	from, name, expect, fails string
	agent, goal               string
	succeeds, dryRun          bool
}

func newTestAdd(c *console.Console) *cobra.Command {
	var o testAddOptions
	cmd := &cobra.Command{
		Use:   "add NAME --from ID|FILE",
		Short: "Propose that a call which failed becomes a test for good",
		Long: `Add proposes a new case for the tests of a capability in force: what a call that ran and
failed was made with, and what should have come of it. --from is the failure that run-tool
named, "last" for the newest one here, or a file: what run-tool --json printed, or any JSON
object with an input.

The case fails until the capability is repaired. The repair goes into the same proposal:
assent update ID --files DIR, with a folder laid out like the workspace.`,
		Example: `  assent test add parse_csv --from last --expect '{"rows": 2}'
  assent test add parse_csv --from 3f2a9c1b7d20 --error "no header"
  assent test add parse_csv --from failed.json --succeeds --agent scout`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTestAdd(cmd.Context(), c, o, args[0], cmd.Flags().Changed("expect"))
		},
	}
	cmd.Flags().StringVar(&o.from, "from", "", "the failure: its `ID`, last, or a file with one")
	cmd.Flags().StringVar(&o.expect, "expect", "", "the answer that it should have given, as `JSON`")
	cmd.Flags().StringVar(&o.fails, "error", "", "it should have failed, with this `TEXT` in its error")
	cmd.Flags().BoolVar(&o.succeeds, "succeeds", false, "it should have answered, whatever the answer is")
	cmd.Flags().StringVar(&o.name, "name", "", "what the case shows, as `TEXT` (default: how the call failed)")
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().StringVar(&o.goal, "goal", "", "what it is for, in one `LINE`")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "validate and judge, but write nothing")
	return cmd
}

func runTestAdd(ctx context.Context, c *console.Console, o testAddOptions, name string, expects bool) error {
	given := 0
	for _, one := range []bool{expects, o.fails != "", o.succeeds} {
		if one {
			given++
		}
	}
	switch {
	case o.from == "":
		return console.Usage("--from is missing: the ID that run-tool named, last, or a FILE")
	case given != 1:
		return console.Usage("say what should have come of the call: one of --expect JSON, --error TEXT and --succeeds")
	}
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	f, err := console.CapabilityNamed(cur, name)
	if err != nil {
		return err
	}
	what, _, err := capability.Load(cur.View, f.Path)
	if err != nil {
		return err
	}
	if !what.Callable() {
		return console.Usage("%s of kind %s has no code that could be tested", what.Name, what.Kind)
	}
	failure, err := failureFrom(ctx, c, cur, what, o.from)
	if err != nil {
		return err
	}
	made, err := o.newCase(what, failure, expects)
	if err != nil {
		return err
	}
	r, err := console.Proposer(cur, o.agent, o.dryRun)
	if err != nil {
		return err
	}
	edit, err := addedCase(cur, what, made)
	if err != nil {
		return err
	}
	r.Edits = []tree.Edit{edit}
	r.Proposal.Goal = o.goal
	if o.goal == "" {
		r.Proposal.Goal = "test " + what.Name + ": " + made.Name
	}
	r.Origin = provenance.Origin{Way: provenance.Edit}
	out, err := propose.Open(ctx, cur.Workspace, r)
	if err != nil {
		return err
	}
	return output.PrintOutcome(c, cur.Workspace, out, []string{"the case fails until " + what.Name + " is repaired: assent update " + names.ShellWord(cmp.Or(out.Pull.ID, "ID")) + " --files DIR adds the repair to the proposal"}, o.dryRun)
}

// newCase is the case that a failure becomes.
func (o testAddOptions) newCase(what capability.Capability, f calls.Failure, expects bool) (capability.NewCase, error) {
	input, err := plainOf(f.Input)
	if err != nil {
		return capability.NewCase{}, console.Usage("the input of the failure is no JSON: %v", err)
	}
	if _, object := input.(map[string]any); !object {
		return capability.NewCase{}, console.Usage("the input of the failure is no object")
	}
	if f.Method != "" {
		input = map[string]any{"method": f.Method, "input": input}
	}
	out := capability.NewCase{Name: o.name, Input: input, Tags: []string{capability.TagRegression, capability.TagProduction}, Reason: console.OneLine(f.Error)}
	switch {
	case o.succeeds:
		out.Expect = map[string]any{"succeeds": true}
	case o.fails != "":
		out.Expect = map[string]any{"error": o.fails}
	case expects:
		answer, err := plainOf([]byte(o.expect))
		if err != nil {
			return out, console.Usage("--expect is no JSON: %v; a text needs quotation marks of its own, '\"text\"'", err)
		}
		out.Expect = map[string]any{"equals": answer}
	}
	if out.Name == "" {
		out.Name = defaultCase(what, f)
	}
	return out, nil
}

// defaultCase names a case by how the call failed, and differently from those there are.
func defaultCase(what capability.Capability, f calls.Failure) string {
	const most = 100
	name := "failed in use"
	if f.Error != "" {
		name += ": " + console.OneLine(f.Error)
	}
	if r := []rune(name); len(r) > most {
		name = string(r[:most-1]) + "…"
	}
	taken := func(name string) bool {
		for _, c := range what.Suite.Cases {
			if c.Name == name {
				return true
			}
		}
		return false
	}
	out := name
	for n := 2; taken(out); n++ {
		out = fmt.Sprintf("%s (%d)", name, n)
	}
	return out
}

// addedCase is the edit that adds a case to a capability's tests.
func addedCase(cur workspace.Session, what capability.Capability, made capability.NewCase) (tree.Edit, error) {
	file := tree.Join(what.Path, capability.SuiteFile)
	src, err := cur.View.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		src, err = nil, nil
	}
	if err != nil {
		return tree.Edit{}, fmt.Errorf("read %s: %w", file, err)
	}
	out, found, err := capability.AddCase(file, src, made)
	switch {
	case err != nil:
		return tree.Edit{}, console.Refused("assent cat "+names.ShellWord(what.Name)+"/"+capability.SuiteFile+" shows it", "nothing was proposed: %s: %v", file, err)
	case found.HasErrors():
		return tree.Edit{}, console.Findings("nothing was proposed: the case cannot stand as it is", found)
	}
	return tree.Edit{Path: file, Mode: tree.Regular, Content: out}, nil
}

// failureFrom finds the failure named by --from: one kept here, or else a file.
func failureFrom(ctx context.Context, c *console.Console, cur workspace.Session, what capability.Capability, from string) (calls.Failure, error) {
	home, err := keys.Home()
	if err != nil {
		return calls.Failure{}, err
	}
	f, err := calls.NewFailures(home, cur.ID()).Find(what.Name, from)
	if err == nil || !errors.Is(err, calls.ErrNoFailure) {
		return f, err
	}
	if from == calls.LastFailure {
		return f, console.Usage("no call of %s that ran and failed is kept here: name a FILE with its input", what.Name)
	}
	data, err := console.ReadBounded(ctx, c, from, tool.MaxInput+calls.MaxInput)
	if err != nil {
		return f, console.Usage("%q is neither a failure of %s that is kept here nor a file that can be read", from, what.Name)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, console.Usage("%s is no JSON object with an input: %v", from, err)
	}
	switch {
	case len(f.Input) == 0:
		return f, console.Usage("%s has no input: it has to be what a failed run-tool --json printed, or {\"input\": {…}}", from)
	case len(f.Input) > calls.MaxInput:
		return f, console.Usage("the input in %s has more than %d bytes: make it smaller first", from, calls.MaxInput)
	case f.Tool != "" && f.Tool != what.Name:
		return f, console.Usage("%s is of %s, not of %s", from, f.Tool, what.Name)
	}
	return f, nil
}

// plainOf reads one JSON value.
func plainOf(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err //nolint:wrapcheck // the caller names the file
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one value")
	}
	return capability.PlainNumbers(v), nil
}
