package triallog

import (
	"errors"
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// MissionDays is how far back Mission looks.
const MissionDays = 30

// Bounds of KnownMissions and KnownUses, for each writer.
const (
	MaxMissions      = 5000
	maxMissionTrials = 100_000
)

// Mission returns this installation's record of a mission in the last days, an empty one if there is
// none.
func Mission(l Log, id string) (trial.Mission, error) {
	found, err := Missions(l, trial.DayOf(l.now().AddDate(0, 0, -MissionDays)), id)
	if err != nil || len(found) == 0 {
		return trial.Mission{ID: id}, err
	}
	return found[0], nil
}

// MissionTrials is Mission with its trials, the oldest first.
func MissionTrials(l Log, id string) (trial.Mission, []trial.Trial, error) {
	m := trial.Mission{ID: id}
	own, err := l.Own()
	if err != nil {
		return m, nil, err
	}
	var out []trial.Trial
	err = visitOf(l, own, own, trial.DayOf(l.now().AddDate(0, 0, -MissionDays)), func(k Kept) bool {
		if k.Mission == id {
			m.Add(k.Trial)
			out = append(out, k.Trial)
		}
		return true
	})
	slices.Reverse(out)
	return m, out, err
}

// Missions returns the missions that this installation recorded since a day, the newest first; with
// an id that one only. No other journal is read: it could add to them. Unrecorded trials, the oldest first,
// count as newer than all.
func Missions(l Log, since trial.Day, id string, unrecorded ...trial.Trial) ([]trial.Mission, error) {
	own, err := l.Own()
	if err != nil {
		return nil, err
	}
	all := missions{id: id, most: -1}
	for _, t := range slices.Backward(unrecorded) {
		all.add(Kept{Writer: own, Trial: t})
	}
	err = visitOf(l, own, own, since, all.add)
	// A mission that was started while the database is away, or today, is wholly here.
	if found := all.found(); id != "" && len(found) > 0 && found[0].Linked && errors.Is(err, ErrDatabase) {
		err = nil
	}
	return all.found(), err
}

// KnownMissions returns the newest missions of this installation and of the listed ones, the oldest
// first. Missions of unknown installations are not among them: they could praise or blame anything.
func KnownMissions(l Log, listed map[string]trial.Writer) (out []trial.Mission, err error) {
	own, err := l.Own()
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, w := range knownWriters(own, listed) {
		all, n := missions{most: MaxMissions}, 0
		problems = append(problems, visitOf(l, own, w, 0, func(k Kept) bool {
			n++
			return all.add(k) && n < maxMissionTrials
		}))
		out = append(out, all.found()...)
	}
	order.Stable(out, func(a, b trial.Mission) int { return a.Last.Compare(b.Last) })
	return out[max(0, len(out)-MaxMissions):], errors.Join(problems...)
}

// KnownUses returns the newest calls of this installation and of the listed ones that the engine observed or a person
// recorded, by capability. What agents report of themselves is not among them.
func KnownUses(l Log, listed map[string]trial.Writer) (map[string][]*trial.Kept, error) {
	own, err := l.Own()
	if err != nil {
		return nil, err
	}
	out := map[string][]*trial.Kept{}
	var problems []error
	for _, w := range knownWriters(own, listed) {
		n := 0
		problems = append(problems, visitOf(l, own, w, 0, func(k Kept) bool {
			if k.Level == trial.Followed && k.Source != trial.Self {
				out[k.Capability] = append(out[k.Capability], &k)
			}
			n++
			return n < maxMissionTrials
		}))
	}
	return out, errors.Join(problems...)
}

// knownWriters are those whose records count in full, each once.
func knownWriters(own trial.Writer, listed map[string]trial.Writer) []trial.Writer {
	writers := append(slices.Collect(maps.Values(listed)), own)
	slices.Sort(writers)
	return slices.DeleteFunc(slices.Compact(writers), func(w trial.Writer) bool { return w == "" })
}

// missions collects missions from records, the newest first.
type missions struct {
	id     string
	most   int
	all    []trial.Mission
	places map[string]int
}

// add adds a record. It returns false once there are as many missions as asked for.
func (m *missions) add(k Kept) bool {
	if k.Mission == "" || m.id != "" && k.Mission != m.id {
		return true
	}
	at, known := m.places[k.Mission]
	if !known {
		if len(m.all) == m.most {
			return false
		}
		if m.places == nil {
			m.places = map[string]int{}
		}
		at = len(m.all)
		m.places[k.Mission], m.all = at, append(m.all, trial.Mission{ID: k.Mission, Writer: k.Writer})
	}
	m.all[at].Add(k.Trial)
	return true
}

func (m *missions) found() []trial.Mission {
	return slices.DeleteFunc(m.all, func(m trial.Mission) bool { return m.Begun.IsZero() })
}

// VisitOwn is Visit for this installation. It fails if records are missing, after it showed the others.
func VisitOwn(l Log, since trial.Day, visit func(Kept) bool) error {
	own, err := l.Own()
	if err != nil {
		return err
	}
	return visitOf(l, own, own, since, visit)
}

// visitOf is Visit for one writer.
func visitOf(l Log, own, w trial.Writer, since trial.Day, visit func(Kept) bool) error {
	if w == "" {
		return nil
	}
	tip, err := l.head(w)
	if err != nil {
		return err
	}
	var refs []gitstore.Ref
	if !tip.IsZero() {
		refs = append(refs, gitstore.Ref{Name: Ref(w), Hash: tip})
	}
	if w != own {
		own = "" // its trials that wait are of another writer
	}
	problems, err := visitIn(l, own, refs, since, all, visit)
	return errors.Join(err, errors.Join(problems...))
}
