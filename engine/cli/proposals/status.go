package proposals

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/notify"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/tools/memory"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

type statusOptions struct {
	agent     string
	all, mine bool
}

func newStatus(c *console.Console) *cobra.Command {
	var o statusOptions
	cmd := &cobra.Command{
		Use:   "status [ID]",
		Short: "What is in force, and which proposals are open",
		Long: `Status shows what is in force and the open proposals, newest first, and the runs of
workflows that someone asked for: active ones, and for a week how each ended.

With --mine it shows the proposals on which you must act, each with the command to type:
those that your review can bring forward, and your own that wait for an update, a rebase
or a merge. The highest risk comes first, then the oldest. It also shows the jobs of runs
that wait for your approval. You are the agent of
ASSENT_AGENT, or else the person whose key or address policies/roles.yaml lists.`,
		Example: `  assent status --mine
  assent status --agent scout --all
  assent status parse-csv-k3v9q2mt`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: complete.First(complete.AnyProposal(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if cmd.Flags().Changed("mine") || cmd.Flags().Changed("all") || cmd.Flags().Changed("agent") {
					return console.Usage("--mine, --all and --agent list proposals; with an ID, status shows that one")
				}
				return runShow(cmd.Context(), c, args[0])
			}
			if o.mine && o.all {
				return console.Usage("--mine lists open proposals only: nobody must act on the others of --all")
			}
			return runStatus(cmd.Context(), c, o)
		},
	}
	cmd.Flags().BoolVar(&o.mine, "mine", false, "only proposals and jobs of runs on which you must act")
	cmd.Flags().StringVar(&o.agent, "agent", "", "only proposals of this `AGENT`")
	cmd.Flags().BoolVar(&o.all, "all", false, "closed and merged proposals, too")
	return cmd
}

// statusJSON is the whole workspace for machines.
type statusJSON struct {
	Workspace tree.Hash           `json:"workspace"`
	Main      tree.Hash           `json:"main"`
	InForce   tree.Hash           `json:"in_force"`
	Blocked   []attest.Unattested `json:"blocked"`
	// Unproposed are commits that changed files of clients outside of a proposal.
	Unproposed []workspace.Unproposed `json:"unproposed,omitempty"`
	// Policies are the findings about the policies in force.
	Policies  diag.List         `json:"policies"`
	Proposals []output.Proposal `json:"proposals"`
	Damaged   []output.Damaged  `json:"damaged"`
	// Inbox are branches that were pushed to it and are no proposals yet; none with --mine or --agent.
	Inbox []reconcile.Offered `json:"inbox"`
	// Runs are those that someone asked for; with --agent or --mine those of that one.
	Runs []task.Request `json:"runs"`
	// Approvals are the jobs of runs that --mine lists.
	Approvals []task.Approval `json:"approvals,omitempty"`
	// Undelivered counts the notices that a target of your notify.yaml did not take, Outages names
	// these targets.
	Undelivered int             `json:"undelivered"`
	Outages     []notify.Outage `json:"outages,omitempty"`
	// Me names whose proposals --mine lists.
	Me []string `json:"me,omitempty"`
	// Unasked says why the service was not asked, if it was not.
	Unasked string `json:"unasked,omitempty"`
}

