package trial

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
)

// Mission is the record of one mission, from the trials of one installation.
type Mission struct {
	ID string
	// Writer is the installation.
	Writer Writer
	// Begun and Last are the times of the first and last record; zero without any.
	Begun, Last time.Time
	// Linked is set if capabilities were linked for it.
	Linked bool
	// Agent, Model, Tags and Task are those of the link, else of the first record.
	Agent, Model string
	Tags         []string
	Task         string
	// Outcome is that of the newest verdict, Open without one; By and Ended are its source and time.
	Outcome Outcome
	By      Source
	Ended   time.Time
	Uses    []MissionUse
	// kinds are read from the texts when missions are compared.
	kinds *kinds
}

// MissionUse says how a mission used one version of a capability, with one model and set of tags.
type MissionUse struct {
	Capability string
	Version    capability.Version
	Blob       string
	Model      string
	Tags       []string
	// Linked is set if the mission was linked with it, to serve the steps in For.
	Linked bool
	For    string
	// Loaded and Followed count uses, the others their outcomes.
	Loaded, Followed          int
	Success, Failure, Partial int
	// Judged is the outcome of the newest verdict, Open without one.
	Judged Outcome
	// Tokens is what the description and the body took.
	Tokens int64
	// Last is the time of the newest use, zero without one.
	Last time.Time
	// unsettled are the successes, of uses and verdicts, that no verdict replaced.
	unsettled int
}

// ErrUnused says that no capability was linked, loaded or followed for a mission.
var ErrUnused = errors.New("no capability was linked, loaded or followed for the mission")

// EndedError is returned for a second verdict on a mission that did not succeed.
type EndedError struct{ Mission }

func (e *EndedError) Error() string {
	return fmt.Sprintf("mission %s ended on %s with the outcome %s", e.ID, e.Ended.Format(time.DateOnly), e.Outcome)
}

// LinkOf makes an observation say that its mission was linked with the capability: assent put its
// name and description into the mission's prompt.
func LinkOf(o Observation) Observation {
	o.Source, o.Level, o.Outcome = Engine, Listed, Open
	return o
}

// links reports whether LinkOf made an observation.
func (o Observation) links() bool { return o.Level == Listed && o.Source == Engine && o.Mission != "" }

// Add adds a record, which is older than those added before. Records of other missions are
// ignored, descriptions that others listed, and critiques: they come after the mission.
func (m *Mission) Add(t Trial) {
	links := t.links()
	if t.Mission != m.ID || t.Level == Listed && !links || t.Level == Judged {
		return
	}
	m.Begun = t.ID.Time()
	if m.Last.IsZero() {
		m.Last = m.Begun
	}
	if links || !m.Linked {
		m.Agent, m.Model, m.Tags, m.Task = t.Agent, t.Model, t.Tags, t.Task
	}
	m.Linked = m.Linked || links
	if t.Level == Verdict && m.Outcome == Open {
		m.Outcome, m.By, m.Ended = t.Outcome, t.Source, m.Begun
	}
	u := m.use(t.Observation)
	u.add(t.Observation)
	if u.Last.IsZero() && u.Used() {
		u.Last = m.Begun
	}
}

// use finds the use to which an observation belongs.
func (m *Mission) use(o Observation) *MissionUse {
	at := slices.IndexFunc(m.Uses, func(u MissionUse) bool {
		return u.Capability == o.Capability && u.Version == o.Version && u.Model == o.Model && slices.Equal(u.Tags, o.Tags)
	})
	if at < 0 {
		at = len(m.Uses)
		m.Uses = append(m.Uses, MissionUse{Capability: o.Capability, Version: o.Version, Blob: o.Blob, Model: o.Model, Tags: o.Tags})
	}
	return &m.Uses[at]
}

func (u *MissionUse) add(o Observation) {
	if o.Outcome == Success {
		u.unsettled++
	}
	u.unsettled -= o.Settles
	switch o.Level {
	case Listed:
		u.Linked, u.For = true, o.InputSummary
		u.Tokens += o.Tokens
	case Loaded:
		u.Loaded++
		u.Tokens += o.Tokens
	case Followed:
		u.Followed++
	case Verdict:
		u.Judged = cmp.Or(u.Judged, o.Outcome)
		return
	}
	switch o.Outcome {
	case Success:
		u.Success++
	case Failure:
		u.Failure++
	case Partial:
		u.Partial++
	case Open:
	}
}

// Used reports whether the capability was more than linked.
func (u MissionUse) Used() bool { return u.Loaded+u.Followed > 0 }

// Verdicts returns the verdict of an observation on all that the mission used, and was linked with.
// A linked capability that was used in another context than the link's is judged there. A verdict
// replaces the successes of earlier ones; other outcomes remain, so that a mission has one of them.
// It repeats the mission's text, and the steps that the capability served, for Lessons.
func (m *Mission) Verdicts(o Observation) ([]Observation, error) {
	if m.Outcome == Failure || m.Outcome == Partial {
		return nil, &EndedError{*m}
	}
	var out []Observation
	for _, u := range m.Uses {
		elsewhere := func(v MissionUse) bool { return v.Used() && v.Capability == u.Capability }
		if !u.Used() && (!u.Linked || slices.ContainsFunc(m.Uses, elsewhere)) {
			continue
		}
		v := o
		v.Level, v.Mission, v.MS, v.Cost, v.Tokens = Verdict, m.ID, 0, 0, 0
		v.Capability, v.Version, v.Blob, v.Model, v.Tags = u.Capability, u.Version, u.Blob, u.Model, u.Tags
		v.Task, v.InputSummary = cmp.Or(v.Task, m.Task), cmp.Or(v.InputSummary, m.steps(u.Capability))
		v.Settles = min(max(u.unsettled, 0), MaxSettled)
		out = append(out, v)
	}
	if len(out) == 0 {
		return nil, ErrUnused
	}
	return out, nil
}

// steps are those that a capability was linked for, in any context.
func (m *Mission) steps(name string) string {
	for _, u := range m.Uses {
		if u.Capability == name && u.For != "" {
			return u.For
		}
	}
	return ""
}
