package health

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// maxContents is how many contents of one capability are remembered.
const maxContents = 16

// Record is the health of one capability in one installation.
type Record struct {
	// Entries has the health of each content, last changed first.
	Entries []Entry `json:"entries"`
	// Patterns counts the known error patterns that occurred, for all contents, last seen first.
	Patterns []Pattern `json:"patterns,omitempty"`
}

// Entry returns the health of one content; a pending entry if nothing is recorded.
func (r Record) Entry(digest string, v capability.Version) Entry {
	for _, e := range r.Entries {
		if e.Digest == digest {
			return e
		}
	}
	return New(digest, v)
}

// Pattern returns the count of a known error pattern; Seen is 0 if it never occurred.
func (r Record) Pattern(match string) Pattern {
	key := PatternKey(match)
	for _, p := range r.Patterns {
		if p.Key == key {
			return p
		}
	}
	return Pattern{Key: key}
}

// with returns the record with the entry of one content in front, in place of an older one.
func (r Record) with(e Entry) Record {
	entries := slices.DeleteFunc(slices.Clone(r.Entries), func(old Entry) bool { return old.Digest == e.Digest })
	entries = slices.Insert(entries, 0, e)
	r.Entries = entries[:min(len(entries), maxContents)]
	return r
}

// Records are the capabilities of one installation, by folded name. They follow from its trials in
// their order: adding to a shallow copy leaves the original as it was.
type Records map[string]Record

// Add adds a trial. Trials that are no evidence change nothing. The error is an *Illegal if the
// state does not admit the evidence; then nothing changed either.
func (r Records) Add(t trial.Trial, limits Thresholds) (before, after Entry, err error) {
	return r.AddRolled(t.Single(), limits)
}

// AddRolled adds the trials that a record stands for.
func (r Records) AddRolled(all trial.Rolled, limits Thresholds) (before, after Entry, err error) {
	t := all.Trial
	known := r[t.Capability]
	before = known.Entry(t.Blob, t.Version)
	ev, ok := evidence(t)
	if !ok {
		return before, before, nil
	}
	ev.Times = int(all.Times)
	if t.Pattern != "" {
		known.Patterns = meet(known.Patterns, t.Pattern, t.Returned, t.Version, ev.At)
	}
	if after, err = before.Step(ev, limits); err != nil {
		return before, before, err
	}
	r[t.Capability] = known.with(after)
	return before, after, nil
}

// evidence reads a trial as evidence about a content. Only calls that the engine observed, tests
// that it ran and resets by a person are; an agent's claim is none.
func evidence(t trial.Trial) (Evidence, bool) {
	ev := Evidence{At: t.ID.Time().Truncate(time.Second), Why: t.Diagnosis, Outcome: outcomes()[t.Outcome]}
	switch {
	case t.Blob == "":
		return ev, false
	case t.Level == trial.Followed && t.Source == trial.Engine:
		ev.Kind, ev.Context, ev.Call, ev.Cost, ev.Why = Use, t.Tags, t.Call, t.Cost, t.Error
	case t.Level == trial.Suite, t.Level == trial.Smoke:
		ev.Kind = Kind(t.Level)
		ev.Mastery, ev.Report, ev.Asked, ev.Cases = t.Tests.Mastery, t.Tests.Report, t.Tests.Asked, t.Tests.Cases
	case t.Level == trial.Reset:
		ev.Kind = Reset
	default:
		return ev, false
	}
	return ev, true
}

// outcomes returns the results that outcomes of trials show.
func outcomes() map[trial.Outcome]Outcome {
	return map[trial.Outcome]Outcome{trial.Success: Passed, trial.Failure: Failed, trial.Partial: Mixed, trial.Open: Nothing}
}

// Observation is the trial that records evidence of tests, or a reset.
func (ev Evidence) Observation(name, digest string, v capability.Version) trial.Observation {
	o := trial.Observation{At: ev.At, Source: trial.Engine, Level: trial.Level(ev.Kind), Capability: name, Version: v, Blob: digest, Diagnosis: ev.Why}
	if ev.Kind == Reset {
		o.Source = trial.Human
		return o
	}
	for from, to := range outcomes() {
		if to == ev.Outcome {
			o.Outcome = from
		}
	}
	o.Tests = &trial.Tests{Mastery: ev.Mastery, Report: ev.Report, Asked: ev.Asked, Cases: ev.Cases}
	return o
}

// Heed takes contents out of use here that enough other installations took out of use. others has
// the record of each listed one, without this. Two are enough, or the only one that is listed. A
// content stays in use if its tests passed here later, when a person asked for them.
func (r Record) Heed(others []Record, only bool) Record {
	seen := map[string][]Entry{}
	for _, o := range others {
		for _, e := range o.Entries {
			if !e.State.Runs() {
				seen[e.Digest] = append(seen[e.Digest], e)
			}
		}
	}
	for _, digest := range slices.Sorted(maps.Keys(seen)) {
		found := seen[digest]
		//defence:one-installation-stops-no-other
		if len(found) < 2 && !only {
			continue
		}
		last := slices.MaxFunc(found, func(a, b Entry) int { return a.Since.Compare(b.Since) })
		if e := r.Entry(digest, last.Version); e.State.Runs() && e.Asked.Before(last.Since) {
			e.State, e.Since, e.By = Red, last.Since, Elsewhere
			e.Why = fmt.Sprintf("%d of the listed installations took it out of use, the last with: %s", len(found), last.Why)
			e.Cases = last.Cases
			r = r.with(e)
		}
	}
	return r
}
