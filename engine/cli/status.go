package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

type statusOptions struct {
	agent string
	all   bool
}

func newStatus(c *console) *cobra.Command {
	var o statusOptions
	cmd := &cobra.Command{
		Use:   "status [ID]",
		Short: "What is in force, and which proposals are open",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return runShow(cmd.Context(), c, args[0])
			}
			return runStatus(cmd.Context(), c, o)
		},
	}
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
	// Policies is what is wrong with the policies in force.
	Policies  diag.List      `json:"policies"`
	Proposals []proposalJSON `json:"proposals"`
	Damaged   []damagedJSON  `json:"damaged"`
	// Unasked says why the service was not asked, where it was not.
	Unasked string `json:"unasked,omitempty"`
}

func runStatus(ctx context.Context, c *console, o statusOptions) error {
	cur, err := c.looked(ctx)
	if err != nil {
		return err
	}
	filter := forge.Filter{State: forge.Open, Author: o.agent}
	if o.all {
		filter.State = ""
	}
	examined, broken, err := proposals(ctx, cur, filter)
	if err != nil {
		return err
	}
	s := statusJSON{Workspace: cur.Genesis, Main: cur.Main, InForce: cur.InForce, Blocked: cur.Blocked, Policies: append(diag.List{}, cur.PolicyDiags...), Proposals: []proposalJSON{}, Damaged: broken}
	if s.Blocked == nil {
		s.Blocked = []attest.Unattested{}
	}
	for _, ex := range examined {
		v := viewOf(ex)
		if v.Queued, err = queued(ctx, cur.Workspace, v, false); err != nil {
			return err
		}
		s.Proposals = append(s.Proposals, v)
	}
	s.Unasked = c.unasked
	if c.json {
		if err := c.emit(s); err != nil {
			return err
		}
		return c.damaged(broken)
	}
	c.standing(cur)
	if len(s.Proposals) == 0 && len(broken) == 0 {
		c.printf("no open proposals\n")
	}
	for _, v := range s.Proposals {
		waits := ""
		for _, r := range v.WaitingFor {
			waits += "; waits for " + waitText(r)
		}
		state := c.state(v.State)
		if v.Queued {
			state += ", queued"
		}
		c.printf("%s  %s\n  %s, %s risk, by %s%s\n", c.style.bold(oneLine(v.ID)), oneLine(v.Goal),
			state, oneLine(v.Risk), oneLine(v.Agent), oneLine(waits))
	}
	return c.damaged(broken)
}

// standing says what is in force and what stands in its way.
func (c *console) standing(cur workspace.Session) {
	if len(cur.Blocked) == 0 {
		c.printf("in force: main at %s\n", cur.InForce.Short())
	} else {
		c.printf("in force: %s; %s\n", cur.InForce.Short(), c.style.bad("main is past it and not in force"))
	}
	broken := cur.Halt()
	if broken != nil {
		c.broken(*broken, len(cur.Blocked))
	}
	for _, b := range cur.Blocked {
		if broken != nil { // the others follow from it, and --json has them
			break
		}
		c.printf("  %s %s  %s (%s)\n", c.style.bad("not in force"), b.Commit.Short(), oneLine(b.Subject), oneLine(b.Author))
		for _, p := range b.Paths {
			c.printf("      %s\n", oneLine(p))
		}
		c.printf("      %s\n", c.style.dim("why: "+oneLine(b.Why)))
	}
	if n := len(cur.Blocked); n > 0 && broken == nil {
		c.printf("  %s\n", oneLine(cur.Blocked[n-1].Remedy()))
	}
	for _, d := range cur.PolicyDiags {
		c.printf("  %s %s\n", c.style.warn("policies:"), oneLine(d.String()))
	}
}

// broken says which merge is refused that a listed key announced, or which re-anchor was
// not accepted.
func (c *console) broken(b attest.Unattested, blocked int) {
	what := "break"
	if b.Reanchor != "" {
		what = "re-anchor"
	}
	c.printf("  %s %s  %s\n", c.style.bad(what), b.Commit.Short(), oneLine(b.Subject))
	c.optional("proposal", oneLine(b.Proposal))
	if b.Reanchor == "" {
		c.field("announced", "by "+oneLine(b.AnnouncedBy))
	}
	c.field("refused", oneLine(b.Why))
	c.field("blocked", plural(blocked, "commit")+" of main, this one included")
	c.field("resolve", oneLine(b.WaysOut()))
}

func newShow(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Everything about one proposal",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return runShow(cmd.Context(), c, args[0]) },
	}
}

// showJSON is one proposal with its conversation.
type showJSON struct {
	proposalJSON
	Rationale string      `json:"rationale"`
	Activity  []eventJSON `json:"activity"`
	Unasked   string      `json:"unasked,omitempty"`
}

// queued reports whether the service is to merge an open proposal later. In a list, only
// approved proposals are looked up, and only if the engine queues.
func queued(ctx context.Context, w *workspace.Workspace, v proposalJSON, one bool) (bool, error) {
	if v.State == string(proposal.Merged) || !one && (!w.Forge.Traits().Queues || v.State != string(proposal.Approved)) {
		return false, nil
	}
	return w.Forge.Queued(ctx, v.ID)
}

func runShow(ctx context.Context, c *console, id string) error {
	cur, pull, err := c.shown(ctx, id)
	if err != nil {
		return err
	}
	ex, err := cur.Examine(ctx, pull.ID)
	if err != nil {
		return err
	}
	v := viewOf(ex)
	if v.Queued, err = queued(ctx, cur.Workspace, v, true); err != nil {
		return err
	}
	said := ex.Case.Activity
	if pull.State == forge.Merged { // people said more since, which is not what it was judged by
		if said, err = cur.Record.Activity(ctx, pull.ID); err != nil {
			return err
		}
	}
	if c.json {
		return c.emit(showJSON{v, ex.Case.Proposal.Body, eventsOf(said), c.unasked})
	}
	c.proposal(v)
	c.printf("\n%s\n", clean(ex.Case.Proposal.Body))
	for _, e := range eventsOf(said) {
		text := e.What
		if e.Text != "" {
			text += ": " + e.Text
		}
		c.printf("%s  %s %s\n", c.style.dim(e.At.Local().Format("2006-01-02 15:04")), c.style.bold(oneLine(e.By)), oneLine(text))
	}
	return nil
}

func newWhy(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "why ID | NAME | PATH",
		Short: "Why something is not merged, or not in force",
		Long: `Why explains: of a proposal, every rule of the gate with its answer, what could
change it, and by which command; of a capability or file, whether it is in force and by which merge.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runWhy(cmd.Context(), c, args[0]) },
	}
}

func (c *console) verdict(v proposalJSON) {
	c.printf("%s is %s\n", c.style.bold(oneLine(v.ID)), c.state(v.State))
	c.printf("risk %s\n", oneLine(v.Risk))
	for _, r := range v.RiskReasons {
		c.printf("  because %s\n", oneLine(r))
	}
	for _, why := range v.Outside {
		c.printf("from outside: %s\n", oneLine(why))
	}
	for _, o := range v.Opinions {
		said, _ := o.text()
		c.printf("second opinion: %s\n", oneLine(said))
	}
	for _, text := range testsText(v.Tests) {
		c.printf("tests: %s\n", oneLine(text))
	}
	for _, line := range v.Verdict.Lines() {
		c.printf("%s\n", clean(line))
	}
	if v.Verdict.Allowed() && v.State == string(proposal.Waiting) {
		for _, why := range v.Reasons {
			c.printf("held: %s\n", oneLine(why))
		}
	}
	c.wayOut(v)
}
