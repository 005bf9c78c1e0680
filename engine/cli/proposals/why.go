package proposals

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/machine"
	"github.com/assent-dev/assent/engine/tools/memory"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/archive"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// whyJSON explains a capability or a path.
type whyJSON struct {
	Thing   string    `json:"thing"`
	Path    string    `json:"path"`
	InForce bool      `json:"in_force"`
	Commit  tree.Hash `json:"commit"`
	Reason  string    `json:"reason"`
	// Unusable says what prevents the use of a capability in force now; absent if nothing does.
	Unusable *tool.Obstacle `json:"unusable,omitempty"`
	// Did says how a capability in force did; absent if nothing is known.
	Did *triallog.Did `json:"did,omitempty"`
	// Draws order it among equally fit tools; absent without a mission that explores it.
	Draws []whyDraw `json:"draws,omitempty"`
	// Removals are the open proposals that take a capability in force away.
	Removals []string `json:"removals,omitempty"`
	// Archived says how it was archived; absent if it was not, or is in force or proposed again.
	Archived *whyArchived `json:"archived,omitempty"`
	// Damaged are open proposals that could not be asked.
	Damaged []output.Damaged   `json:"damaged"`
	folder  *capability.Folder // of a capability in force
}

// whyArchived is the proposal that archived a capability. Evidence is its text. Next proposes to restore it, or
// First, which has to come back before. At is zero if history lacks the merge.
type whyArchived struct {
	Proposal string    `json:"proposal"`
	Goal     string    `json:"goal"`
	Evidence string    `json:"evidence"`
	At       time.Time `json:"at,omitzero"`
	First    string    `json:"first,omitempty"`
	Next     string    `json:"next"`
}

func runWhy(ctx context.Context, c *console.Console, arg, agent, mission string) error {
	cur, err := c.Looked(ctx)
	if err != nil {
		return err
	}
	known, err := cur.View.Named(arg)
	if err != nil {
		return err
	}
	_, archived, err := archive.Of(cur, arg)
	if err != nil {
		return err
	}
	pull, err := propose.Resolve(ctx, cur.Workspace, arg)
	// A name that is or was in force is no abbreviation of the id of a proposal that ended.
	if len(known) == 0 && !archived || pull.ID == arg || err == nil && pull.State == forge.Open {
		if err == nil {
			return whyProposal(ctx, c, cur, pull.ID)
		}
		if !errors.Is(err, forge.ErrNotFound) {
			return err
		}
	}
	why, err := whyThing(ctx, cur, arg)
	if err == nil && why.folder != nil {
		err = why.use(ctx, c, cur, agent, mission)
	}
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
	if why.Archived != nil {
		for line := range strings.Lines(why.Archived.Evidence) {
			if item, is := strings.CutPrefix(line, "- "); is {
				c.Printf("  %s\n", c.Style.Dim(console.OneLine(strings.TrimSpace(item))))
			}
		}
	}
	if why.Did != nil {
		output.PrintDid(c, *why.Did)
	}
	why.printDraws(c)
	if u := why.Unusable; u != nil {
		c.Printf("%s %s\n", c.Style.Warn("cannot be used now:"), console.OneLine(u.Error))
		if u.Hint != "" {
			c.Progress("%s", console.OneLine(u.Hint))
		}
	}
	return output.PrintDamaged(c, why.Damaged)
}

// whyProposal explains the verdict on a proposal.
func whyProposal(ctx context.Context, c *console.Console, cur workspace.Session, id string) error {
	v, ex, err := output.ExaminedProposal(ctx, c, cur.Closely(), id)
	if err != nil {
		return err
	}
	if err := v.NameWeak(cur, ex); err != nil {
		return err
	}
	if err := errors.Join(v.NameOrigin(cur), v.NameMaker(cur)); err != nil {
		return err
	}
	if err := v.NameUnforced(ctx, cur, ex); err != nil {
		return err
	}
	if v.Did, err = memory.DeedsOf(cur).Did(ex); err != nil {
		return err
	}
	if c.JSON {
		return c.Emit(v)
	}
	printVerdict(c, v)
	return nil
}

