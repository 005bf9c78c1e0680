package proposals

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/followup"
	"github.com/assent-dev/assent/engine/workspace"
)

// runReviewShow shows the facts for a decision.
func runReviewShow(ctx context.Context, c *console.Console, o reviewOptions) error {
	cur, err := c.Consulted(ctx)
	if err != nil {
		return err
	}
	pulls, err := resolveAll(ctx, cur, o.ids)
	if err != nil {
		return err
	}
	screens := []reviewJSON{}
	for i, pull := range pulls {
		r, err := screenOf(ctx, cur, pull.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			screens = append(screens, r)
			continue
		}
		if i > 0 {
			c.Printf("\n")
		}
		r.print(c, o.all)
	}
	switch {
	case !c.JSON:
		return nil
	case len(screens) == 1:
		return c.Emit(screens[0])
	}
	return c.Emit(reviewsJSON[reviewJSON]{screens})
}

func screenOf(ctx context.Context, cur workspace.Session, id string) (reviewJSON, error) {
	ex, err := cur.Examine(ctx, id)
	if err != nil {
		return reviewJSON{}, err
	}
	return reviewOf(ctx, cur, ex)
}

// print shows the screen; all leaves nothing out and adds the difference.
func (r reviewJSON) print(c *console.Console, all bool) {
	if all {
		r.printAll(c)
		c.Printf("\n")
		output.PrintFiles(c, r.diffs, false)
		return
	}
	columns := 0
	if c.Terminal() {
		columns = c.World.Width()
	}
	for _, row := range r.rows(false) {
		c.Printf("%s\n", styleRow(c, row, columns))
	}
}

// printAll shows everything but the difference.
func (r reviewJSON) printAll(c *console.Console) {
	for _, row := range r.rows(true) {
		c.Printf("%s\n", styleRow(c, row, 0))
	}
}

// row is one line of the screen: a label, and untrusted text.
type row struct {
	label, text string
	look        func(string) string // nil for plain
}

// labelDecide is the label of commands, as are the answers to a follow-up.
const labelDecide = "decide"

var commandLabels = []string{labelDecide, followup.Keep, followup.Archive, followup.Revise, followup.Rework}

// label columns, with two spaces before and one behind.
const labelled = 13

// styleRow makes a line without control sequences, at most columns wide if columns is not zero. A
// cut line ends in an ellipsis.
func styleRow(c *console.Console, r row, columns int) string {
	text := output.Visible(strings.Join(strings.Fields(r.text), " "))
	if columns > 0 && !slices.Contains(commandLabels, r.label) { // half a command is useless
		if runes := []rune(text); len(runes) > 4*columns {
			text = string(runes[:4*columns])
		}
		text = console.Cut(text, columns-labelled)
	}
	if r.look != nil {
		text = r.look(text)
	}
	return strings.TrimRight("  "+c.Style.Dim(r.label)+console.Pad(r.label, labelled-3)+" "+text, " ")
}

// section is a list of rows of one kind; the screen shows at most a few of them.
type section struct {
	rows []row
	most int
}

// The screen has 24 lines, one of them for the prompt; the caps of the sections add up to 23 with the
// second line that a command with a whole hash takes on 80 columns.
func (r reviewJSON) sections() []section {
	p := console.Style{}
	state := p.Bold
	switch r.State {
	case "refused", "rejected", "conflicted":
		state = p.Bad
	case "waiting", "changes_requested", "expired":
		state = p.Warn
	}
	claim := "claimed: nothing proves it"
	if r.Proven {
		claim = "proven by an account"
	}
	who := fmt.Sprintf("%s, kind %s, by %s (%s)", r.ID, r.Kind, r.Agent, claim)
	if r.For != "" {
		who += ", for " + r.For
	}
	if from := output.FromText(r.Proposal); from != "" {
		who += "; from " + from
	}
	if len(r.Outside) > 0 {
		who += "; from outside: " + strings.Join(r.Outside, "; ")
	}
	made := originRows(r.Maker.Text(), r.Origin)
	return []section{
		{[]row{{"goal", r.Goal, p.Bold}}, 1},
		{[]row{{"proposal", who, nil}}, 1},
		{r.tracked(), 1},
		{made, 4},
		{r.asked(), 1},
		{[]row{{"state", r.stateText(), state}}, 1},
		{r.risks(), 2},
		{r.brings(), 3 - len(made)/4},
		{r.simulated(), 3},
		{r.findings(), max(1, 4-r.extra()-min(1, len(r.Did))-min(1, len(r.Upstream))-min(2, len(made)))},
		{r.unseen(), 3 - r.extra() - len(made)/3},
		{[]row{{"tests", r.tests(), nil}}, 1},
		{r.did(), 1},
		{r.alike(), 2},
		{r.needs(), 2},
		{r.commands(), 3},
	}
}

