package trial

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/order"
)

// maxTimes is how many trials one Rolled stands for at most.
const maxTimes = 1 << 32

// Rolled stands for trials of one writer and day that count alike. It has the id of the last of them and
// their summed consumption, and neither mission nor texts but those of evidence for health.
type Rolled struct {
	Trial
	Times int64 `json:"times"`
}

// Single returns a trial that stands for itself.
func (t Trial) Single() Rolled { return Rolled{t, 1} }

// evidence reports whether health goes by a trial, and repeats whether its order among others of its
// kind says nothing: of calls that did not fail it counts only how many and which was the last.
func (o Observation) evidence() (is, repeats bool) {
	switch {
	case o.Blob == "" || !(o.Level == Followed && o.Source == Engine || o.Level == Suite || o.Level == Smoke || o.Level == Reset):
		return false, false
	case o.Level == Followed:
		return true, (o.Outcome == Success || o.Outcome == Open) && o.Call == "" && o.Pattern == ""
	}
	return true, false
}

// rolled is what a Rolled keeps of an observation, without its consumption.
func (o Observation) rolled(day Day) Observation {
	is, _ := o.evidence()
	if o.Level == Followed || !is {
		o.Diagnosis = ""
	}
	if !is {
		o.Blob, o.Error = "", ""
	}
	if o.Critic != nil {
		o.Critic = o.Critic.remarks(func(string) string { return "" })
	}
	o.At, o.Mission, o.Method, o.Task, o.InputSummary, o.OutputSummary, o.Erased = day.Time(), "", "", "", "", "", ""
	o.Settles, o.MS, o.Cost, o.Tokens = 0, 0, 0, 0
	return o
}

// Roll sums up the trials of one writer and day, in their order. Counts and health are those of the trials.
// Rolling parts and then their results gives the same as rolling all.
func Roll(all []Rolled) (out []Rolled, err error) {
	at, runs := map[string]int{}, map[string]int{}
	for _, r := range all {
		is, repeats := r.evidence()
		sum := Rolled{Trial{r.V, r.ID, r.rolled(DayOf(r.ID.Time()))}, 0}
		key, err := canonical.Line(sum.Observation)
		if err != nil {
			return nil, fmt.Errorf("roll up %s: %w", r.ID, err)
		}
		name := string(key)
		switch {
		case is && !repeats:
			runs[r.Capability]++ // what comes after it stays after it
			name = r.ID.String()
		case is:
			name += fmt.Sprint(runs[r.Capability])
		}
		i, known := at[name]
		if !known {
			i = len(out)
			at[name], out = i, append(out, sum)
		}
		into := &out[i]
		into.ID, into.Times = r.ID, into.Times+r.Times
		into.Settles, into.MS, into.Tokens = into.Settles+r.Settles, into.MS+r.MS, into.Tokens+r.Tokens
		into.Cost = math.Round(into.Cost*1e6+math.Round(r.Cost*1e6)) / 1e6
	}
	order.Sort(out, func(a, b Rolled) int { return a.ID.Compare(b.ID) })
	return out, nil
}

// Encode writes it as one line of JSON.
func (r Rolled) Encode() ([]byte, error) {
	if r.V != FormatVersion {
		return nil, ErrVersion
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return canonical.Line(r)
}

// DecodeRolled reads one line that Encode wrote.
func DecodeRolled(line []byte) (Rolled, error) { return canonical.Decode[Rolled]("", line, MaxLine) }

func (r Rolled) check() error {
	o := r.Observation
	if is, repeats := o.evidence(); r.ID.IsZero() || r.Times < 1 || r.Times > maxTimes || is && !repeats && r.Times > 1 {
		return fmt.Errorf("id, times: %d: want 1 to %d, and 1 for a failed call or test", r.Times, int64(maxTimes))
	}
	if c := r.countOf(); !c.plausible() || r.Settles < 0 || r.Settles > 0 && r.Level != Verdict || r.MS < 0 || r.Tokens < 0 || !(r.Cost >= 0) {
		return errors.New("settles, ms, cost, tokens: too much for so many trials")
	}
	if !same(o.rolled(DayOf(r.ID.Time())), r.bareSums()) {
		return errors.New("a rolled-up record names a mission or has a text")
	}
	o = r.bareSums()
	if o.Level == Verdict {
		o.Mission = "any"
	}
	return o.Check()
}

func (r Rolled) bareSums() Observation {
	o := r.Observation
	o.Settles, o.MS, o.Cost, o.Tokens = 0, 0, 0, 0
	return o
}

// countOf is the count of the trials.
func (r Rolled) countOf() Count {
	t := r.Trial
	t.Settles = 0
	one := t.countOf()
	return Count{r.Times, one.Success*r.Times - int64(r.Settles), one.Failure * r.Times, one.Partial * r.Times, r.MS, r.Tokens, one.Micros}
}

// SumRolled counts the trials that records stand for, each id once.
func SumRolled(all []Rolled) Counts {
	out, seen := Counts{}, make(map[ID]bool, len(all))
	for _, r := range all {
		if !seen[r.ID] {
			seen[r.ID] = true
			out.add(r.keyOf(), r.countOf())
		}
	}
	return out
}

// ErasedRoll reports whether the roll-up now says what the roll-up old says, of some trials without their agent
// and the texts of tests: all counts and all evidence are the same, and no agent has more trials than before.
func ErasedRoll(now, old []Rolled) bool {
	bare := func(all []Rolled) string {
		var text strings.Builder
		clean := make([]Rolled, len(all))
		for i, r := range all {
			r.Observation = r.bare("")
			clean[i] = r
		}
		rolled, err := Roll(clean)
		for _, r := range rolled {
			line, lerr := canonical.Line(r)
			err = errors.Join(err, lerr)
			text.Write(line)
		}
		if err != nil {
			return err.Error()
		}
		return text.String()
	}
	if bare(now) != bare(old) {
		return false
	}
	before := SumRolled(old)
	for k, c := range SumRolled(now) {
		if k.Agent != "" && c.Trials > before[k].Trials {
			return false
		}
	}
	return true
}

// Part names rows of a database: those of one writer from the id First to Last, and the SHA-256 of their
// lines in that order. A roll-up signs it.
type Part struct {
	First  ID     `json:"first"`
	Last   ID     `json:"last"`
	Rows   int    `json:"rows"`
	SHA256 string `json:"sha256"`
	// Erased is set if nothing is left in any of them that Erase removes.
	Erased bool `json:"erased,omitempty"`
}

// Row is a record as a database keeps it.
type Row struct {
	ID   ID
	Line []byte
}