// use explains what prevents the use of a capability in force.
func (w *whyJSON) use(ctx context.Context, c *console.Console, cur workspace.Session, agent, mission string) error {
	here, err := discover.Open(ctx, cur)
	if err != nil {
		return err
	}
	e, err := here.Entry(*w.folder)
	if err != nil {
		return err
	}
	did, err := memory.DeedsOf(cur).Of(e.Name, time.Time{})
	if err != nil {
		return err
	}
	if did.Known() {
		w.Did = &did
	}
	if err := w.drawn(ctx, cur, here, e, mission); err != nil {
		return err
	}
	if e.Kind == capability.KindTool || e.Kind == capability.KindMCP {
		engine, err := machine.Engine(cur, machine.Caller{Agent: agent, Getenv: c.World.Getenv})
		if err == nil {
			w.Unusable, err = tool.ObstacleTo(engine, e.Name)
		}
		return err
	}
	now, err := here.Condition(e)
	switch {
	case now.Unusable != "":
		w.Unusable = &tool.Obstacle{Error: now.Unusable}
	case agent != "" && !e.Agents.Admits(agent):
		w.Unusable = &tool.Obstacle{Error: e.Name + " does not admit the agent " + agent, Type: tool.NotAllowed, Hint: "assent inspect " + names.ShellWord(e.Name) + " lists the agents that it admits"}
	}
	return err
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
		if len(known) > 0 {
			out.folder = &known[len(known)-1]
		}
		if out.Commit, out.Reason, err = lastChange(cur, out.Path, here); err == nil && out.folder != nil {
			err = out.leaves(ctx, cur)
		}
		return out, err
	}
	return out, missing(ctx, cur, &out)
}

// leaves names the open proposals that take the capability away.
func (w *whyJSON) leaves(ctx context.Context, cur workspace.Session) error {
	_, err := output.Examine(ctx, cur, forge.Filter{State: forge.Open}, func(ex workspace.Examined) error {
		if slices.ContainsFunc(ex.Report.Changes.Capabilities, func(c policy.Capability) bool { return c.Op == policy.Removed && c.Path == w.Path }) {
			id := ex.Case.Pull.ID
			w.Removals = append(w.Removals, id)
			w.Reason += fmt.Sprintf("; %s (%s) proposes to remove it: assent why %s", id, output.ProposalOf(ex).State, names.ShellWord(id))
		}
		return nil
	})
	return err
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
		reason += "; assent show " + names.ShellWord(id)
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
				out.Reason = fmt.Sprintf("not in force: proposal %s, still %s, would bring it; assent why %s", id, output.ProposalOf(ex).State, names.ShellWord(id))
			}
		}
		return nil
	})
	if err != nil || out.Reason != "" {
		return err
	}
	r, archived, err := archive.Of(cur, out.Thing)
	if err != nil {
		return err
	}
	if archived {
		return out.archivedBy(ctx, cur, r)
	}
	out.Reason = "not in force: nothing of this name was ever merged, and no open proposal brings it"
	if out.Damaged = damaged; len(damaged) > 0 {
		out.Reason = "not in force: nothing of this name was ever merged; whether an open proposal brings it is not known, because not all can be read: " + output.IDsOf(damaged)
	}
	return nil
}

// archivedBy says which proposal archived a capability, when, and how it comes back.
func (w *whyJSON) archivedBy(ctx context.Context, cur workspace.Session, r archive.Record) error {
	old, found, err := r.Open(ctx, cur)
	if err != nil {
		return err
	}
	first, err := r.First(ctx, cur)
	if err != nil {
		return err
	}
	w.Archived = &whyArchived{Proposal: r.Proposal, Goal: r.Goal, Evidence: r.Body, Next: "assent undo " + names.ShellWord(first.Proposal)}
	on, what := "", "it"
	if first.Proposal != r.Proposal {
		w.Archived.First = first.Name
		what = first.Name + ", which it needs, first"
	}
	if found {
		w.Path, w.Archived.At, on = old.Path, old.At, " on "+old.At.UTC().Format(time.DateOnly)
	}
	w.Reason = fmt.Sprintf("not in force: %s archived it%s (%q); assent show %s, and %s proposes to restore %s", r.Proposal, on, r.Goal, names.ShellWord(r.Proposal), w.Archived.Next, what)
	return nil
}
