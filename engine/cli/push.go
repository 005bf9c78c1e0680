package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

func newPush(c *console) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "push [REMOTE] [ID...]",
		Short: "Publish what this clone knows and the remote does not",
		Long: `Push publishes proposals with their journals, and main where that only moves it
forward, to a remote (origin, unless you name one). All of it arrives at once or not
at all. Where others were faster, their work is taken in as assent pull does it,
and yours follows.

With IDs, only these proposals are published, and main only if it merges one of
them.`,
		Example: `  assent push
  assent push origin parse-csv-k3v9q2mt`,
		ValidArgsFunction: first(c.anyProposal),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPush(cmd.Context(), c, args, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "ask the remote and say what would move there, but send nothing")
	return cmd
}

// pushJSON is what a push published.
type pushJSON struct {
	Remote string        `json:"remote"`
	Moved  []moveJSON    `json:"moved"`
	Held   []heldJSON    `json:"held"`
	Words  string        `json:"words"` // what the remote said for people
	Pulled []broughtJSON `json:"pulled"`
	// Invite is the command by which others clone and check what the remote has in force.
	Invite string `json:"invite,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
}

type heldJSON struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

func runPush(ctx context.Context, c *console, args []string, dryRun bool) error {
	w, err := c.reach(ctx)
	if err != nil {
		return err
	}
	o, err := c.pushOptions(ctx, w, args)
	if err != nil {
		return err
	}
	o.DryRun = dryRun
	out, err := exchange.Push(ctx, w, o)
	if err != nil {
		return c.exchanged(err)
	}
	invite := ""
	if !dryRun && len(o.IDs) == 0 {
		invite = c.invitation(ctx, w, out)
	}
	if c.json {
		v := pushViewOf(out, dryRun)
		v.Invite = invite
		if err := c.emit(v); err != nil {
			return err
		}
	} else {
		c.pushed(out, dryRun)
		c.optional("invite", invite)
	}
	if len(out.Held) > 0 && !dryRun {
		return c.heldBack(out)
	}
	return nil
}

func pushViewOf(out exchange.Pushed, dryRun bool) pushJSON {
	v := pushJSON{Remote: out.Remote, Moved: []moveJSON{}, Held: []heldJSON{}, Words: out.Words, Pulled: []broughtJSON{}, DryRun: dryRun}
	for _, m := range out.Moves {
		v.Moved = append(v.Moved, moveJSON{m.Ref, m.Old, m.New})
	}
	for _, h := range out.Held {
		v.Held = append(v.Held, heldJSON{h.What, h.Why})
	}
	for _, p := range out.Pulled {
		v.Pulled = append(v.Pulled, pullViewOf(p))
	}
	return v
}

// pushOptions tells a remote from proposals: a first argument that names a remote
// is one.
func (c *console) pushOptions(ctx context.Context, w *workspace.Workspace, args []string) (exchange.Options, error) {
	o := exchange.Options{Remote: defaultRemote, Say: func(line string) { c.progress("%s", oneLine(line)) }}
	if len(args) > 0 && w.Repo.Config("remote."+args[0]+".url") != "" {
		o.Remote, args = args[0], args[1:]
	}
	for i, arg := range args {
		pull, err := propose.Resolve(ctx, w, arg)
		if i == 0 && o.Remote == defaultRemote && errors.Is(err, forge.ErrNotFound) {
			return o, &failure{code: exitUsage, err: fmt.Errorf("%s is neither a remote nor a proposal", arg),
				hint: "git remote -v lists the remotes, assent status --all the proposals"}
		}
		if err != nil {
			return o, err
		}
		o.IDs = append(o.IDs, pull.ID)
	}
	return o, nil
}

// pushed shows what was published, one line for each proposal.
func (c *console) pushed(out exchange.Pushed, dryRun bool) {
	for _, p := range out.Pulled {
		c.pulled(p)
	}
	verb := c.style.good("pushed")
	if dryRun {
		verb = c.style.warn("would push")
	}
	journals := map[string]bool{}
	for _, m := range out.Moves {
		if id, ok := strings.CutPrefix(m.Ref, "refs/assent/pulls/"); ok {
			journals[id] = true
		}
	}
	for _, m := range out.Moves {
		if id, ok := strings.CutPrefix(m.Ref, "refs/heads/proposal/"); ok && journals[id] {
			continue // told with its journal
		}
		c.printf("%s %s at %s\n", verb, oneLine(published(m)), m.New.Short())
	}
	if len(out.Moves)+len(out.Held) == 0 {
		c.printf("%s has all that is here\n", oneLine(out.Remote))
	}
	for line := range strings.Lines(out.Words) {
		c.progress("remote: %s", oneLine(strings.TrimSpace(line)))
	}
	for _, h := range out.Held {
		c.printf("%s %s: %s\n", c.style.warn("not published:"), oneLine(h.What), oneLine(h.Why))
	}
}

func published(m remote.Move) string {
	for _, prefix := range []string{"refs/assent/pulls/", "refs/assent/", "refs/heads/"} {
		if rest, ok := strings.CutPrefix(m.Ref, prefix); ok {
			return rest
		}
	}
	return m.Ref
}

// heldBack makes a refusal of what could not be published.
func (c *console) heldBack(out exchange.Pushed) error {
	const hint = "assent pull takes in what the remote has, or tells why it cannot"
	if !c.json {
		c.complain("%s %s", c.style.dim("hint:"), hint)
		return quiet(exitRefused)
	}
	whats := make([]string, len(out.Held))
	for i, h := range out.Held {
		whats[i] = h.What + ": " + h.Why
	}
	return &failure{code: exitRefused, err: fmt.Errorf("not all was published: %s", strings.Join(whats, "; ")), hint: hint}
}
