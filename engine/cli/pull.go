package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// defaultRemote is where clone takes things from.
const defaultRemote = "origin"

// hasRemote reports whether there is a remote that assent push and assent pull mean by default.
func hasRemote(w *workspace.Workspace) bool {
	return w.Repo.Config("remote."+defaultRemote+".url") != ""
}

// pullOptions say what a pull does besides.
type pullOptions struct {
	dryRun bool
	// replay gives up merges that only this clone has, and makes them again.
	replay bool
}

func newPull(c *console) *cobra.Command {
	var o pullOptions
	cmd := &cobra.Command{
		Use:   "pull [REMOTE]",
		Short: "Take in what others pushed: proposals, decisions, merges",
		Long: `Pull fetches from the remote (origin, unless you name one) and brings main, the
proposals and their journals here forward. What you did to a proposal meanwhile
follows what others did; what is no longer possible, such as a review after the
merge, is kept aside and named. Files that you edited stay as they are.

Nothing comes into force by pulling: what arrives is judged as ever. When somebody
merged here and there, nothing moves at all; --replay then takes the merges that only
this clone has off main, and merges their proposals again upon the remote's, there and
here together. What was taken off stays below refs/assent-aside/.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPull(cmd.Context(), c, remoteOf(args), o)
		},
	}
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "fetch and say what would move, but move nothing")
	cmd.Flags().BoolVar(&o.replay, "replay", false, "where main parted: give up merges that only this clone has, and make them again")
	return cmd
}

func remoteOf(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return defaultRemote
}

// broughtJSON is what a pull brought.
type broughtJSON struct {
	Remote    string              `json:"remote"`
	Main      moveJSON            `json:"main"`
	Ahead     bool                `json:"ahead"` // main here has what the remote lacks
	Held      string              `json:"held"`  // why main stays although the remote's went on
	Proposals []pulledJSON        `json:"proposals"`
	Runs      []pulledRunJSON     `json:"runs"`
	Folded    []string            `json:"folded"` // lines of folded journals that moved
	Beside    []string            `json:"beside"` // those that parted and stand beside ours
	Stops     []string            `json:"stops"`  // records of assent stop that came in
	Problems  []string            `json:"problems"`
	Kept      []keptJSON          `json:"kept"` // files that stay as they were edited
	Blocked   []attest.Unattested `json:"blocked"`
	Replayed  []replayedJSON      `json:"replayed"` // merges that --replay gave up
	DryRun    bool                `json:"dry_run,omitempty"`
}

// replayedJSON is a merge that was given up, and what came of it.
type replayedJSON struct {
	ID      string    `json:"id"`
	Was     tree.Hash `json:"was"`
	Merge   tree.Hash `json:"merge"` // the new one; zero where there is none
	Refused string    `json:"refused"`
}

type moveJSON struct {
	Ref string    `json:"ref"`
	Old tree.Hash `json:"old"`
	New tree.Hash `json:"new"`
}

// pulledJSON is one proposal that changed here.
type pulledJSON struct {
	ID string `json:"id"`
	// Took counts events that came, Again own ones that now follow them.
	Took   int         `json:"took"`
	Again  int         `json:"again"`
	Branch tree.Hash   `json:"branch"` // where it moved; zero when it did not or is gone
	Stays  string      `json:"stays"`  // why the branch did not move
	Aside  []asideJSON `json:"aside"`
	Ref    string      `json:"aside_ref"` // keeps them
}

// pulledRunJSON is one run of a workflow that went on here.
type pulledRunJSON struct {
	ID    string      `json:"id"`
	Took  int         `json:"took"`
	Again int         `json:"again"`
	Aside []asideJSON `json:"aside"`
	Ref   string      `json:"aside_ref"`
}

type asideJSON struct {
	Event string `json:"event"`
	By    string `json:"by"`
	Why   string `json:"why"`
}

type keptJSON struct {
	Path   string    `json:"path"`
	Why    string    `json:"why"`
	Staged tree.Hash `json:"staged"` // the staged content if no file holds it, else ""
}

func runPull(ctx context.Context, c *console, from string, o pullOptions) error {
	w, err := c.reach(ctx)
	if err != nil {
		return err
	}
	c.progress("fetching from %s", from)
	var given []exchange.GivenUp
	if o.replay {
		if given, err = exchange.GiveUp(ctx, w, from, o.dryRun); err != nil {
			return c.exchanged(err)
		}
		if o.dryRun && len(given) > 0 {
			return c.wouldReplay(from, given)
		}
		if w, err = c.reach(ctx); err != nil { // it remembers nothing of what was given up
			return err
		}
	}
	out, err := exchange.Pull(ctx, w, from, o.dryRun)
	if err != nil {
		return c.exchanged(err)
	}
	v := pullViewOf(out)
	v.DryRun = o.dryRun
	var failed error
	if v.Replayed, failed = c.replay(ctx, w, from, given); failed != nil && len(v.Replayed) < len(given) {
		return failed
	}
	var cur workspace.Session
	if !o.dryRun && !out.Main.New.IsZero() {
		if cur, _, err = w.Look(ctx); err != nil {
			return err
		}
		v.Blocked = append(v.Blocked, cur.Blocked...)
	}
	if c.json {
		if err := c.emit(v); err != nil || out.Held == nil {
			return errors.Join(err, failed)
		}
		return quiet(exitWorld)
	}
	if o.dryRun {
		c.printf("%s\n", c.style.warn("dry run: nothing moves here; this is what would"))
	}
	c.pulled(out)
	c.replayed(v.Replayed)
	if !o.dryRun && !out.Main.New.IsZero() {
		c.standing(cur)
	}
	return errors.Join(mainHeld(out), failed)
}

// mainHeld says that main did not move although the remote's did.
func mainHeld(out exchange.Pulled) error {
	if out.Held == nil {
		return nil
	}
	return &failure{code: exitWorld, err: fmt.Errorf("main stays where it is: %w", out.Held),
		hint: "the journals came all the same; whoever keeps the hub puts its main back: git -C HUB update-ref refs/heads/main COMMIT"}
}

func pullViewOf(p exchange.Pulled) broughtJSON {
	v := broughtJSON{
		Replayed: []replayedJSON{},
		Remote:   p.Remote, Main: moveJSON{attest.MainRef, p.Main.Old, p.Main.New}, Ahead: p.Ahead, Proposals: []pulledJSON{}, Runs: []pulledRunJSON{},
		Folded: append([]string{}, p.Lines...), Beside: append([]string{}, p.Beside...), Stops: append([]string{}, p.Stops...), Problems: []string{}, Kept: []keptJSON{}, Blocked: []attest.Unattested{},
	}
	for _, one := range p.Proposals {
		j := pulledJSON{ID: one.ID, Took: one.Took, Again: one.Again, Branch: one.Branch.New, Stays: one.Stays, Aside: []asideJSON{}, Ref: one.AsideRef}
		for _, a := range one.Aside {
			j.Aside = append(j.Aside, asideJSON{a.Event.Kind, a.Event.By, a.Why})
		}
		v.Proposals = append(v.Proposals, j)
	}
	for _, one := range p.Runs {
		j := pulledRunJSON{ID: one.ID, Took: one.Took, Again: one.Again, Aside: []asideJSON{}, Ref: one.AsideRef}
		for _, a := range one.Aside {
			j.Aside = append(j.Aside, asideJSON{string(a.Record.Kind), a.Record.By, a.Why})
		}
		v.Runs = append(v.Runs, j)
	}
	if p.Held != nil {
		v.Held = p.Held.Error()
	}
	for _, err := range p.Problems {
		v.Problems = append(v.Problems, err.Error())
	}
	for _, k := range p.Worktree.Kept {
		v.Kept = append(v.Kept, keptJSON{k.Path, k.Why, k.Staged})
	}
	return v
}

// pulled shows what came.
func (c *console) pulled(p exchange.Pulled) {
	switch {
	case p.Main.Old != p.Main.New:
		c.printf("%s main is now at %s, was %s\n", c.style.good("pulled"), p.Main.New.Short(), short(p.Main.Old))
	case p.Ahead:
		c.printf("main here has what %s lacks; publish it with assent push\n", oneLine(p.Remote))
	}
	for _, one := range p.Proposals {
		c.printf("%s %s%s\n", c.style.good("pulled"), oneLine(one.ID), unionText(one))
		for _, a := range one.Aside {
			c.printf("  %s your %s (%s): %s\n", c.style.warn("kept aside"), oneLine(a.Event.Kind), oneLine(a.Event.By), oneLine(a.Why))
		}
		if one.AsideRef != "" {
			c.field("", "git log "+one.AsideRef+" shows it")
		}
		if one.Stays != "" {
			c.printf("  %s %s\n", c.style.warn("stays:"), oneLine(one.Stays))
		}
	}
	for _, one := range p.Runs {
		c.pulledRun(one)
	}
	for _, line := range p.Lines {
		c.printf("%s folded journals of %s\n", c.style.good("pulled"), oneLine(line))
	}
	for _, line := range p.Beside {
		c.printf("%s folded journals %s stand beside ours; assent maintenance unites them\n", c.style.warn("pulled"), oneLine(line))
	}
	if n := len(p.Stops); n > 0 {
		c.printf("%s %s; assent stop --list shows what is stopped\n", c.style.good("pulled"), plural(n, "stop record"))
	}
	for _, err := range p.Problems {
		c.complain("%s left as it is: %s", c.style.warn("warning:"), oneLine(err.Error()))
	}
	c.worktree(p.Worktree, p.WorktreeErr)
	if p.Held == nil && p.Main.Old == p.Main.New && len(p.Proposals)+len(p.Runs)+len(p.Stops)+len(p.Lines)+len(p.Beside) == 0 {
		c.printf("nothing new on %s\n", oneLine(p.Remote))
	}
}

func (c *console) pulledRun(one exchange.Run) {
	text := ""
	if one.Took > 0 {
		text += ", " + plural(one.Took, "step")
	}
	if one.Again > 0 {
		text += ", yours follow: " + plural(one.Again, "step")
	}
	c.printf("%s run %s  %s\n", c.style.good("pulled"), oneLine(one.ID), strings.TrimPrefix(text, ", "))
	for _, a := range one.Aside {
		c.printf("  %s your %s of %s (%s): %s\n", c.style.warn("kept aside"), oneLine(string(a.Record.Kind)), oneLine(a.Record.Job), oneLine(a.Record.By), oneLine(a.Why))
	}
	if one.AsideRef != "" {
		c.field("", "git log "+one.AsideRef+" shows it")
	}
}

func unionText(one exchange.Proposal) string {
	var parts []string
	if one.Took > 0 {
		parts = append(parts, plural(one.Took, "event"))
	}
	if one.Again > 0 {
		parts = append(parts, "yours follow: "+plural(one.Again, "event"))
	}
	if one.Branch.Name != "" {
		parts = append(parts, "branch moved")
		if one.Branch.New.IsZero() {
			parts[len(parts)-1] = "branch gone"
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "  " + strings.Join(parts, ", ")
}

func short(h tree.Hash) string {
	if h.IsZero() {
		return "nowhere"
	}
	return h.Short()
}

// exchanged says what to do about a pull or a push that did not work.
func (c *console) exchanged(err error) error {
	var stale *gitstore.ErrStale
	var declined *remote.ErrDeclined
	switch {
	case errors.Is(err, exchange.ErrParted):
		return &failure{code: exitRefused, err: fmt.Errorf("%w; nothing was moved", err),
			hint: "assent pull --replay merges what only this clone has again, upon what the remote has; --dry-run says which merges these are"}
	case errors.Is(err, exchange.ErrPastGate), errors.Is(err, local.ErrPublished):
		return &failure{code: exitRefused, err: fmt.Errorf("%w; nothing was moved", err),
			hint: "keep it on a branch (git branch mine main), and let main here be the remote's (git reset --keep); assent adopt proposes it anew"}
	case errors.Is(err, remote.ErrNoRemote):
		return &failure{code: exitUsage, err: err, hint: "git remote -v lists the remotes, git remote add NAME URL adds one"}
	case errors.Is(err, remote.ErrNoRemoteMain):
		return &failure{code: exitRefused, err: err, hint: "assent push publishes yours"}
	case errors.Is(err, exchange.ErrOutrun):
		return &failure{code: exitRefused, err: err, hint: "try again when there is less going on: assent push"}
	case errors.As(err, &declined):
		return &failure{code: exitRefused, err: err, hint: declinedHint(declined)}
	case errors.As(err, &stale):
		return &failure{code: exitRefused, err: err, hint: "somebody was faster: try again"}
	}
	return err
}

// declinedHint repeats the remote's words, and says what a protected main asks for.
func declinedHint(d *remote.ErrDeclined) string {
	hint := "ask whoever runs the remote what it allows"
	fields := slices.DeleteFunc(strings.Fields(oneLine(d.Words)), func(word string) bool { return word == "error:" })
	if len(fields) > 0 {
		hint = "the remote says: " + strings.Join(fields, " ")
	}
	if slices.ContainsFunc(d.Refs, func(r remote.DeclinedRef) bool { return r.Ref == attest.MainRef }) {
		hint += "; main moves by an account that must be allowed to push to main there"
	}
	return hint
}
