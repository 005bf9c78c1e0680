package cli

import (
	"fmt"
	"strings"
	"time"

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
	// Due says that the tests are to be run, DueAt when they will be; Interval is in seconds.
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

func (c *console) healthShown(subjects []quarantine.Subject, named bool) error {
	if c.json {
		return c.emit(healthJSON{Capabilities: healthRows(subjects), Proposals: []quarantine.Followed{}})
	}
	if len(subjects) == 0 {
		c.printf("nothing to show\n")
		return nil
	}
	rows := [][]string{}
	for _, s := range subjects {
		if named {
			c.healthOne(s)
			continue
		}
		h := s.Health
		rows = append(rows, []string{
			c.style.bold(oneLine(s.Name)), c.healthState(h.State), dated(h.Since), usesOf(h), nextCheck(s), oneLine(h.Why),
		})
	}
	c.table(rows)
	return nil
}

func (c *console) healthOne(s quarantine.Subject) {
	h := s.Health
	c.printf("%s %s\n", c.style.bold(oneLine(strings.TrimSpace(s.Name+" "+string(s.Version)))), c.healthState(h.State))
	if !h.Since.IsZero() {
		c.field("since", dated(h.Since)+" by "+string(h.By))
	}
	if h.Why != "" {
		c.field("because", oneLine(h.Why))
	}
	c.field("uses", usesOf(h))
	for _, k := range h.Contexts {
		c.field("used for", oneLine(fmt.Sprintf("%s: %s", k.Tag, usesOf(health.Entry{Uses: k.Uses, Failures: k.Failures}))))
	}
	if !h.Checked.IsZero() {
		c.field("tested", fmt.Sprintf("%s, mastery %.2f", dated(h.Checked), h.Mastery))
	}
	c.field("tests", nextCheck(s))
	for _, k := range h.Cases {
		c.field("fails", oneLine(k.ID+": "+k.Cause))
	}
	for _, change := range h.History {
		c.field("was", oneLine(fmt.Sprintf("%s until %s", change.From, dated(change.At))))
	}
	if h.Proposal != "" {
		c.field("proposal", oneLine(h.Proposal))
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
	text := plural(h.Uses, "use")
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

func (c *console) healthState(s health.State) string {
	switch s {
	case health.Green:
		return c.style.good(string(s))
	case health.Flaky, health.Pending:
		return c.style.warn(string(s))
	}
	return c.style.bad(string(s))
}

func (c *console) healthChecked(checked []quarantine.Checked) {
	if len(checked) == 0 {
		c.printf("nothing is due\n")
	}
	var rows [][]string
	for _, done := range checked {
		state := c.healthState(done.Health.State)
		if done.Before != done.Health.State {
			state = string(done.Before) + " → " + state
		}
		why := done.Refused
		if why == "" && done.Health.State != health.Green {
			why = done.Health.Why
		}
		rows = append(rows, []string{c.style.bold(oneLine(done.Name)), state, oneLine(why)})
	}
	c.table(rows)
}

func (c *console) healthFollowed(followed []quarantine.Followed, would bool) {
	prefix := ""
	if would {
		prefix = "would have "
	}
	for _, f := range followed {
		switch {
		case f.Withdrawn:
			c.printf("%swithdrawn %s: %s\n", prefix, c.style.bold(oneLine(f.ID)), oneLine(f.Why))
		case f.Why != "":
			c.printf("%s no proposal: %s\n", c.style.warn("warning:"), oneLine(f.Why))
			c.diagnostics(c.world.Out, f.Diagnostics)
		case f.Opened:
			c.printf("%sopened %s: assent show %s\n", prefix, c.style.bold(oneLine(f.ID)), oneLine(f.ID))
		}
	}
}
