package output

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// printProvenance shows the known origin of a proposal's content.
func printProvenance(c *console.Console, v Proposal) {
	c.Optional("from", console.OneLine(FromText(v)))
	for _, why := range v.Provenance.Unknown() {
		c.Field("unknown", c.Style.Warn(console.OneLine(why)))
	}
	for i, why := range v.Outside {
		name := ""
		if i == 0 {
			name = "outside"
		}
		c.Field(name, c.Style.Warn(console.OneLine(why)))
	}
}

// FromText is by which ways the versions came in, and in whose sessions.
func FromText(v Proposal) string {
	var from []string
	for _, o := range v.Provenance.Origins {
		if text := originText(o); !slices.Contains(from, text) {
			from = append(from, text)
		}
	}
	for _, tool := range v.Provenance.Tools {
		from = append(from, "said to be made with "+tool)
	}
	for _, s := range v.Sessions {
		from = append(from, "in a session of "+actorText(s))
	}
	return strings.Join(from, "; ")
}

func originText(o provenance.Origin) string {
	if o.Source == "" {
		return string(o.Way)
	}
	return string(o.Way) + " " + o.Source
}

func actorText(a policy.Actor) string {
	if a.Email != "" {
		return a.Email
	}
	return string(a.Claimed)
}