// tracked are the rows about the sources that the proposal tracks.
func (r reviewJSON) tracked() (out []row) {
	for _, u := range r.Upstream {
		out = append(out, row{"upstream", u.Text(), nil})
	}
	return out
}

// stateText is the state, with the reasons if the verdict does not allow.
func (r reviewJSON) stateText() string {
	if r.Verdict.Outcome == policy.Allowed {
		return r.State
	}
	return r.State + ": " + strings.Join(r.Reasons, "; ")
}

// rows are the lines of the screen; all leaves nothing out.
func (r reviewJSON) rows(all bool) []row {
	var out []row
	for _, s := range r.sections() {
		rows := s.rows
		if !all && len(rows) > s.most {
			left := len(rows) - s.most + 1
			rows = append(slices.Clone(rows[:s.most-1]), row{"", fmt.Sprintf("… %d more: assent review %s -v", left, names.ShellWord(r.ID)), console.Style{}.Warn})
		}
		for i, row := range rows {
			if i > 0 && row.label == rows[0].label {
				row.label = ""
			}
			out = append(out, row)
		}
	}
	if all {
		for _, line := range r.Verdict.Lines() {
			out = append(out, row{"verdict", line, nil})
		}
	}
	return out
}

func (r reviewJSON) risks() []row {
	out := []row{{"risk", r.Risk + output.ReasonsAfter(r.RiskReasons), console.Style{}.Bold}}
	if len(r.RiskReasons) > 1 {
		out[0].text = r.Risk + ": " + r.RiskReasons[0]
		for _, why := range r.RiskReasons[1:] {
			out = append(out, row{"risk", why, nil})
		}
	}
	for _, why := range r.Outside {
		out = append(out, row{"risk", "from outside: " + why, nil})
	}
	return out
}

func (r reviewJSON) brings() []row {
	out := []row{{"changes", fmt.Sprintf("%s, +%d -%d lines: assent diff %s", console.Plural(r.Lines.Files, "file"), r.Lines.Added, r.Lines.Removed, names.ShellWord(r.ID)), nil}}
	for _, d := range r.Delta {
		text := d.Op + " " + d.Path
		if d.Kind != "" {
			text += " (" + d.Kind + ")"
		}
		if len(d.New) > 0 {
			text += ": " + strings.Join(d.New, "; ")
		}
		out = append(out, row{"changes", text, nil})
	}
	for _, f := range r.Conflicts {
		out = append(out, row{"conflict", f + " was changed on main, too", console.Style{}.Bad})
	}
	return out
}

// simulated shows the effect of the proposal's policies.
func (r reviewJSON) simulated() []row {
	if r.Simulation == nil {
		return nil
	}
	out := []row{{"policies", r.Simulation.Summary() + ": assent policy simulate --proposal " + names.ShellWord(r.ID), console.Style{}.Bold}}
	for _, d := range r.Simulation.Differences {
		phrase, reason := d.Change()
		out = append(out, row{"policies", d.ID + ": " + phrase + ": " + reason, nil})
	}
	return out
}

// findings are errors before warnings before notes.
func (r reviewJSON) findings() []row {
	likes, found := r.likes()
	var out []row
	for _, f := range r.FailedRuns {
		out = append(out, row{"findings", "warning: " + f.Text(), console.Style{}.Warn})
	}
	out = append(out, r.opinions()...)
	switch {
	case len(found) == 0 && len(out) > 0:
		return out
	case len(found) == 0 && len(likes) == 0:
		return []row{{"findings", "none", nil}}
	case len(found) == 0:
		return []row{{"findings", "none but those beside alike, below", nil}}
	}
	order.Stable(found, func(a, b diag.Diagnostic) int { return int(a.Severity) - int(b.Severity) })
	for _, d := range found {
		text := fmt.Sprintf("%s %s: %s [%s]", d.Severity, d.Pos, d.Message, d.Rule)
		if d.Evidence != "" {
			text += " | " + d.Evidence
		}
		out = append(out, row{"findings", text, lookOf(d.Severity)})
	}
	return out
}

