package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
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
			return usage("--%s is missing: a tool is proposed with --tool NAME --code FILE --payload JSON --schema FILE", f.name)
		}
	}
	if o.source != "" || o.draft != "" || len(o.files) > 0 {
		return usage("--tool makes the folder of the tool itself: leave out draft, files and folder")
	}
	return nil
}

// runAcquire proposes a tool if its code answers the payload.
func runAcquire(ctx context.Context, c *console, o proposeOptions) error {
	if err := o.checkAcquire(); err != nil {
		return err
	}
	cur, err := c.joined(ctx)
	if err != nil {
		return err
	}
	in, err := propose.Begin(ctx, cur.Workspace)
	if err != nil {
		return err
	}
	r, err := c.proposer(in.Session(), o.agent, o.dryRun)
	if err != nil {
		return err
	}
	if full := propose.AtLimit(ctx, in.Session(), in.Pulls(), r.By); full.HasErrors() {
		return findings("nothing was proposed: the change cannot stand as it is", full)
	}
	made, notes, err := c.acquire(ctx, cur.Workspace, in, o)
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
	return c.outcome(cur.Workspace, out, append(notes, more...), o.dryRun)
}

// acquire tries the code. What is only proposed is isolated, whatever the policy lets run
// unprotected.
func (c *console) acquire(ctx context.Context, w *workspace.Workspace, in *propose.Intake, o proposeOptions) (acquire.Result, []string, error) {
	cur := in.Session()
	if no := tool.Admits(cur.Policies, capability.KindTool); no != nil {
		return acquire.Result{}, nil, refused(no.Fix, "nothing was proposed: %s", no.Why)
	}
	offer, err := c.offer(o, cur.Policies.Limits.FileBytes)
	if err != nil {
		return acquire.Result{}, nil, err
	}
	bench := acquire.Bench{
		Box:      func(ctx context.Context) (sandbox.Runner, error) { return sandbox.New(ctx) },
		Policies: cur.Policies, Now: w.Now, Known: cur.View,
		Same: func(a capability.Acquired) (string, error) { return acquire.Same(cur, in.Pulls(), a) },
	}
	made, diags, err := bench.Try(ctx, offer)
	var no *sandbox.Refusal
	var missing *sandbox.Missing
	switch {
	case errors.As(err, &no):
		return made, nil, refused(no.Fix, "nothing was proposed: code is tried in the sandbox only, and %s", no.Why)
	case errors.As(err, &missing):
		return made, nil, fmt.Errorf("try the code: %w", missing)
	case err != nil:
		return made, nil, err
	case diags.HasErrors():
		return made, nil, findings("nothing was proposed: the tool does not pass", diags)
	}
	var notes []string
	if len(made.Taken) > 0 {
		notes = append(notes, "the code did not parse as it came; taken off: "+strings.Join(made.Taken, ", "))
	}
	return made, append(notes, made.Notes...), nil
}

// offer reads what the command line names.
func (c *console) offer(o proposeOptions, limit int64) (acquire.Offer, error) {
	a := o.acquired
	out := acquire.Offer{Name: a.tool, Group: o.group, Description: a.description, File: a.code, SchemaFile: a.schema}
	var err error
	if out.Code, err = readBounded(a.code, limit); err != nil {
		return out, err
	}
	if out.Schema, err = readBounded(a.schema, limit); err != nil {
		return out, err
	}
	out.Payload, err = c.toolInput(a.payload)
	return out, err
}

// readBounded reads a file that the policies let in.
func readBounded(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, usage("read what is handed over: %v", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, usage("read what is handed over: %v", err)
	}
	if int64(len(data)) > limit {
		return nil, findings("nothing was proposed: a file is too large", diag.List{{
			Rule: acquire.RuleInput, Severity: diag.Error, Pos: diag.Pos{File: name}, Fix: "make it smaller",
			Message: fmt.Sprintf("the file has more than %d bytes, the most that limits.yaml lets in", limit),
		}})
	}
	return data, nil
}
