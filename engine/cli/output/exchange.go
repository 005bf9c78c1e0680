package output

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/agents/skillsync"
	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Pulled is the result of a pull.
type Pulled struct {
	Remote    string              `json:"remote"`
	Main      moveJSON            `json:"main"`
	Ahead     bool                `json:"ahead"` // main here has commits that the remote lacks
	Held      string              `json:"held"`  // why main stays although the remote's moved
	Proposals []pulledJSON        `json:"proposals"`
	Runs      []pulledRunJSON     `json:"runs"`
	Folded    []string            `json:"folded"` // lines of folded journals that moved
	Beside    []string            `json:"beside"` // diverged ones, kept in a second ref
	Stops     []string            `json:"stops"`  // records of assent stop that came in
	Trials    []string            `json:"trials"` // writers whose journals of trials came forward
	Problems  []string            `json:"problems"`
	Kept      []keptJSON          `json:"kept"` // files that stay as they were edited
	Blocked   []attest.Unattested `json:"blocked"`
	// Unproposed are commits that changed files of clients outside of a proposal.
	Unproposed []workspace.Unproposed `json:"unproposed,omitempty"`
	Inbox      []reconcile.Offered    `json:"inbox"`    // branches that are no proposals yet
	Replayed   []Replayed             `json:"replayed"` // merges that --replay gave up
	DryRun     bool                   `json:"dry_run,omitempty"`
	// Synced are the clients' folders of skills that changed.
	Synced []skillsync.Plan `json:"synced,omitempty"`
}

// Replayed is a merge that was given up, and its replacement.
type Replayed struct {
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
	// Overridden is set for what a person decided about a run.
	Overridden *OverriddenDecision `json:"lost,omitempty"`
}

