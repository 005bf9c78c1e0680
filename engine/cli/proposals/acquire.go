package proposals

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/acquire"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// acquireOptions are the flags of propose for a tool that begins as one file.
type acquireOptions struct {
	tool, code, payload, schema, description string
}

// acquireFlags are the names of these flags.
var acquireFlags = []string{"tool", "code", "payload", "schema", "description"}

func (o *acquireOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.tool, "tool", "", "propose a tool of this `NAME`, made of one file of code that is tried first")
	cmd.Flags().StringVar(&o.code, "code", "", "the tool's code: a `FILE` that ends in .py, .sh or .js")
	cmd.Flags().StringVar(&o.payload, "payload", "", "call the tool with this object, as `JSON`, @FILE, or - for standard input; it becomes the first test")
	cmd.Flags().StringVar(&o.schema, "schema", "", "the JSON Schema of what the tool takes: a `FILE`")
	cmd.Flags().StringVar(&o.description, "description", "", "what the tool does and when to use it, as `TEXT` (default: the schema's description)")
}

func (o acquireOptions) given(cmd *cobra.Command) bool {
	for _, name := range acquireFlags {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// check refuses a command line that says too little, or two things.
func (o proposeOptions) checkAcquire() error {
	a := o.acquired
	for _, f := range []struct{ name, value string }{{"tool", a.tool}, {"code", a.code}, {"payload", a.payload}, {"schema", a.schema}} {
		if f.value == "" {
			return console.Usage("--%s is missing: a tool is proposed with --tool NAME --code FILE --payload JSON --schema FILE", f.name)
		}
	}
	if o.source != "" || o.draft != "" || len(o.files) > 0 {
		return console.Usage("--tool makes the folder of the tool itself: leave out draft, files and folder")
	}
	return nil
}

// begin begins a proposal whose content is yet to be made, and refuses it early where the proposer has as many
// as the limits admit.
func (o proposeOptions) begin(ctx context.Context, c *console.Console) (cur workspace.Session, in *propose.Intake, r propose.Request, err error) {
	if cur, err = c.Joined(ctx); err != nil {
		return cur, in, r, err
	}
	if in, err = propose.Begin(ctx, cur.Workspace); err != nil {
		return cur, in, r, err
	}
	if r, err = console.Proposer(in.Session(), o.agent, o.dryRun); err != nil {
		return cur, in, r, err
	}
	if full := in.Full(ctx, r); full.HasErrors() {
		err = console.Findings("nothing was proposed: the change cannot stand as it is", full)
	}
	return cur, in, r, err
}

// runAcquire proposes a tool if its code answers the payload.
func runAcquire(ctx context.Context, c *console.Console, o proposeOptions) error {
	if err := o.checkAcquire(); err != nil {
		return err
	}
	cur, in, r, err := o.begin(ctx, c)
	if err != nil {
		return err
	}
	made, notes, err := acquireTool(ctx, c, cur.Workspace, in, o)
	if err != nil {
		return err
	}
	r.Edits, r.Tool = made.Edits, o.madeWith
	r.Proposal.Goal = o.goal
	r.Origin = provenance.Origin{Way: provenance.Edit, Source: filepath.Base(o.acquired.code), Digest: propose.DigestOf(made.Edits)}
	more, err := o.answer(in.Session(), &r)
	if err != nil {
		return err
	}
	out, err := in.Open(ctx, r)
	if err != nil {
		return err
	}
	return output.PrintOutcome(c, cur.Workspace, out, append(notes, more...), o.dryRun)
}

// acquireTool tries the code. Proposed code is isolated, even if the policy lets code run
// unprotected.
func acquireTool(ctx context.Context, c *console.Console, w *workspace.Workspace, in *propose.Intake, o proposeOptions) (acquire.Result, []string, error) {
	cur := in.Session()
	if no := tool.Admits(cur.Policies, capability.KindTool); no != nil {
		return acquire.Result{}, nil, console.Refused(no.Fix, "nothing was proposed: %s", no.Why)
	}
	offer, err := readOffer(ctx, c, o, cur.Policies.Limits.FileBytes)
	if err != nil {
		return acquire.Result{}, nil, err
	}
	bench := acquire.Bench{
		Box:      cur.Sandbox,
		Policies: cur.Policies, Now: w.Now, Known: cur.View,
		Same: func(a capability.Acquired) (string, error) { return acquire.Same(cur, in.Pulls(), a) },
	}
	made, diags, err := bench.Try(ctx, offer)
	var no *sandbox.Refusal
	var missing *sandbox.Missing
	switch {
	case errors.As(err, &no):
		return made, nil, console.Refused(no.Fix, "nothing was proposed: code is tried in the sandbox only, and %s", no.Why)
	case errors.As(err, &missing):
		return made, nil, fmt.Errorf("try the code: %w", missing)
	case err != nil:
		return made, nil, err
	case diags.HasErrors():
		return made, nil, console.Findings("nothing was proposed: the tool does not pass", diags)
	}
	var notes []string
	if len(made.Taken) > 0 {
		notes = append(notes, "the code did not parse as it came; taken off: "+strings.Join(made.Taken, ", "))
	}
	return made, append(notes, made.Notes...), nil
}

// readOffer reads the files named on the command line.
func readOffer(ctx context.Context, c *console.Console, o proposeOptions, limit int64) (acquire.Offer, error) {
	a := o.acquired
	out := acquire.Offer{Name: a.tool, Group: o.group, Description: a.description, File: a.code, SchemaFile: a.schema}
	var err error
	if out.Code, err = console.ReadBounded(ctx, c, a.code, limit); err != nil {
		return out, err
	}
	if out.Schema, err = console.ReadBounded(ctx, c, a.schema, limit); err != nil {
		return out, err
	}
	out.Payload, err = console.ReadInput(ctx, c, a.payload)
	return out, err
}
