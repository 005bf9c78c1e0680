package proposals

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// whyJSON explains a capability or a path.
type whyJSON struct {
	Thing   string    `json:"thing"`
	Path    string    `json:"path"`
	InForce bool      `json:"in_force"`
	Commit  tree.Hash `json:"commit"`
	Reason  string    `json:"reason"`
	// Damaged are open proposals that could not be asked.
	Damaged []output.Damaged `json:"damaged"`
}

func runWhy(ctx context.Context, c *console.Console, arg string) error {
	cur, err := c.Looked(ctx)
	if err != nil {
		return err
	}
	pull, err := propose.Resolve(ctx, cur.Workspace, arg)
	if err == nil {
		ex, err := cur.Closely().Examine(ctx, pull.ID)
		if err != nil {
			return err
		}
		v := output.ProposalOf(ex)
		if err := v.NameWeak(cur, ex); err != nil {
			return err
		}
		if c.JSON {
			return c.Emit(v)
		}
		printVerdict(c, v)
		return nil
	}
	if !errors.Is(err, forge.ErrNotFound) {
		return err
	}
	why, err := whyThing(ctx, cur, arg)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := c.Emit(why); err != nil {
			return err
		}
		return output.PrintDamaged(c, why.Damaged)
	}
	c.Printf("%s: %s\n", c.Style.Bold(console.OneLine(arg)), console.OneLine(why.Reason))
	return output.PrintDamaged(c, why.Damaged)
}

// whyThing explains a capability's name or a path.
func whyThing(ctx context.Context, cur workspace.Session, arg string) (whyJSON, error) {
	out := whyJSON{Thing: arg, Path: arg, Damaged: []output.Damaged{}}
	known, err := cur.View.Named(arg)
	if err != nil {
		return out, err
	}
	for _, f := range known {
		out.Path = f.Path
	}
	here, err := cur.View.Lookup(out.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	if err == nil {
		out.InForce = true
		out.Commit, out.Reason, err = lastChange(cur, out.Path, here)
		return out, err
	}
	return out, missing(ctx, cur, &out)
}

// lastChange finds the commit on main that last changed a path.
func lastChange(cur workspace.Session, path string, here tree.Entry) (tree.Hash, string, error) {
	var found gitstore.Commit
	err := cur.Repo.Lineage(cur.InForce, func(c gitstore.Commit) (bool, error) {
		view, err := cur.Repo.Snapshot(c.Tree)
		if err != nil {
			return false, err
		}
		e, err := view.Lookup(path)
		if gitstore.IsBadObject(err) { // such a commit was blocked
			return true, nil
		}
		if errors.Is(err, fs.ErrNotExist) || err == nil && e.Hash != here.Hash {
			return false, nil
		}
		found = c
		return err == nil, err
	})
	reason := fmt.Sprintf("in force since %s, commit %s (%s)", found.Committer.When.Format("2006-01-02"), found.Hash.Short(), found.Subject())
	if err != nil {
		return found.Hash, reason, err
	}
	id, err := cur.History().ProposalOf(found)
	if id != "" {
		reason += "; assent show " + id
	}
	return found.Hash, reason, err
}

// missing says why something is not in force: committed past the gate, waiting in
// a proposal, or nowhere.
func missing(ctx context.Context, cur workspace.Session, out *whyJSON) error {
	for _, b := range cur.Blocked {
		for _, p := range b.Paths {
			if p == out.Path || slices.Contains(strings.Split(p, "/"), out.Thing) {
				out.Commit, out.Path = b.Commit, p
				out.Reason = fmt.Sprintf("not in force: commit %s put it on main, but %s; assent adopt", b.Commit.Short(), b.Why)
				return nil
			}
		}
	}
	damaged, err := output.Examine(ctx, cur, forge.Filter{State: forge.Open}, func(ex workspace.Examined) error {
		id := ex.Case.Pull.ID
		for _, f := range ex.Report.Files {
			if out.Reason == "" && (f.Path == out.Path || slices.Contains(strings.Split(f.Path, "/"), out.Thing)) {
				out.Path = f.Path
				out.Reason = fmt.Sprintf("not in force: proposal %s, still %s, would bring it; assent why %s", id, output.ProposalOf(ex).State, id)
			}
		}
		return nil
	})
	if err != nil || out.Reason != "" {
		return err
	}
	out.Reason = "not in force: nothing of this name was ever merged, and no open proposal brings it"
	if out.Damaged = damaged; len(damaged) > 0 {
		out.Reason = "not in force: nothing of this name was ever merged; whether an open proposal brings it is not known, because not all can be read: " + output.IDsOf(damaged)
	}
	return nil
}
