package workflow

import (
	"cmp"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// proposalEvents are the events of proposals, in the order of Triggers.Proposal.
var proposalEvents = []string{ProposalOpened, ProposalUpdated, ProposalApproved, ProposalMerged, ProposalRejected}

// Events returns the names of all events that a workflow can wait for.
func Events() []string { return append(slices.Clone(proposalEvents), Gap, Schedule, Command) }

func (p *parser) triggers(n strictyaml.Node) Triggers {
	var t Triggers
	if n.Len() == 0 && n.Kind() != strictyaml.Scalar {
		p.diags.Errorf(RuleEvent, p.doc.Pos("on"), "add on: with an event such as proposal.opened: true",
			"the workflow waits for no event, so that it would never run")
		return t
	}
	if n.Kind() != strictyaml.Mapping {
		text, _ := n.Text()
		if n.Kind() == strictyaml.Sequence {
			text, _ = n.Index(0).Text()
		}
		fix := "write each event on a line of its own, such as proposal.opened: true"
		if here := githubEvents[text]; here != "" {
			fix = here + "; each event has a line of its own below on:"
		}
		p.diags.Errorf(RuleShape, n.Pos(), fix,
			"on must be a mapping of events, not %s", n.Kind())
		return t
	}
	for i := range n.Len() {
		key, value := n.Entry(i)
		switch name := key.Key(); {
		case slices.Contains(proposalEvents, name):
			p.flag(name, value)
			t.Proposal = append(t.Proposal, name)
		case name == Gap:
			p.flag(name, value)
			t.Gap = true
		case name == Schedule:
			t.Schedule = p.schedule(value)
		case name == Command:
			t.Command = p.command(value)
		default:
			p.diags.Errorf(RuleEvent, key.Pos(), cmp.Or(githubEvents[name], suggest(name, Events(), "use one of ")), "there is no event %s", quote(name))
		}
	}
	order.Sort(t.Proposal, func(a, b string) int {
		return slices.Index(proposalEvents, a) - slices.Index(proposalEvents, b)
	})
	return t
}

// flag admits nothing but true: an event that is switched off says nothing that
// leaving it out does not say.
func (p *parser) flag(event string, n strictyaml.Node) {
	if text, quoted := n.Text(); quoted || text != "true" {
		p.diags.Errorf(RuleEvent, n.Pos(), "write "+event+": true, or leave the line out", "the value of %s must be true", event)
	}
}

func (p *parser) schedule(n strictyaml.Node) string {
	if n.Kind() == strictyaml.Sequence || n.Kind() == strictyaml.Mapping {
		p.diags.Errorf(RuleShape, n.Pos(), `write the expression itself, such as schedule: "0 3 * * *"; a workflow has one`, "schedule must be text, not %s", n.Kind())
		return ""
	}
	expression, ok := p.text(n, Schedule)
	if !ok {
		return ""
	}
	if err := p.parseSchedule(expression); err != nil {
		p.diags.Errorf(RuleSchedule, n.Pos(), `write minute, hour, day of the month, month and day of the week, such as "0 3 * * *"`,
			"%s is no schedule: %s", quote(expression), err)
	}
	return expression
}

func (p *parser) command(n strictyaml.Node) string {
	word, ok := p.text(n, Command)
	if why := names.Fault(word); ok && why != "" {
		p.diags.Errorf(RuleEvent, n.Pos(), "use "+names.Suggest(word), "command %s %s", quote(word), why)
	}
	return word
}
