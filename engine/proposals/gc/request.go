package gc

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

// request is the proposal that archives a candidate: its folder goes, and its name
// stays in the record.
func (c *candidate) request(cur workspace.Session, id string) (propose.Request, error) {
	r := propose.Request{
		Proposal: proposal.Proposal{
			ID: id, Kind: proposal.Archive, Capability: c.Name,
			Goal: c.goal(),
			Body: c.body(id),
		},
		Origin: provenance.Origin{Way: provenance.History},
	}.AsEngine(cur.Now())
	var err error
	r.Edits, err = removal(cur, c.Path)
	return r, err
}

func (c *candidate) goal() string {
	switch m := c.measured; {
	case m != nil && m.Verdict == trial.Harmful:
		return fmt.Sprintf("archive %s, with which missions end worse", c.Name)
	case m != nil && m.Verdict == trial.Useless:
		return fmt.Sprintf("archive %s, which does not help missions", c.Name)
	case c.idle != nil && c.idle.used.IsZero():
		return fmt.Sprintf("archive %s, which no trial ever used", c.Name)
	case c.idle != nil:
		return fmt.Sprintf("archive %s, which was last used on %s", c.Name, day(c.idle.used))
	case m != nil && !m.since.IsZero():
		return fmt.Sprintf("archive %s, which the last %d missions did not link", c.Name, m.Unlinked)
	case m != nil && m.outdated:
		return fmt.Sprintf("archive %s, which is deprecated", c.Name)
	case m != nil && m.Missions == 0:
		return fmt.Sprintf("archive %s to make room: %s", c.Name, lastUsed(m.used))
	case m != nil:
		return fmt.Sprintf("archive %s, which has the lowest utility", c.Name)
	}
	if c.Status == capability.Retired {
		return fmt.Sprintf("archive %s, which is retired", c.Name)
	}
	return fmt.Sprintf("archive %s, which is deprecated: %s takes its place", c.Name, c.successor.Name)
}

const (
	unneeded = "No other capability in force requires, can use, enhances, applies to or implements it."
	unnamed  = "No file in skills/, soul/, policies/ or workflows/ names it, except its own, its successors' words about superseding it, and learned lists, which the engine keeps."
	alike    = "It has no tests that another active way to do the same lacks."
)

// evidence lists the findings, one a line.
func (c *candidate) evidence() []string {
	unchanged := fmt.Sprintf("nothing in its folder has changed since %s (commit %s).", day(c.changed.When()), c.changed.Hash.Short())
	if !c.deprecated() {
		out := []string{fmt.Sprintf("%s is in the learned list of an agent, and %s", c.Path, unchanged)}
		if c.idle != nil {
			out = append(out, fmt.Sprintf("No trial since %s loaded or followed it; %s. Trials that known installations recorded in that time: %d, by %s.", day(c.idle.since), lastUsed(c.idle.used), c.idle.trials, c.by.all(c.idle.writers)))
		}
		if c.measured != nil {
			out = append(out, c.measured.lines()...)
		}
		out = append(out, c.witnesses()...)
		return append(out, unneeded, unnamed, alike)
	}
	out := []string{fmt.Sprintf("%s is %s, and %s", c.Path, c.Status, unchanged)}
	if c.successor == nil {
		return append(out, unneeded, unnamed, alike)
	}
	return append(out, fmt.Sprintf("%s supersedes it and is active%s.", c.successor.Name, by(*c)), unneeded, unnamed, "Its successor has every test that it has.")
}

// witnesses name the missions that the findings rest on, and who ended them; nothing where no missions are known.
func (c *candidate) witnesses() (out []string) {
	if len(c.missions) == 0 {
		return nil
	}
	last := lastUse(c.Name, c.missions)
	switch {
	case last == nil:
		out = append(out, fmt.Sprintf("None of the %d known missions was linked with it or used it.", len(c.missions)))
	case c.idle != nil || c.measured != nil && !c.measured.since.IsZero():
		out = append(out, "The last mission with it: "+c.by.mission(last)+".")
	}
	if c.idle != nil || c.measured != nil && !c.measured.since.IsZero() {
		out = append(out, "The newest missions: "+c.by.few(c.missions)+".")
	}
	if m := c.measured; m != nil && len(m.Shown) > 0 {
		out = append(out, c.by.pairs(m.Shown, "With it", "Without it")...)
		out = append(out, "The missions of all pairs were ended: "+c.by.judges(m.Judges)+".")
	}
	return out
}

// lastUsed says when a capability was last used.
func lastUsed(used time.Time) string {
	if used.IsZero() {
		return "no use was ever recorded"
	}
	return "the last use was on " + day(used)
}

// by names those between a candidate and its successor.
func by(c candidate) string {
	var between []string
	for _, e := range c.line {
		if e.Path == c.successor.Path {
			break
		}
		between = append(between, e.Name)
	}
	if len(between) == 0 {
		return ""
	}
	return ", by way of " + strings.Join(between, ", ")
}

func (c *candidate) body(id string) string {
	var b strings.Builder
	why := "This capability seems to be no longer needed:"
	if c.measured != nil && c.measured.shown() {
		why = "Missions speak against this capability:"
	}
	b.WriteString("# Why\n\n" + why + "\n\n")
	for _, line := range c.evidence() {
		b.WriteString("- " + line + "\n")
	}
	unseen := "Uses that no file of this workspace names cannot be seen from here."
	if !c.deprecated() {
		unseen = "Uses that were not recorded cannot be seen from here, such as those of a client that records none."
	}
	fmt.Fprintf(&b, "\n"+unseen+"\n\n"+
		"Its files stay in history. Once this is merged, `assent undo %s` proposes to bring them back. "+
		"Rejected, it is not proposed again for the same kind of evidence as long as the folder stays as it is.\n", names.ShellWord(id))
	return b.String()
}
