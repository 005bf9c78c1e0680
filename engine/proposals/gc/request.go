package gc

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// request is the proposal that archives a candidate: its folder goes, and its name
// stays in the record.
func (c *candidate) request(cur workspace.Session) (propose.Request, error) {
	id := c.id()
	r := propose.Request{
		Proposal: proposal.Proposal{
			ID: id, Kind: proposal.Archive, Capability: c.Name,
			Goal: c.goal(),
			Body: c.body(id),
		},
		Origin: provenance.Origin{Way: provenance.History},
	}.AsEngine(cur.Now())
	err := tree.Files(cur.View, c.Path, func(e tree.Entry) error {
		r.Edits = append(r.Edits, tree.Edit{Path: e.Path, Remove: true})
		return nil
	})
	if err != nil {
		return r, fmt.Errorf("list %s: %w", c.Path, err)
	}
	return r, nil
}

func (c *candidate) goal() string {
	if c.idle != nil {
		return fmt.Sprintf("archive %s, which was not used since %s", c.Name, day(c.idle.since))
	}
	return fmt.Sprintf("archive %s, which is deprecated: %s takes its place", c.Name, c.successor.Name)
}

const (
	unneeded = "No other capability in force requires, can use, enhances, applies to or implements it."
	unnamed  = "No file in skills/, soul/, policies/ or workflows/ names it, except its own, its successors' words about superseding it, and learned lists, which the engine keeps."
)

// evidence lists the findings, one a line.
func (c *candidate) evidence() []string {
	unchanged := fmt.Sprintf("nothing in its folder has changed since %s (commit %s).", day(c.changed.When()), c.changed.Hash.Short())
	if c.idle != nil {
		return []string{
			fmt.Sprintf("%s was made by an agent, and %s", c.Path, unchanged),
			fmt.Sprintf("No trial since %s loaded or followed it; %s. Known installations recorded %d trials since then: %d of them.", day(c.idle.since), c.idle.last(), c.idle.trials, c.idle.writers),
			unneeded, unnamed,
			"It has no tests that another active way to do the same lacks.",
		}
	}
	return []string{
		fmt.Sprintf("%s is deprecated, and %s", c.Path, unchanged),
		fmt.Sprintf("%s supersedes it and is active%s.", c.successor.Name, by(*c)),
		unneeded, unnamed,
		"Its successor has every test that it has.",
	}
}

// last says when a capability was last used.
func (i *idle) last() string {
	if i.used.IsZero() {
		return "no use was ever recorded"
	}
	return "the last use was on " + day(i.used)
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
	b.WriteString("# Why\n\nThis capability seems to be no longer needed:\n\n")
	for _, line := range c.evidence() {
		b.WriteString("- " + line + "\n")
	}
	unseen := "Uses that no file of this workspace names cannot be seen from here."
	if c.idle != nil {
		unseen = "Uses that were not recorded cannot be seen from here, such as those of a client that records none."
	}
	fmt.Fprintf(&b, "\n"+unseen+"\n\n"+
		"Its files stay in history. Once this is merged, `assent undo %s` proposes to bring them back. "+
		"Declined, it is not proposed again as long as the folder stays as it is.\n", id)
	return b.String()
}
