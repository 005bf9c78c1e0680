package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/install"
	"github.com/assent-dev/assent/engine/agents/skillsync"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

type syncOptions struct {
	connectOptions
	to     string
	budget int // -1: the client's own
	remove bool
}

func newSync(c *console.Console) *cobra.Command {
	var o syncOptions
	cmd := &cobra.Command{
		Use:   "sync [CLIENT]",
		Short: "Keep a client's skills folder equal to the skills in force",
		Long: `Sync writes the skills in force that the agent may use into the folder in which a client
looks for skills, or into DIR. Skills that changed are updated, and those that left force
are removed. From then on, assent merge, pull, stop, reconcile and serve in that clone
keep the folder up to date.

Sync replaces and removes only files that it wrote and that nobody edited since; it records
them in your own folder. Every other file stays, and a skill for which one is in the way is
left alone and reported.

A client lists all skills in each prompt. Where the list would exceed the client's budget,
the skills with the most recorded successes are written. Tools and servers are not: agents
call them through assent mcp.

Without CLIENT and --to, all folders are synced that are kept from the workspace, or that
are below the current folder.`,
		Example: `  assent sync claude-code --workspace ../agents --agent scout
  assent sync --to ~/.gemini/skills --agent scout
  assent sync --dry-run
  assent sync claude-code --remove`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.client = strings.Join(args, "")
			return runSync(cmd.Context(), c, o)
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.workspace, "workspace", ".", "the workspace is in `DIR`")
	trustFlag(cmd, &o.connectOptions)
	cmd.Flags().StringVar(&o.to, "to", "", "write into `DIR` instead of a client's folder")
	cmd.Flags().IntVar(&o.budget, "budget", -1, "let the list of skills have at most so many `CHARACTERS`, 0 for any number (default: what the client shows)")
	cmd.Flags().BoolVar(&o.remove, "remove", false, "remove what sync wrote there, and keep the folder no longer")
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.ValidArgsFunction = complete.First(complete.Fixed(install.Clients()))
	return cmd
}

func runSync(ctx context.Context, c *console.Console, o syncOptions) error {
	if o.client != "" && o.to != "" {
		return console.Usage("give either a client or --to")
	}
	dir, err := keys.Home()
	if err != nil {
		return err
	}
	s := syncing{c, home.At(dir), o.dryRun}
	var plans []skillsync.Plan
	switch {
	case o.client == "" && o.to == "" && o.remove:
		return console.Usage("--remove: name a client or --to DIR")
	case o.client == "" && o.to == "":
		if o.agent != s.c.World.Getenv("ASSENT_AGENT") || o.budget >= 0 || o.user || o.project {
			return console.Usage("--agent, --budget, --user and --project need a client or --to")
		}
		if plans, err = s.kept(ctx, o); err != nil && len(plans) > 0 {
			return errors.Join(s.show(plans), refusal(err))
		}
	default:
		var p skillsync.Plan
		p, err = s.named(ctx, o)
		plans = append(plans, p)
	}
	if err != nil {
		return refusal(err)
	}
	return s.show(plans)
}

// syncing is one run of sync.
type syncing struct {
	c      *console.Console
	store  home.Store
	dryRun bool
}

// named syncs the folder of a client or of --to, or empties it.
func (s syncing) named(ctx context.Context, o syncOptions) (skillsync.Plan, error) {
	var t skillsync.Target
	var err error
	if o.to != "" {
		t.Dir, err = filepath.Abs(o.to)
	} else {
		t.Dir, t.Budget, err = o.folder(s.c)
	}
	if err != nil {
		return skillsync.Plan{}, err
	}
	if t.Dir, err = skillsync.RealPath(t.Dir); err != nil { // from here on a link in the path is refused
		return skillsync.Plan{}, err
	}
	if o.remove {
		return s.empty(ctx, t.Dir)
	}
	switch known, err := skillsync.Targets(s.store); {
	case err != nil:
		return skillsync.Plan{}, err
	case o.budget >= 0:
		t.Budget = o.budget
	default: // a folder that is kept has the budget that it was given
		for _, k := range known {
			if k.Dir == t.Dir {
				t.Budget = k.Budget
			}
		}
	}
	cur, err := o.session(ctx, s.c)
	if err != nil {
		return skillsync.Plan{}, err
	}
	if t.Agent, err = agentOf(cur, o.agent); err != nil {
		return skillsync.Plan{}, err
	}
	//defence:sync-asks-before-it-writes
	if err := console.NeedTrust(s.c, cur, console.Accepted, o.trust, "repeat the command with --trust", o.dryRun); err != nil {
		return skillsync.Plan{}, err
	}
	return s.fill(ctx, cur, t)
}

