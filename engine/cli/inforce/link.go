package inforce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/linker"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

type linkOptions struct {
	agent, model, lock, verify, why, id string
	context                             []string
	budget, each                        int
	preflight                           bool
}

func newLink(c *console.Console) *cobra.Command {
	var o linkOptions
	cmd := &cobra.Command{
		Use:   "link MISSION",
		Short: "Choose the capabilities in force for a mission",
		Long: `Link parts a mission into steps, searches each, and answers in two phases: what nothing
serves or what is broken, and what the mission is linked with, in order. What a
capability requires is linked before it; skills that apply to it, after it. It says what
was left out and why, and how many tokens the link adds to a prompt. An archived capability
that fits a step better than all that can be used is named with the command that restores it.

Of what fits a step, what did well in trials comes first; a skill that fails as often as it
succeeds is left out. The same mission gives the same link while the capabilities,
policies and trials stay the same. With --id, tools that do the same thing equally well
and have no effects outside are ordered by a random draw, as in assent mission start; the
same ID gives the same order. If security.yaml names a model under embeddings, descriptions
and the words of the search are sent to it, and its vectors rank too. MISSION may be "-" for standard input.

--preflight runs the smoke tests of linked code first. --lock writes what was linked.
--verify links the mission of such a file again, and says what moved since; then the exit
code is 1. --why explains what became of one capability.`,
		Example: `  assent link "clean the contacts table, then send a summary by email"
  assent link - --agent scout --budget 2000 --json < mission.txt
  assent link "clean the contacts table" --lock mission.lock
  assent link --verify mission.lock`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runLink(cmd, c, o, args) },
	}
	o.flags(cmd, c)
	cmd.Flags().StringVar(&o.id, "id", "", "explore equally fit tools as the mission with this `ID` does")
	cmd.Flags().StringVar(&o.verify, "verify", "", "link the mission of a lock `FILE` again, and list the differences")
	cmd.Flags().StringVar(&o.why, "why", "", "explain for each step why the capability `NAME` was linked or not")
	complete.Flag(cmd, "why", complete.Names(c))
	return cmd
}

// flags are those of a link.
func (o *linkOptions) flags(cmd *cobra.Command, c *console.Console) {
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().StringVar(&o.model, "model", "", "weigh skills by how they did with this `MODEL`")
	cmd.Flags().StringSliceVar(&o.context, "context", nil, "`TAGS` of the mission, beside those in its words")
	cmd.Flags().IntVar(&o.budget, "budget", 0, "at most `TOKENS` in the link; 0 for no bound")
	cmd.Flags().IntVar(&o.each, "each", 3, "at most `N` capabilities for each step")
	cmd.Flags().BoolVar(&o.preflight, "preflight", false, "run the smoke tests of linked code that did not run for a day, and replace what fails")
	cmd.Flags().StringVar(&o.lock, "lock", "", "write the link's lock to `FILE`")
}

func runLink(cmd *cobra.Command, c *console.Console, o linkOptions, args []string) error {
	q, before, err := o.question(cmd.Context(), c, cmd, args)
	if err != nil {
		return err
	}
	cur, err := c.Current(cmd.Context())
	if err != nil {
		return err
	}
	var asked capability.Folder
	if o.why != "" {
		if asked, err = console.CapabilityNamed(cur, o.why); err != nil {
			return err
		}
	}
	answer, here, ran, err := o.link(cmd.Context(), c, cur, q)
	if err != nil {
		return err
	}
	out, err := linkView(cmd.Context(), c, here, answer, q)
	out.Preflight = ran
	if err != nil {
		return err
	}
	if before != nil {
		out.Moved = before.Moved(answer.Lock)
	}
	if o.why != "" {
		if out.Why, err = linkReasons(here, answer, q, asked); err != nil {
			return err
		}
	}
	if err := o.writeLock(cmd.Context(), answer.Lock); err != nil {
		return err
	}
	if c.JSON {
		err = c.Emit(out)
	} else if out.Why != nil {
		printLinkWhy(c, out)
	} else {
		printLink(c, out, before != nil)
	}
	if err == nil && len(out.Moved) > 0 {
		return console.Quiet(console.ExitFindings)
	}
	return err
}

// question returns the linker's question; before is the lock to verify.
func (o linkOptions) question(ctx context.Context, c *console.Console, cmd *cobra.Command, args []string) (q link.Question, before *link.Lock, err error) {
	if o.verify != "" {
		for _, name := range []string{"agent", "model", "context", "budget", "each", "lock", "id"} {
			if cmd.Flags().Changed(name) {
				return q, nil, console.Usage("--verify takes --%s from the lock", name)
			}
		}
		if len(args) > 0 {
			return q, nil, console.Usage("--verify takes the mission from the lock")
		}
		data, err := console.ReadFile(ctx, c, o.verify, link.MaxLock)
		if err != nil {
			return q, nil, console.Unread("the lock", err)
		}
		l, err := link.ParseLock(data)
		if err != nil {
			return q, nil, console.Usage("%s is no lock of a mission: %w", o.verify, err)
		}
		return l.Question, &l, nil
	}
	q = link.Question{Agent: o.agent, Model: o.model, Context: slices.Compact(slices.Sorted(slices.Values(o.context))), Budget: o.budget, Each: o.each, ID: o.id}
	switch {
	case len(args) == 0:
		return q, nil, console.Usage("say what the mission is")
	case o.budget < 0:
		return q, nil, console.Usage("--budget %d: want 0 or more tokens", o.budget)
	case o.each < 1:
		return q, nil, console.Usage("--each %d: want one or more", o.each)
	}
	if err := trial.CheckMission(o.id); o.id != "" && err != nil {
		return q, nil, console.Usage("--id: %w", err)
	}
	for _, t := range q.Context {
		if !capability.IsTag(t) {
			return q, nil, console.Usage("--context %q is no tag: want a lower-case word such as eu or quoted-fields", t)
		}
	}
	q.Mission = args[0]
	if args[0] == "-" {
		data, err := console.ReadFile(ctx, c, "-", link.MaxMission)
		if err != nil {
			return q, nil, console.Unread("the mission", err)
		}
		q.Mission = string(data)
	}
	if len(q.Mission) > link.MaxMission {
		return q, nil, console.Usage("the mission is longer than %d bytes: shorten it", link.MaxMission)
	}
	q.Mission = strings.ToValidUTF8(q.Mission, "\ufffd")
	return q, nil, nil
}

// writeLock writes the lock of a link, if asked for.
func (o linkOptions) writeLock(ctx context.Context, l link.Lock) error {
	if o.lock == "" {
		return nil
	}
	data, err := l.Encode()
	if err == nil {
		err = console.WriteFile(ctx, o.lock, data)
	}
	if err != nil {
		return fmt.Errorf("write the lock: %w", err)
	}
	return nil
}

// linkNow links a mission, and names what it could not read.
func linkNow(ctx context.Context, c *console.Console, cur workspace.Session, q link.Question) (answer linker.Answer, here discover.Here, err error) {
	if here, err = discover.Open(ctx, cur); err != nil {
		return answer, here, err
	}
	here = here.WithEmbeddings(ctx)
	var trials triallog.Reading
	if err := trialsOf(cur).Refresh(&trials); err != nil {
		return answer, here, err
	}
	answer, err = linker.Run(ctx, here, &trials, q)
	if errors.Is(err, linker.ErrNothingAsked) {
		return answer, here, console.Usage("the mission has no words: describe the task")
	}
	for _, p := range answer.Problems {
		c.Complain("%s %s", c.Style.Warn("warning:"), console.OneLine(p.Error()))
	}
	return answer, here, err
}
