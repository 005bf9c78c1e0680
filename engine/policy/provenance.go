package policy

import (
	"slices"

	"github.com/assent-dev/assent/engine/provenance"
)

// Provenance is where the content of a proposal came from, as far as the engine
// recorded it. It can ask for more approval and never for less.
type Provenance struct {
	// Origins are where the versions of the proposal were taken from, oldest first. What
	// the engine made of another version is left out.
	Origins []provenance.Origin `json:"origins,omitempty"`
	// Unrecorded counts the versions of which nobody recorded it: pushed with plain Git,
	// or by a program that records nothing.
	Unrecorded int `json:"unrecorded,omitempty"`
	// URLs are what the proposal names as evidence for what it lacked, claimed.
	URLs []string `json:"urls,omitempty"`
}

// Outside says why content counts as made elsewhere, one phrase each; none when nothing
// says so.
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
	for _, u := range p.URLs {
		add("its evidence is " + u)
	}
	if p.Unrecorded > 0 {
		add("nobody recorded where it came from")
	}
	return out
}

// outsideNeeds asks for a lead where content comes from outside, and for a human where
// it can do something there.
func (c inquiry) outsideNeeds(out *needs) {
	for _, why := range c.f.Provenance.Outside() {
		out.add("from outside, "+why, Requirement{Role: Lead, Count: 1})
		for _, k := range c.f.Capabilities {
			if k.Op != Removed && (k.Executable || len(k.Hosts)+len(k.Secrets)+len(k.SideEffects)+len(k.Permissions) > 0) {
				out.add(k.Name+" can act and comes from outside, "+why, Requirement{Role: Human, Count: 1})
			}
		}
	}
}