// fill syncs one folder and remembers it.
func (s syncing) fill(ctx context.Context, cur workspace.Session, t skillsync.Target) (skillsync.Plan, error) {
	t.Workspace, t.Clone = cur.ID(), skillsync.CloneOf(cur)
	if rel, err := filepath.Rel(t.Clone, t.Dir); err == nil && names.Governed(filepath.ToSlash(rel)+"/x") {
		return skillsync.Plan{}, &install.Refused{Path: t.Dir, Err: errors.New("it is a folder of the workspace itself"), Fix: "name the folder of a client"}
	}
	compare := func() (skillsync.Plan, error) { return skillsync.Compare(ctx, cur, s.store, t) }
	if s.dryRun {
		return compare()
	}
	p, err := skillsync.Run(ctx, s.store, t.Dir, func() (skillsync.Plan, error) { // the commit in force may have moved before the lock
		now, err := cur.Workspace.Session(ctx)
		if err != nil {
			return skillsync.Plan{}, err
		}
		return skillsync.Compare(ctx, now, s.store, t)
	})
	if err == nil { // made also without a skill: a kept folder that is not there counts as removed
		err = os.MkdirAll(t.Dir, 0o755)
	}
	if err != nil {
		return p, err
	}
	return p, skillsync.Remember(ctx, s.store, t)
}

// empty removes the files that sync wrote into a folder, and forgets the folder.
func (s syncing) empty(ctx context.Context, dir string) (skillsync.Plan, error) {
	compare := func() (skillsync.Plan, error) { return skillsync.Emptied(s.store, dir) }
	if s.dryRun {
		return compare()
	}
	p, err := skillsync.Run(ctx, s.store, dir, compare)
	if err != nil {
		return p, err
	}
	return p, skillsync.Forget(ctx, s.store, dir)
}

// kept syncs the folders that are kept from the workspace, or that are below the current folder.
func (s syncing) kept(ctx context.Context, o syncOptions) ([]skillsync.Plan, error) {
	all, err := skillsync.Targets(s.store)
	if err != nil {
		return nil, err
	}
	here, err := filepath.Abs(s.c.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the current folder: %w", err)
	}
	clone := ""
	if cur, err := o.session(ctx, s.c); err == nil {
		clone = skillsync.CloneOf(cur)
	}
	var plans []skillsync.Plan
	var failed error
	for _, t := range all {
		rel, err := filepath.Rel(here, t.Dir)
		if t.Clone != clone && (err != nil || !filepath.IsLocal(rel)) {
			continue
		}
		if t.Gone() {
			s.c.Progress("%s is gone and left out; assent sync --remove --to it forgets it", console.OneLine(t.Dir))
			continue
		}
		at := syncOptions{connectOptions: connectOptions{workspace: t.Clone}}
		cur, err := at.session(ctx, s.c)
		var p skillsync.Plan
		if err == nil {
			p, err = s.fill(ctx, cur, t)
		}
		if err != nil { // the other folders are synced all the same
			failed = errors.Join(failed, fmt.Errorf("sync %s: %w", t.Dir, err))
			continue
		}
		plans = append(plans, p)
	}
	if len(plans) == 0 && failed == nil {
		return nil, console.Usage("no folder is kept from here; name a client or --to DIR")
	}
	return plans, failed
}

// folder is a client's folder of skills, and the budget of its list.
func (o connectOptions) folder(c *console.Console) (string, int, error) {
	w, err := o.where(c)
	if err != nil {
		return "", 0, err
	}
	dir, err := w.SkillsDir()
	return dir, w.Listing(), err
}

// SyncAfter refreshes the folders kept from the workspace that was opened last, after a command
// that may have moved the commit in force. A failure is reported, and the command succeeds.
func SyncAfter(ctx context.Context, c *console.Console, cmd *cobra.Command) {
	switch cmd.Name() {
	case "merge", "pull", "stop", "reconcile", "serve", "reanchor", "start", "done", "gap": // the last three may carry on a run that merges
	default:
		return
	}
	if dry, err := cmd.Flags().GetBool("dry-run"); err == nil && dry {
		return
	}
	console.Synced(ctx, c)
}
