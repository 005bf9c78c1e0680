package trial

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/canonical"
)

// Erase removes what a record says about its agent, its mission and its purpose: both names and all
// texts. What counts and health need stays. A record that was erased before keeps its day.
func (t Trial) Erase(on Day) Trial {
	if t.Erased == "" {
		t.Observation = t.bare(on.String())
	}
	return t
}

// bare is an observation with nothing that Erase removes, erased on a day.
func (o Observation) bare(day string) Observation {
	o = o.Summarised(true)
	o.Agent, o.Mission, o.Erased = "", "", day
	return o
}

// Identifies reports whether Erase would remove anything.
func (o Observation) Identifies() bool { return o.Erased == "" && !same(o, o.bare("")) }

// Erases reports whether a record is another one, or what Erase leaves of it.
func (t Trial) Erases(other Trial) bool {
	if t.Erased != "" && other.Erased == "" {
		other.Observation = other.bare(t.Erased)
	}
	return same(t, other)
}

func same[T any](a, b T) bool {
	one, errOne := canonical.Line(a)
	two, errTwo := canonical.Line(b)
	return errOne == nil && errTwo == nil && bytes.Equal(one, two)
}

func (o Observation) checkErased() error {
	if o.Erased == "" {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, o.Erased); err != nil {
		return fmt.Errorf("erased: %.40q: want a day such as 2026-11-21", o.Erased)
	}
	if !same(o, o.bare(o.Erased)) {
		return errors.New("erased: the record still names an agent or a mission, or has a text")
	}
	return nil
}
