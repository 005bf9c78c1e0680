package tool

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/resolution"
)

// Resolved is the choice of an implementation, with the reason.
type Resolved struct {
	// Called is the specification, Context the tags that the call was made for.
	Called  string   `json:"called"`
	Context []string `json:"context"`
	// Why is the reason in a sentence.
	Why string `json:"why"`
	// Scored are the implementations that would run, the best first, which is the one that ran. A
	// long list is cut.
	Scored []Scored `json:"scored"`
	// More counts those that were cut.
	More int `json:"more,omitempty"`
}

// Scored is one implementation with its scores here, see resolution.Of.
type Scored struct {
	Name     string  `json:"name"`
	Score    float64 `json:"score"`
	Success  float64 `json:"success"`
	Affinity float64 `json:"affinity"`
	Penalty  float64 `json:"penalty"`
	// Tried counts the calls here that gave a result or failed.
	Tried int `json:"tried"`
	// Unknown are the tags for which it was never called, Poor those in which it mostly fails.
	Unknown []string `json:"unknown,omitempty"`
	Poor    []string `json:"poor,omitempty"`
}

// maxScored is how many implementations an answer lists.
const maxScored = 10

func resolvedOf(called string, tags []string, ranked []resolution.Scored) *Resolved {
	r := &Resolved{Called: called, Context: append([]string{}, tags...), More: max(len(ranked)-maxScored, 0)}
	for _, s := range ranked[:min(len(ranked), maxScored)] {
		r.Scored = append(r.Scored, Scored{
			Name: s.Name, Score: s.Score, Success: short(s.Success), Affinity: short(s.Affinity), Penalty: short(s.Penalty), Tried: s.All.Tried, Unknown: s.Unknown, Poor: s.Poor,
		})
	}
	best, of := ranked[0], "the only implementation that runs"
	if len(ranked) > 1 {
		of = fmt.Sprintf("the best of %d implementations", len(ranked))
	}
	if len(tags) > 0 {
		of += " for " + strings.Join(tags, ", ")
	}
	r.Why = fmt.Sprintf("%s: score %.2f, success %.2f", of, best.Score, best.Success)
	if len(tags) > 0 {
		r.Why += fmt.Sprintf(", in context %.2f, penalty %.2f", best.Affinity, best.Penalty)
	}
	return r
}

func short(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// instead adds an alternative to the refusal of a capability that does not run: the best one for
// the context of those in force that implement the same capability.
func (w ways) instead(c capability.Capability, refused error) error {
	var r *refusal
	if !errors.As(refused, &r) || r.kind != NotCallable && r.kind != NotActive && r.kind != Quarantined || c.Record.Breaking {
		return refused
	}
	ranked, err := w.ranked(c)
	if err != nil {
		return err
	}
	if len(ranked) > 0 {
		r.hint += "; " + ranked[0].Name + " does the same: assent run-tool " + names.ShellWord(ranked[0].Name)
	}
	return refused
}

// resolve replaces a called specification by the best of its implementations that run. It leaves
// other calls alone, and so it does if no implementation runs. Calls by a composed tool are not
// replaced: it was tested with the tools that it calls.
func (w ways) resolve(j *job) error {
	c := j.capability
	if j.depth > 0 || !c.SpecOnly || c.Kind != capability.KindTool || c.Status == capability.Retired {
		return nil
	}
	if err := w.permits.admitted(c); err != nil {
		return err
	}
	ranked, err := w.ranked(c)
	if err != nil || len(ranked) == 0 {
		return err
	}
	j.capability, j.method, err = w.catalogue.find(ranked[0].Name)
	j.spec, j.resolved = &c, resolvedOf(c.Name, w.context, ranked)
	return err
}

// ranked are the other capabilities that do the same as c and run, the best for the context first.
func (w ways) ranked(c capability.Capability) ([]resolution.Scored, error) {
	folders, err := capability.Ways(w.catalogue.view, w.catalogue.view, c.Canonical())
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the capability
	}
	var ways []resolution.Way
	for _, folder := range folders {
		way, runs, err := w.way(folder, c)
		if err != nil {
			return nil, err
		}
		if runs {
			ways = append(ways, way)
		}
	}
	return resolution.Rank(ways, w.context), nil
}

// way returns how another capability that does the same performed here. runs is false if it
// would not run either.
func (w ways) way(folder capability.Folder, than capability.Capability) (way resolution.Way, runs bool, err error) {
	c, found, err := capability.Load(w.catalogue.view, folder.Path)
	if err != nil {
		return way, false, fmt.Errorf("read %s as it is in force: %w", folder.Path, err)
	}
	if c.Path == than.Path || found.HasErrors() || c.Record.Breaking || c.Kind != than.Kind || w.permits.mayRun(c) != nil {
		return way, false, nil
	}
	j := job{capability: c}
	if err := w.track.held(&j); err != nil {
		var r *refusal
		if errors.As(err, &r) {
			return way, false, nil
		}
		return way, false, err
	}
	return j.health.Way(c.Name), true, nil
}
