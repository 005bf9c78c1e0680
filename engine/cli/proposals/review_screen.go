package proposals

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
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