func runStatus(ctx context.Context, c *console.Console, o statusOptions) error {
	cur, err := c.Looked(ctx)
	if err != nil {
		return err
	}
	filter := forge.Filter{State: forge.Open, Author: o.agent}
	if o.all {
		filter.State = ""
	}
	s := statusJSON{Workspace: cur.Genesis, Main: cur.Main, InForce: cur.InForce, Blocked: cur.Blocked, Policies: append(diag.List{}, cur.PolicyDiags...), Proposals: []output.Proposal{}, Inbox: []reconcile.Offered{}}
	if s.Blocked == nil {
		s.Blocked = []attest.Unattested{}
	}
	if s.Unproposed, err = workspace.ListUnproposed(ctx, cur, tree.Hash{}); err != nil {
		return err
	}
	turns := map[string]string{} // by id, the command that --mine shows
	if o.mine {
		err = s.addMine(ctx, c, cur, filter, turns)
	} else {
		deeds := memory.DeedsOf(cur)
		s.Damaged, err = output.Examine(ctx, cur, filter, func(ex workspace.Examined) (err error) {
			v := output.ProposalOf(ex)
			if ex.Case.Pull.State == forge.Merged {
				if v.Did, err = deeds.Did(ex); err != nil {
					return err
				}
			}
			if err = v.NameMaker(cur); err == nil {
				v.Queued, err = queued(ctx, cur.Workspace, v, false)
			}
			s.Proposals = append(s.Proposals, v)
			return err
		})
	}
	if err != nil {
		return err
	}
	if err := s.addRequests(ctx, c, cur, o.agent); err != nil {
		return err
	}
	if !o.mine && o.agent == "" {
		if s.Inbox, err = reconcile.ListInbox(ctx, cur.Workspace); err != nil {
			return err
		}
	}
	s.Unasked = c.Unasked
	if c.JSON {
		if err := c.Emit(s); err != nil {
			return err
		}
		return output.PrintDamaged(c, s.Damaged)
	}
	output.PrintStanding(c, cur)
	output.PrintUnproposed(c, s.Unproposed)
	switch {
	case len(s.Proposals)+len(s.Approvals)+len(s.Damaged)+len(s.Inbox) > 0:
	case o.mine:
		c.Printf("nothing waits for %s\n", console.OneLine(strings.Join(s.Me, " or ")))
	default:
		c.Printf("no open proposals\n")
	}
	for _, v := range s.Proposals {
		printListed(c, v, cur.Now())
		output.PrintClaimed(c, v)
		c.Optional("next", turns[v.ID])
	}
	output.PrintInbox(c, cur.Workspace, s.Inbox, "")
	printApprovals(c, s.Approvals, cur.Now())
	printRequests(c, slices.DeleteFunc(s.Runs, func(r task.Request) bool { // they are listed with their command
		return slices.ContainsFunc(s.Approvals, func(a task.Approval) bool { return a.Run == r.Run })
	}), cur.Now())
	for _, o := range s.Outages {
		c.Complain("%s %s; %s", c.Style.Warn("warning:"), console.OneLine(o.String()), console.OneLine(o.Fix()))
	}
	return output.PrintDamaged(c, s.Damaged)
}

// addRequests adds the runs that were asked for, and what could not be delivered.
func (s *statusJSON) addRequests(ctx context.Context, c *console.Console, cur workspace.Session, agent string) (err error) {
	names := s.Me
	if agent != "" {
		names = []string{agent}
	}
	if s.Runs, err = task.Requested(ctx, cur, false, names...); err == nil {
		s.Outages, err = outages(c)
	}
	for _, o := range s.Outages {
		s.Undelivered += o.Notices
	}
	return err
}

// addMine adds the proposals and the jobs on which the caller must act, and the command for each.
func (s *statusJSON) addMine(ctx context.Context, c *console.Console, cur workspace.Session, filter forge.Filter, commands map[string]string) error {
	var err error
	if s.Me, err = console.Me(c, cur); err != nil {
		return err
	}
	turns, damaged, err := turnsOf(ctx, cur, filter, s.Me)
	s.Damaged = damaged
	for _, t := range turns {
		s.Proposals, commands[t.ID] = append(s.Proposals, t.Proposal), t.run
	}
	if err != nil {
		return err
	}
	s.Approvals, err = task.Approvals(ctx, cur, s.Me...)
	s.Approvals = slices.DeleteFunc(s.Approvals, func(a task.Approval) bool { return filter.Author != "" && a.For != filter.Author })
	return err
}

// printListed shows one proposal of a list on two lines, and one more for each required check that
// holds it up.
func printListed(c *console.Console, v output.Proposal, now time.Time) {
	waits := ""
	for _, r := range v.WaitingFor {
		waits += "; waits for " + output.WaitText(r)
	}
	state := c.Style.State(v.State)
	if v.Queued {
		state += ", queued"
	}
	c.Printf("%s  %s\n  %s, %s risk, by %s, %s%s\n", c.Style.Bold(console.OneLine(v.ID)), console.OneLine(v.Goal),
		state, console.OneLine(v.Risk), console.OneLine(v.Agent), console.Ago(now, v.Opened), console.OneLine(waits))
	output.PrintMaker(c, v)
	for _, d := range v.Did {
		c.Printf("  %s\n", console.OneLine(d.Text()))
	}
	switch proposal.State(v.State) {
	case proposal.Waiting, proposal.ChangesRequested, proposal.Refused:
		for _, s := range v.Checks {
			if s.State != policy.CheckPassed {
				output.PrintCheck(c, s)
			}
		}
	}
}

func newShow(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Everything about one proposal",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return runShow(cmd.Context(), c, args[0]) },
	}
}

// showJSON is one proposal with its conversation.
type showJSON struct {
	output.Proposal
	Rationale string         `json:"rationale"`
	Activity  []output.Event `json:"activity"`
	Unasked   string         `json:"unasked,omitempty"`
}

