package inforce

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/health"
)

// healthJSON is the answer of assent health.
type healthJSON struct {
	DryRun       bool                  `json:"dry_run,omitempty"`
	Capabilities []healthRow           `json:"capabilities"`
	Proposals    []quarantine.Followed `json:"proposals"`
}

// healthRow is the health of one capability in force.
type healthRow struct {
	Name string          `json:"name"`
	Kind capability.Kind `json:"kind"`
	Path string          `json:"path"`
	health.Entry
	// Due reports that the tests are to be run, DueAt when they will be; Interval is in seconds.
	Due      bool      `json:"due"`
	DueAt    time.Time `json:"due_at,omitzero"`
	Interval int64     `json:"interval"`
	// Before and Refused are of a check: the state before it, and why it does not count.
	Before  health.State `json:"before,omitempty"`
	Refused string       `json:"refused,omitempty"`
}

func healthRows(subjects []quarantine.Subject) []healthRow {
	out := []healthRow{}
	for _, s := range subjects {
		out = append(out, healthRow{
			Name: s.Name, Kind: s.Kind, Path: s.Path, Entry: s.Health, Due: s.Due, DueAt: s.Health.DueAt(s.Interval), Interval: int64(s.Interval / time.Second),
		})
	}
	return out
}

func printHealth(c *console.Console, subjects []quarantine.Subject, named bool) error {
	if c.JSON {
		return c.Emit(healthJSON{Capabilities: healthRows(subjects), Proposals: []quarantine.Followed{}})
	}
	if len(subjects) == 0 {
		c.Printf("nothing to show\n")
		return nil
	}
	rows := [][]string{}
	for _, s := range subjects {
		if named {
			printSubject(c, s)
			continue
		}
		h := s.Health
		rows = append(rows, []string{
			c.Style.Bold(console.OneLine(s.Name)), stateText(c, h.State), dated(h.Since), usesOf(h), nextCheck(s), console.OneLine(h.Why),
		})
	}
	if !named {
		rows = slices.Insert(rows, 0, []string{"CAPABILITY", "STATE", "SINCE", "USES", "TESTS", "WHY"})
	}
	c.Table(rows)
	return nil
}

func printSubject(c *console.Console, s quarantine.Subject) {
	h := s.Health
	c.Printf("%s %s\n", c.Style.Bold(console.OneLine(strings.TrimSpace(s.Name+" "+string(s.Version)))), stateText(c, h.State))
	if !h.Since.IsZero() {
		c.Field("since", dated(h.Since)+" by "+string(h.By))
	}
	if h.Why != "" {
		c.Field("because", console.OneLine(h.Why))
	}
	c.Field("uses", usesOf(h))
	for _, k := range h.Contexts {
		c.Field("used for", console.OneLine(fmt.Sprintf("%s: %s", k.Tag, usesOf(health.Entry{Uses: k.Uses, Failures: k.Failures}))))
	}
	if !h.Checked.IsZero() {
		c.Field("tested", fmt.Sprintf("%s, mastery %.2f", dated(h.Checked), h.Mastery))
	}
	c.Field("tests", nextCheck(s))
	for _, k := range h.Cases {
		c.Field("fails", console.OneLine(k.ID+": "+k.Cause))
	}
	for _, change := range h.History {
		c.Field("was", console.OneLine(fmt.Sprintf("%s until %s", change.From, dated(change.At))))
	}
	if h.Proposal != "" {
		c.Field("proposal", console.OneLine(h.Proposal))
	}
}

// dated is a time as people read it; "-" for none.
func dated(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

func usesOf(h health.Entry) string {
	text := console.Plural(h.Uses, "use")
	if h.Failures > 0 {
		text += fmt.Sprintf(", %d failed", h.Failures)
	}
	if h.Cost > 0 {
		text += fmt.Sprintf(", %.6g spent", h.Cost)
	}
	return text
}

// nextCheck says when the tests are to be run.
func nextCheck(s quarantine.Subject) string {
	at := s.Health.DueAt(s.Interval)
	switch {
	case s.Due:
		return "due"
	case at.IsZero():
		return "not due"
	}
	return "due " + at.UTC().Format(time.DateOnly)
}

func stateText(c *console.Console, s health.State) string {
	switch s {
	case health.Green:
		return c.Style.Good(string(s))
	case health.Flaky, health.Pending:
		return c.Style.Warn(string(s))
	}
	return c.Style.Bad(string(s))
}

func printChecked(c *console.Console, checked []quarantine.Checked) {
	if len(checked) == 0 {
		c.Printf("nothing is due\n")
	}
	var rows [][]string
	for _, done := range checked {
		state := stateText(c, done.Health.State)
		if done.Before != done.Health.State {
			state = string(done.Before) + " → " + state
		}
		why := done.Refused
		if why == "" && done.Health.State != health.Green {
			why = done.Health.Why
		}
		rows = append(rows, []string{c.Style.Bold(console.OneLine(done.Name)), state, console.OneLine(why)})
	}
	c.Table(rows)
}

func printFollowed(c *console.Console, followed []quarantine.Followed, would bool) {
	prefix := ""
	if would {
		prefix = "would have "
	}
	for _, f := range followed {
		switch {
		case f.Withdrawn:
			c.Printf("%swithdrawn %s: %s\n", prefix, c.Style.Bold(console.OneLine(f.ID)), console.OneLine(f.Why))
		case f.Why != "":
			c.Printf("%s no proposal: %s\n", c.Style.Warn("warning:"), console.OneLine(f.Why))
			c.Diagnostics(c.World.Out, f.Diagnostics)
		case f.Opened:
			c.Printf("%sopened %s: assent show %s\n", prefix, c.Style.Bold(console.OneLine(f.ID)), names.ShellWord(console.OneLine(f.ID)))
		}
	}
}
