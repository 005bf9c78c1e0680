package proposals

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/gate/policy"
)

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