// queued reports whether the service is to merge an open proposal later. In a list, only
// approved proposals are looked up, and only if the engine queues.
func queued(ctx context.Context, w *workspace.Workspace, v output.Proposal, one bool) (bool, error) {
	if v.State == string(proposal.Merged) || !one && (!w.Forge.Traits().Queues || v.State != string(proposal.Approved)) {
		return false, nil
	}
	return w.Forge.Queued(ctx, v.ID)
}

func runShow(ctx context.Context, c *console.Console, id string) error {
	cur, pull, err := c.Shown(ctx, id)
	if err != nil {
		return err
	}
	v, ex, err := output.ExaminedProposal(ctx, c, cur, pull.ID)
	if err != nil {
		return err
	}
	if err := v.NameWeak(cur, ex); err != nil {
		return err
	}
	if err := errors.Join(v.NameUnforced(ctx, cur, ex), v.NameUpstream(cur, ex), v.NameFailed(cur, ex), v.NameOrigin(cur), v.NameMaker(cur)); err != nil {
		return err
	}
	if v.Queued, err = queued(ctx, cur.Workspace, v, true); err != nil {
		return err
	}
	if v.Did, err = memory.DeedsOf(cur).Did(ex); err != nil {
		return err
	}
	activity := ex.Case.Activity
	if pull.State == forge.Merged { // with comments after the merge, which its judgement does not use
		if activity, err = cur.Record.Activity(ctx, pull.ID); err != nil {
			return err
		}
	}
	events := output.EventsOf(activity, ex.Case.Ignored())
	if c.JSON {
		return c.Emit(showJSON{v, ex.Case.Proposal.Body, events, c.Unasked})
	}
	output.PrintProposal(c, v)
	c.Printf("\n%s\n", console.Clean(ex.Case.Proposal.Body))
	for _, e := range events {
		text := e.What
		if e.Text != "" {
			text += ": " + e.Text
		}
		c.Printf("%s  %s %s\n", c.Style.Dim(e.At.Local().Format("2006-01-02 15:04")), c.Style.Bold(console.OneLine(e.By)), console.OneLine(text))
	}
	return nil
}

func newWhy(c *console.Console) *cobra.Command {
	var agent, mission string
	cmd := &cobra.Command{
		Use:   "why ID | NAME | PATH",
		Short: "Why something is not merged, not in force, or cannot be used",
		Long: `Why explains: of a proposal, every rule of the gate with its answer, what could
change it, and by which command; of a capability or file, whether it is in force and by which merge.
Of a capability in force it also says what prevents its use now, with --agent by that agent: its
status or agents, a stop, quarantine, the policies, a secret or program that is missing, or the
session's limits. Of a tool that a mission orders among equally fit ones by a random draw, it shows
the draw, with its seed, place and odds. assent link MISSION --why NAME says why a mission was linked with it or not.`,
		Example: `  assent why parse-csv --agent scout
  assent why skills/data/parse-csv/SKILL.md`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWhy(cmd.Context(), c, args[0], agent, mission)
		},
	}
	complete.AgentFlag(cmd, c, &agent)
	cmd.Flags().StringVar(&mission, "mission", "", "show the draws of the mission with this `ID` (default: the newest that has some)")
	return cmd
}

func printVerdict(c *console.Console, v output.Proposal) {
	c.Printf("%s is %s\n", c.Style.Bold(console.OneLine(v.ID)), c.Style.State(v.State))
	output.PrintUnforced(c, v)
	c.Printf("risk %s\n", console.OneLine(v.Risk))
	for _, r := range v.RiskReasons {
		c.Printf("  because %s\n", console.OneLine(r))
	}
	output.PrintMaker(c, v)
	output.PrintOrigin(c, v.Origin)
	for _, why := range v.Outside {
		c.Printf("from outside: %s\n", console.OneLine(why))
	}
	for _, o := range v.Opinions {
		text, _ := o.Text()
		c.Printf("second opinion: %s\n", console.OneLine(text))
	}
	for _, text := range output.TestsText(v.Tests) {
		c.Printf("tests: %s\n", console.OneLine(text))
	}
	output.PrintDid(c, v.Did...)
	output.PrintNotApplied(c, v)
	for _, line := range v.Verdict.Lines() {
		c.Printf("%s\n", console.Clean(line))
	}
	if v.Verdict.Allowed() && v.State == string(proposal.Waiting) {
		for _, why := range v.Reasons {
			c.Printf("held: %s\n", console.OneLine(why))
		}
	}
	output.PrintWeak(c, v.Weak)
	output.PrintWayOut(c, v)
}
