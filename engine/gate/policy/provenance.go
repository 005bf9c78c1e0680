package policy

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/format/provenance"
)

// Provenance is where the content of a proposal came from, as far as the engine
// recorded it. It can ask for more approval and never for less.
type Provenance struct {
	// Origins are those of the proposal's versions, oldest first. Versions that the engine
	// made of another one are left out.
	Origins []provenance.Origin `json:"origins,omitempty" yaml:"origins"`
	// Unrecorded counts the versions without a recorded origin: pushed with plain Git, or
	// by a program that records nothing.
	Unrecorded int `json:"unrecorded,omitempty" yaml:"unrecorded"`
	// Copies are folders in force that were imported and that it closely resembles.
	Copies []string `json:"copies,omitempty"`
	// Tools are the tools that are claimed to have made it.
	Tools []string `json:"tools,omitempty" fact:"tools" doc:"The tools that are said to have made it: a claim."`
	// URLs are those that the proposal claims as evidence for the gap.
	URLs []string `json:"urls,omitempty" yaml:"urls"`
}

// Outside returns the reasons to treat the content as made elsewhere, one phrase each; none if
// there are none.
func (p Provenance) Outside() []string {
	var out []string
	add := func(why string) {
		if !slices.Contains(out, why) {
			out = append(out, why)
		}
	}
	for _, o := range p.Origins {
		if o.Way.Outside() && o.Source != "" {
			add("imported from " + o.Source)
		} else if o.Way.Outside() {
			add("imported")
		}
	}
	for _, c := range p.Copies {
		add("it is much like " + c + ", which was imported")
	}
	for _, t := range p.Tools {
		if strings.Contains(t, "://") {
			add("it is said to be made with " + t)
		}
	}
	for _, u := range p.URLs {
		add("its evidence is " + u)
	}
	if p.Unrecorded > 0 {
		add("its origin is not recorded")
	}
	return out
}

// Unknown says why the origin of content is unknown, one phrase each.
func (p Provenance) Unknown() []string {
	var out []string
	for _, o := range p.Origins {
		why := "it came by " + string(o.Way) + ", and nobody knows where it was made"
		if o.Way.Unknown() && !slices.Contains(out, why) {
			out = append(out, why)
		}
	}
	return out
}

// outsideNeeds asks for a lead for content from outside, and for a human if the content can
// act and is from outside or of unknown origin. A text of unknown origin is judged as any
// other, since users of plain Git cannot record one.
func (c inquiry) outsideNeeds(out *needs) {
	for _, why := range c.f.Provenance.Outside() {
		out.add("from outside, "+why, Requirement{Role: Lead, Count: 1})
		c.actingNeeds(out, "can act and comes from outside, "+why)
	}
	//defence:unknown-origins-are-strict
	for _, why := range c.f.Provenance.Unknown() {
		c.actingNeeds(out, "can act; "+why)
	}
}

// actingNeeds asks for a human for each capability that can do something.
func (c inquiry) actingNeeds(out *needs, why string) {
	for _, k := range c.f.Capabilities {
		if k.Op != Removed && (k.Executable || len(k.Hosts)+len(k.Secrets)+len(k.SideEffects)+len(k.Permissions) > 0) {
			out.add(k.Name+" "+why, Requirement{Role: Human, Count: 1})
		}
	}
}
