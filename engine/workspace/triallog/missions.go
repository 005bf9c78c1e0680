package triallog

import (
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// MissionDays is how far back Mission looks.
const MissionDays = 30

// Mission returns this installation's record of a mission in the last days, an empty one if there is
// none.
func Mission(l Log, id string) (trial.Mission, error) {
	found, err := Missions(l, trial.DayOf(l.now().AddDate(0, 0, -MissionDays)), id)
	if err != nil || len(found) == 0 {
		return trial.Mission{ID: id}, err
	}
	return found[0], nil
}

// Missions returns the missions that this installation recorded since a day, the newest first; with
// an id that one only. No other journal is read: it could add to them.
func Missions(l Log, since trial.Day, id string) (out []trial.Mission, err error) {
	own, err := l.Own()
	if err != nil || own == "" {
		return nil, err
	}
	tip, err := l.head(own)
	if err != nil {
		return nil, err
	}
	var refs []gitstore.Ref
	if !tip.IsZero() {
		refs = append(refs, gitstore.Ref{Name: Ref(own), Hash: tip})
	}
	places := map[string]int{}
	problems, err := visitIn(l, own, refs, since, func(k Kept) bool {
		if k.Mission == "" || id != "" && k.Mission != id {
			return true
		}
		at, known := places[k.Mission]
		if !known {
			at = len(out)
			places[k.Mission], out = at, append(out, trial.Mission{ID: k.Mission})
		}
		out[at].Add(k.Trial)
		return true
	})
	out = slices.DeleteFunc(out, func(m trial.Mission) bool { return m.Begun.IsZero() })
	return out, errors.Join(err, errors.Join(problems...))
}