// OverriddenDecision is a person's decision about a run that another clone's earlier push made void.
type OverriddenDecision struct {
	// Decision is approval, rejection or cancellation.
	Decision string    `json:"decision"`
	Job      string    `json:"job,omitempty"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	// Stands says what is the case instead, Next what to do.
	Stands string `json:"stands"`
	Next   string `json:"next,omitempty"`
}

// OverriddenDecisionOf returns nil for a record that is no decision, or whose run is as it wants.
func OverriddenDecisionOf(s run.State, r run.Record) *OverriddenDecision {
	stands, next := s.Overridden(r)
	if stands == "" {
		return nil
	}
	return &OverriddenDecision{Decision: r.Decision(), Job: r.Job, By: r.By, At: r.At, Stands: stands, Next: next}
}

// String says all of it in a line.
func (l OverriddenDecision) String() string {
	of := ""
	if l.Job != "" {
		of = " of " + l.Job
	}
	out := fmt.Sprintf("the %s%s by %s at %s does not count because another clone pushed first: %s", l.Decision, of, l.By, l.At.UTC().Format(time.RFC3339), l.Stands)
	if l.Next != "" {
		out += "; " + l.Next
	}
	return out
}

type keptJSON struct {
	Path   string    `json:"path"`
	Why    string    `json:"why"`
	Staged tree.Hash `json:"staged"` // the staged content if no file holds it, else ""
}

// PulledOf is the JSON of a pull.
func PulledOf(p exchange.Pulled) Pulled {
	v := Pulled{
		Replayed: []Replayed{}, Inbox: []reconcile.Offered{},
		Remote: p.Remote, Main: moveJSON{attest.MainRef, p.Main.Old, p.Main.New}, Ahead: p.Ahead, Proposals: []pulledJSON{}, Runs: []pulledRunJSON{},
		Folded: append([]string{}, p.Lines...), Beside: append([]string{}, p.Beside...), Stops: append([]string{}, p.Stops...), Trials: append([]string{}, p.Trials...), Problems: []string{}, Kept: []keptJSON{}, Blocked: []attest.Unattested{},
	}
	for _, one := range p.Proposals {
		j := pulledJSON{ID: one.ID, Took: one.Took, Again: one.Again, Branch: one.Branch.New, Stays: one.Stays, Aside: []asideJSON{}, Ref: one.AsideRef}
		for _, a := range one.Aside {
			j.Aside = append(j.Aside, asideJSON{a.Event.Kind, a.Event.By, a.Why, nil})
		}
		v.Proposals = append(v.Proposals, j)
	}
	for _, one := range p.Runs {
		j := pulledRunJSON{ID: one.ID, Took: one.Took, Again: one.Again, Aside: []asideJSON{}, Ref: one.AsideRef}
		for _, a := range one.Aside {
			j.Aside = append(j.Aside, asideJSON{string(a.Record.Kind), a.Record.By, a.Why, OverriddenDecisionOf(one.State, a.Record)})
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

// PrintPulled shows the result of a pull.
func PrintPulled(c *console.Console, p exchange.Pulled) {
	switch {
	case p.Main.Old != p.Main.New:
		c.Printf("%s main is now at %s, was %s\n", c.Style.Good("pulled"), p.Main.New.Short(), short(p.Main.Old))
	case p.Ahead:
		c.Printf("main here has commits that %s lacks; publish them with assent push\n", console.OneLine(p.Remote))
	}
	for _, one := range p.Proposals {
		c.Printf("%s %s%s\n", c.Style.Good("pulled"), console.OneLine(one.ID), unionText(one))
		for _, a := range one.Aside {
			c.Printf("  %s your %s (%s): %s\n", c.Style.Warn("kept aside"), console.OneLine(a.Event.Kind), console.OneLine(a.Event.By), console.OneLine(a.Why))
		}
		if one.AsideRef != "" {
			c.Field("", "git log "+names.ShellWord(one.AsideRef)+" shows it")
		}
		if one.Stays != "" {
			c.Printf("  %s %s\n", c.Style.Warn("stays:"), console.OneLine(one.Stays))
		}
	}
	for _, one := range p.Runs {
		printRun(c, one)
	}
	for _, line := range p.Lines {
		c.Printf("%s folded journals of %s\n", c.Style.Good("pulled"), console.OneLine(line))
	}
	for _, line := range p.Beside {
		c.Printf("%s the remote's folded journals %s diverged and are kept separately; assent maintenance unites them\n", c.Style.Warn("pulled"), console.OneLine(line))
	}
	if n := len(p.Stops); n > 0 {
		c.Printf("%s %s; assent stop --list shows what is stopped\n", c.Style.Good("pulled"), console.Plural(n, "stop record"))
	}
	if n := len(p.Trials); n > 0 {
		c.Printf("%s trials of %s; assent stats sums them up\n", c.Style.Good("pulled"), console.Plural(n, "other installation"))
	}
	for _, err := range p.Problems {
		c.Complain("%s left as it is: %s", c.Style.Warn("warning:"), console.OneLine(err.Error()))
	}
	PrintCheckout(c, p.Worktree, p.WorktreeErr)
	if p.Held == nil && p.Main.Old == p.Main.New && len(p.Proposals)+len(p.Runs)+len(p.Stops)+len(p.Trials)+len(p.Lines)+len(p.Beside) == 0 {
		c.Printf("nothing new on %s\n", console.OneLine(p.Remote))
	}
}

func printRun(c *console.Console, one exchange.Run) {
	text := ""
	if one.Took > 0 {
		text += ", " + console.Plural(one.Took, "step")
	}
	if one.Again > 0 {
		text += ", yours follow: " + console.Plural(one.Again, "step")
	}
	c.Printf("%s run %s  %s\n", c.Style.Good("pulled"), console.OneLine(one.ID), strings.TrimPrefix(text, ", "))
	for _, a := range one.Aside {
		what := string(a.Record.Kind)
		if a.Record.Job != "" { // some are about the run itself
			what += " of " + a.Record.Job
		}
		c.Printf("  %s your %s (%s): %s\n", c.Style.Warn("kept aside"), console.OneLine(what), console.OneLine(a.Record.By), console.OneLine(a.Why))
		if l := OverriddenDecisionOf(one.State, a.Record); l != nil {
			c.Complain("%s run %s: %s", c.Style.Warn("warning:"), console.OneLine(one.ID), console.OneLine(l.String()))
		}
	}
	if one.AsideRef != "" {
		c.Field("", "git log "+names.ShellWord(one.AsideRef)+" shows it")
	}
}

func unionText(one exchange.Proposal) string {
	var parts []string
	if one.Took > 0 {
		parts = append(parts, console.Plural(one.Took, "event"))
	}
	if one.Again > 0 {
		parts = append(parts, "yours follow: "+console.Plural(one.Again, "event"))
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

// Pushed is the result of a push.
type Pushed struct {
	Remote string     `json:"remote"`
	Moved  []moveJSON `json:"moved"`
	Held   []heldJSON `json:"held"`
	Words  string     `json:"words"` // the remote's message for people
	Pulled []Pulled   `json:"pulled"`
	// Invite is the command for others to clone and to check the remote's commit in force.
	Invite string `json:"invite,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
}