// opinions shows second opinions about this content; an opinion is no finding of a rule, and comes
// before those.
func (r reviewJSON) opinions() []row {
	var out []row
	for _, o := range r.Opinions {
		if !o.Current {
			continue
		}
		text, found := o.Text()
		out = append(out, row{"findings", "a second opinion: " + text, o.Look(console.Style{})})
		for _, f := range found {
			out = append(out, row{"findings", f, nil})
		}
	}
	return out
}

func lookOf(s diag.Severity) func(string) string {
	switch s {
	case diag.Error:
		return console.Style{}.Bad
	case diag.Warning:
		return console.Style{}.Warn
	}
	return console.Style{}.Dim
}

func (r reviewJSON) unseen() []row {
	if len(r.Hidden) == 0 {
		return []row{{"hidden", "nothing new: no comment, collapsed, invisible or encoded text", nil}}
	}
	var out []row
	for _, p := range r.Hidden {
		out = append(out, row{"hidden", fmt.Sprintf("%s:%d %s: %s", p.File, p.Line, p.Kind, p.Text), console.Style{}.Warn})
	}
	return out
}

func (r reviewJSON) tests() string {
	if r.Tests == nil {
		return "none ran: nothing proves that it works as described"
	}
	if texts := output.TestsText(r.Tests); len(texts) > 0 {
		return strings.Join(texts, "; ")
	}
	return fmt.Sprintf("%d pass, %d fail, %d of them required", r.Tests.Passed, r.Tests.Failed, r.Tests.RequiredFailed)
}

// did are the rows about how the changed capabilities did.
func (r reviewJSON) did() (out []row) {
	for _, d := range r.Did {
		text := strings.Join(append([]string{d.Text()}, d.Opinion.Remarks()...), "; ")
		out = append(out, row{"did", text, nil})
	}
	return out
}

func (r reviewJSON) alike() []row {
	var out []row
	likes, _ := r.likes()
	for _, d := range likes {
		text := fmt.Sprintf("%s: %s", d.Severity, d.Message)
		if d.Evidence != "" {
			text += " | " + d.Evidence
		}
		out = append(out, row{"alike", text, lookOf(d.Severity)})
	}
	for _, d := range r.Differs {
		out = append(out, row{"alike", "the proposer says: differs from " + d.From + ": " + d.How, nil})
	}
	if len(out) == 0 {
		return []row{{"alike", "nothing in force is nearly the same", nil}}
	}
	return out
}

func (r reviewJSON) needs() []row {
	var waits []string
	for _, w := range r.Verdict.WaitingFor {
		waits = append(waits, output.WaitText(w))
	}
	text := "no more approvals"
	if len(waits) > 0 {
		text = strings.Join(waits, "; ")
	}
	if len(r.ApprovedBy) > 0 {
		text += "; approved by " + strings.Join(r.ApprovedBy, ", ")
	}
	out := []row{{"needs", text, console.Style{}.Bold}}
	for _, w := range r.Weak {
		out = append(out, row{"weak", w.Text(), console.Style{}.Warn})
	}
	if len(r.Commands) > 0 {
		out = append(out, row{"expires", r.Expires.Format("2006-01-02 15:04 MST") + ", " + span(r.Expires.Sub(r.now)), nil})
	}
	return out
}

// span is a length of time in words, roughly.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "which is past: the proposer renews it with assent update or reopen"
	case d < time.Hour:
		return "in less than an hour"
	case d < 2*time.Hour:
		return "in an hour"
	case d < 48*time.Hour:
		return fmt.Sprintf("in %d hours", int(d.Hours()))
	}
	return fmt.Sprintf("in %d days", int(d.Hours()/24))
}

func (r reviewJSON) commands() []row {
	if len(r.Commands) == 0 {
		return []row{{"next", r.Next, nil}}
	}
	if r.Asks != nil && r.State != "refused" {
		return r.answers()
	}
	if r.State == "refused" { // content that validation refuses cannot be approved
		return []row{{labelDecide, r.Commands[1], nil}, {"", "the same with reject; it cannot be approved as it is", nil}}
	}
	return []row{
		{labelDecide, r.Commands[0], console.Style{}.Good},
		{"", `the same with request-changes or reject, and --reason "…"`, nil},
	}
}
