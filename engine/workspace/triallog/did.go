package triallog

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// maxDeeds is how many trials of a writer are read, the newest: people wait for it.
const maxDeeds = 20_000

// Deeds are the missions and critiques of this installation and of the listed ones. What unknown ones recorded is not among them: their texts could praise or blame
// anything.
type Deeds struct {
	missions []trial.Mission
	critics  []Kept // of each writer the newest first
}

// Did says how a capability did since a time.
type Did struct {
	Capability string    `json:"capability"`
	Since      time.Time `json:"since,omitzero"`
	// Missions used it; Successes and Failures of them ended so.
	Missions  int `json:"missions"`
	Successes int `json:"successes"`
	Failures  int `json:"failures"`
	trial.Opinion
}

// Known reports whether anything was recorded.
func (d Did) Known() bool { return d.Missions+d.Critics > 0 }

// ReadDeeds reads the records since a day.
func ReadDeeds(l Log, listed map[string]trial.Writer, since trial.Day) (Deeds, error) {
	own, err := l.Own()
	if err != nil {
		return Deeds{}, err
	}
	var out Deeds
	var problems []error
	for _, w := range knownWriters(own, listed) {
		all, n := missions{most: -1}, 0
		problems = append(problems, visitOf(l, own, w, since, func(k Kept) bool {
			if n++; k.Critic != nil {
				out.critics = append(out.critics, k)
				return n < maxDeeds
			}
			return all.add(k) && n < maxDeeds
		}))
		out.missions = append(out.missions, all.found()...)
	}
	return out, errors.Join(problems...)
}

// Of sums up what was recorded about a capability since a time; zero means all. A mission counts by its uses: one
// that lacked the capability began before it was there, and one that was only linked with it shows nothing about it.
func (d Deeds) Of(name string, since time.Time) Did {
	name = names.Fold(name)
	out := Did{Capability: name, Since: since, Opinion: trial.NewOpinion()}
	used := func(u trial.MissionUse) bool { return u.Capability == name && u.Used() && !u.Last.Before(since) }
	for _, m := range d.missions {
		if !slices.ContainsFunc(m.Uses, used) {
			continue
		}
		out.Missions++
		switch m.Outcome {
		case trial.Success:
			out.Successes++
		case trial.Failure:
			out.Failures++
		case trial.Partial, trial.Open:
		}
	}
	for _, k := range d.critics {
		if k.Capability == name && !k.ID.Time().Before(since) {
			out.Add(k.Trial)
		}
	}
	return out
}

// Text is how a capability did, in one line.
func (d Did) Text() string {
	text := fmt.Sprintf("%s: missions %d, successes %d, failures %d", d.Capability, d.Missions, d.Successes, d.Failures)
	if !d.Since.IsZero() {
		text += " since " + d.Since.Format(time.DateOnly)
	}
	if d.Satisfaction != nil {
		text += fmt.Sprintf("; satisfaction %.2f, critics %d", *d.Satisfaction, d.Critics)
	}
	return text
}
