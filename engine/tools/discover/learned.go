package discover

import (
	"fmt"
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// learn prepares what the trials of known installations teach, and their critics.
func learn(cur workspace.Session) (*index.Learned, opinions, error) {
	listed := slices.Collect(maps.Values(cur.Policies.Retention.Trials.Writers))
	found, critics, err := triallog.Lessons(workspace.TrialsOf(cur), listed)
	if err != nil {
		err = fmt.Errorf("learn from trials: %w", err)
	}
	var newest trial.Day
	for _, l := range found {
		newest = max(newest, l.Day)
	}
	lessons := make([]index.Lesson, len(found))
	for i, l := range found {
		lessons[i] = index.Lesson{Name: l.Capability, Text: l.Text, Weight: l.Weight(newest)}
	}
	of := opinions{}
	for _, t := range critics {
		at := judged{t.Capability, t.Version}
		o, known := of[at]
		if !known {
			o = trial.NewOpinion()
		}
		o.Add(t)
		of[at] = o
	}
	out := index.Learn(lessons)
	if len(of) > 0 {
		out.Factor = func(e index.Entry) float64 { return of.of(e).Factor() }
	}
	return out, of, err
}

// judged is a version of a capability, by its folded name.
type judged struct {
	name    string
	version capability.Version
}

// opinions are those of known critics. Another version begins without any.
type opinions map[judged]trial.Opinion

func (o opinions) of(e index.Entry) trial.Opinion { return o[judged{names.Fold(e.Name), e.Version}] }

// Search is the index's search, what past missions taught (index.Learned), and what is alike by
// meaning, if vectors are asked for.
func (h Here) Search(q index.Query) ([]index.Match, error) {
	alike := h.meaning.alike(q)
	if len(alike) == 0 {
		return h.learned.Search(q, h.Session.Capabilities.Find, h.named)
	}
	limit := q.Limit
	q.Limit = max(limit, atMost)
	found, err := h.learned.Search(q, h.Session.Capabilities.Find, h.named)
	return index.Fuse(found, alike, limit), err
}

// Problems are the reasons for which searches go on without a part of what they would use.
func (h Here) Problems() (out []error) {
	if h.unlearned != nil {
		out = append(out, h.unlearned)
	}
	if h.meaning != nil && h.meaning.problem != nil {
		out = append(out, fmt.Errorf("search without embeddings: %w", h.meaning.problem))
	}
	return out
}

// named returns the entries in force with a name.
func (h Here) named(name string) (out []index.Entry, err error) {
	at, err := h.Session.View.Named(name)
	for _, f := range at {
		e, err := h.Entry(f)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, err
}
