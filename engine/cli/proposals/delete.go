package proposals

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// runNamed proposes to remove capabilities in force, or what a server in force lists. Validation names those that call
// or require what is removed.
func runNamed(ctx context.Context, c *console.Console, o proposeOptions) error {
	if o.source != "" || o.draft != "" || len(o.files)+len(o.only) > 0 || o.group != "" || len(o.remove) > 0 && o.methods != "" {
		return console.Usage("use either --delete or --methods, without a draft, files, paths or --group")
	}
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	r, err := console.Proposer(cur, o.agent, o.dryRun)
	if err != nil {
		return err
	}
	for _, name := range o.remove {
		if strings.Contains(name, "/") {
			return console.Usage("--delete %s: it takes names of capabilities; to take a file away, remove it and propose its path: assent propose %s", console.OneLine(name), names.ShellWord(name))
		}
		edits, err := removing(cur, name)
		if err != nil {
			return err
		}
		r.Edits = append(r.Edits, edits...)
	}
	if o.methods != "" {
		edit, err := listing(ctx, c, cur, o)
		if err != nil {
			return err
		}
		r.Edits = append(r.Edits, edit)
	}
	r.Proposal.Goal, r.Tool = o.goal, o.madeWith
	r.Origin = provenance.Origin{Way: provenance.Edit}
	out, err := propose.Open(ctx, cur.Workspace, r)
	if err != nil {
		return err
	}
	return output.PrintOutcome(c, cur.Workspace, out, nil, o.dryRun)
}

// removing are the edits that take a capability in force away.
func removing(cur workspace.Session, name string) ([]tree.Edit, error) {
	f, err := console.CapabilityNamed(cur, name)
	if err != nil {
		return nil, err
	}
	var out []tree.Edit
	err = tree.Files(cur.View, f.Path, func(e tree.Entry) error {
		out = append(out, tree.Edit{Path: e.Path, Remove: true})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", f.Name, err)
	}
	return out, nil
}