type heldJSON struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// PushedOf is the JSON of a push.
func PushedOf(out exchange.Pushed, dryRun bool) Pushed {
	v := Pushed{Remote: out.Remote, Moved: []moveJSON{}, Held: []heldJSON{}, Words: out.Words, Pulled: []Pulled{}, DryRun: dryRun}
	for _, m := range out.Moves {
		v.Moved = append(v.Moved, moveJSON{m.Ref, m.Old, m.New})
	}
	for _, h := range out.Held {
		v.Held = append(v.Held, heldJSON{h.What, h.Why})
	}
	for _, p := range out.Pulled {
		v.Pulled = append(v.Pulled, PulledOf(p))
	}
	return v
}

// PrintPushed shows the published refs, one line for each proposal.
func PrintPushed(c *console.Console, out exchange.Pushed, dryRun bool) {
	for _, p := range out.Pulled {
		PrintPulled(c, p)
	}
	verb := c.Style.Good("pushed")
	if dryRun {
		verb = c.Style.Warn("would push")
	}
	journals := map[string]bool{}
	for _, m := range out.Moves {
		if id, ok := strings.CutPrefix(m.Ref, "refs/assent/pulls/"); ok {
			journals[id] = true
		}
	}
	for _, m := range out.Moves {
		if id, ok := strings.CutPrefix(m.Ref, "refs/heads/proposal/"); ok && journals[id] {
			continue // shown with its journal
		}
		c.Printf("%s %s at %s\n", verb, console.OneLine(published(m)), m.New.Short())
	}
	if len(out.Moves)+len(out.Held) == 0 {
		c.Printf("%s has all that is here\n", console.OneLine(out.Remote))
	}
	for line := range strings.Lines(out.Words) {
		c.Progress("remote: %s", console.OneLine(strings.TrimSpace(line)))
	}
	for _, h := range out.Held {
		c.Printf("%s %s: %s\n", c.Style.Warn("not published:"), console.OneLine(h.What), console.OneLine(h.Why))
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

// HeldBack returns a refusal that names the refs that could not be published.
func HeldBack(c *console.Console, out exchange.Pushed) error {
	const hint = "assent pull merges the remote's journals, or says why it cannot"
	if !c.JSON {
		c.Complain("%s %s", c.Style.Dim("hint:"), hint)
		return console.Quiet(console.ExitRefused)
	}
	whats := make([]string, len(out.Held))
	for i, h := range out.Held {
		whats[i] = h.What + ": " + h.Why
	}
	return &console.Failure{Code: console.ExitRefused, Err: fmt.Errorf("not all was published: %s", strings.Join(whats, "; ")), Hint: hint}
}
