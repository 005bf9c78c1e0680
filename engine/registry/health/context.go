package health

import (
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/registry/resolution"
)

// Context has the results of the uses for one tag.
type Context struct {
	Tag      string    `json:"tag"`
	Uses     int       `json:"uses"`
	Failures int       `json:"failures"`
	Used     time.Time `json:"used,omitzero"`
}

// noted counts a use for each of its tags. Of too many tags those go that were not used for
// longest.
func noted(known []Context, ev Evidence) []Context {
	out := slices.Clone(known)
	for _, tag := range slices.Backward(ev.Context) {
		c := Context{Tag: tag}
		if i := slices.IndexFunc(out, func(c Context) bool { return c.Tag == tag }); i >= 0 {
			c = out[i]
			out = slices.Delete(out, i, i+1)
		}
		c.Uses += max(1, ev.Times)
		c.Used = ev.At
		if ev.Outcome == Failed {
			c.Failures++
		}
		out = slices.Insert(out, 0, c)
	}
	return out[:min(len(out), maxContexts)]
}

// Way returns the results of a content's uses, for choosing among several.
func (e Entry) Way(name string) resolution.Way {
	w := resolution.Way{Name: name, All: resolution.Tally{Tried: e.Uses - e.Neither, Passed: e.Uses - e.Neither - e.Failures}, Contexts: map[string]resolution.Tally{}}
	for _, c := range e.Contexts {
		w.Contexts[c.Tag] = resolution.Tally{Tried: c.Uses, Passed: c.Uses - c.Failures}
	}
	return w
}
