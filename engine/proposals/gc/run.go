package gc

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

// The outcomes for one capability that is deprecated or unused.
const (
	Proposed = "proposed"
	Would    = "would propose" // in a dry run
	Open     = "open"          // it is proposed already
	Settled  = "settled"       // the same was proposed before, and declined or taken back
	Kept     = "kept"
)

// Result is the result for one capability that is deprecated or unused.
type Result struct {
	Capability string `json:"capability"`
	Path       string `json:"path"`
	Outcome    string `json:"outcome"`
	// Proposal is the id of the proposal that archives it, "" for none.
	Proposal string `json:"proposal"`
	// Reasons say why it stays, or the state of the proposal.
	Reasons []string `json:"reasons"`
}

// Run checks every deprecated or unused capability in force and proposes to archive those that are
// no longer needed. It can be killed anywhere and run concurrently. The results are ordered by path; those
// before an error are valid.
func Run(ctx context.Context, w *workspace.Workspace, dryRun bool) ([]Result, error) {
	in, err := propose.Begin(ctx, w)
	if err != nil {
		return nil, err
	}
	found, err := look(in.Session())
	if err != nil {
		return nil, err
	}
	var out []Result
	for _, c := range found {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		r := Result{Capability: c.Name, Path: c.Path, Outcome: Kept, Reasons: c.kept}
		if len(c.kept) == 0 {
			if err := c.propose(ctx, w, in, dryRun, &r); err != nil {
				return out, fmt.Errorf("archive %s: %w", c.Name, err)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// Summary names the opened proposals, "" for none.
func Summary(all []Result) string {
	var ids []string
	for _, r := range all {
		if r.Outcome == Proposed {
			ids = append(ids, r.Proposal)
		}
	}
	return strings.Join(ids, ", ")
}

// look gathers the candidates with all that keeps them.
func look(cur workspace.Session) ([]*candidate, error) {
	all, err := cur.Capabilities.Entries(func(index.Entry) bool { return true })
	if err != nil {
		return nil, err
	}
	out, err := unused(cur, all)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if e.Status == capability.Deprecated {
			out = append(out, &candidate{Entry: e})
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	slices.SortFunc(out, func(a, b *candidate) int { return strings.Compare(a.Path, b.Path) })
	var folders []string
	for _, c := range out {
		folders = append(folders, c.Path)
	}
	changed, err := audit.LastChanges(cur.Repo, cur.InForce, folders)
	if err != nil {
		return nil, err
	}
	for _, c := range out {
		c.changed = changed[c.Path]
		c.aged(cur.Now(), cur.Policies.Retention)
		if c.idle == nil {
			c.succeeded(all)
		}
		c.needed(all)
		if len(c.kept) > 0 {
			continue
		}
		if err := c.read(cur.View, all); err != nil {
			return nil, err
		}
	}
	return out, mentioned(cur.View, out)
}

// read judges the facts that only the folders hold.
func (c *candidate) read(v *workspace.View, all []index.Entry) error {
	own, _, err := capability.Load(v, c.Path)
	if err != nil {
		return fmt.Errorf("read %s: %w", c.Path, err)
	}
	others := c.line
	if c.idle != nil {
		others = c.siblings(all)
	}
	var loaded []capability.Capability
	for _, e := range others {
		other, _, err := capability.Load(v, e.Path)
		if err != nil {
			return fmt.Errorf("read %s: %w", e.Path, err)
		}
		c.named(e.Name, "can use", other.Record.Requires.Optional...)
		c.named(e.Name, "enhances", other.Record.Enhances...)
		if c.idle == nil && e.Path == c.successor.Path {
			c.covered(own, other)
		}
		loaded = append(loaded, other)
	}
	if c.idle != nil {
		c.alone(own, loaded)
	}
	return nil
}

// id follows from the archived content, so that all collecting processes agree.
func (c *candidate) id() string {
	sum := sha256.Sum256([]byte("gc\x00" + c.Path + "\x00" + c.Tree.String()))
	return names.NewProposalID(string(proposal.Archive)+" "+c.Name, [5]byte(sum[:5]))
}

func (c *candidate) propose(ctx context.Context, w *workspace.Workspace, in *propose.Intake, dryRun bool, r *Result) error {
	r.Proposal = c.id()
	known, err := c.known(ctx, w, r)
	if err != nil || known {
		return err
	}
	req, err := c.request(in.Session())
	if err != nil {
		return err
	}
	req.DryRun = true
	tried, err := in.Open(ctx, req)
	if err != nil {
		return err
	}
	if report := tried.Examined.Report; !tried.Diagnostics.HasErrors() && report.Passed {
		r.Outcome = Would
	} else {
		r.Proposal, r.Reasons = "", append(faults(tried.Diagnostics), faults(report.Diagnostics)...)
	}
	if dryRun || r.Outcome != Would {
		return nil
	}
	req.DryRun = false
	done, err := in.Open(ctx, req)
	switch {
	case errors.Is(err, forge.ErrExists): // another process was faster
		_, err = c.known(ctx, w, r)
		return err
	case err != nil:
		return err
	case done.Diagnostics.HasErrors():
		r.Outcome, r.Proposal, r.Reasons = Kept, "", faults(done.Diagnostics)
		return nil
	}
	r.Outcome, r.Reasons = Proposed, c.evidence()
	return nil
}

// known reports whether the same proposal exists, and puts its state into r.
func (c *candidate) known(ctx context.Context, w *workspace.Workspace, r *Result) (bool, error) {
	pull, err := w.Forge.Get(ctx, r.Proposal)
	switch {
	case errors.Is(err, forge.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	}
	switch pull.State {
	case forge.Open:
		r.Outcome, r.Reasons = Open, []string{"it waits for a decision: assent why " + pull.ID}
	case forge.Merged:
		r.Outcome, r.Reasons = Settled, []string{"it was archived by this proposal and brought back as it was"}
	default:
		r.Outcome, r.Reasons = Settled, []string{fmt.Sprintf("the same was proposed before and was %s; assent reopen %s asks again", pull.Why, pull.ID)}
	}
	return true, nil
}

// faults are the errors of a list, in a line each.
func faults(ds diag.List) []string {
	var out []string
	for _, d := range ds {
		if d.Severity == diag.Error {
			out = append(out, strings.TrimSpace(d.Message+" ["+d.Rule+"]"))
		}
	}
	return slices.Compact(out)
}
