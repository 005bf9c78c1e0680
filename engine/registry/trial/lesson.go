package trial

import (
	"cmp"
	"math"
)

// Lesson is a text for which a capability served well, on a day.
type Lesson struct {
	Capability, Text string
	Day              Day
}

// Weight halves every 90 days until the newest lesson.
func (l Lesson) Weight(newest Day) float64 { return math.Exp2(float64(l.Day-newest) / 90) }

// Lessons collects lessons from the trials of one writer: from the newest verdicts on missions, and
// from uses outside of missions. The zero Lessons has none.
type Lessons struct {
	All []Lesson
	// ended holds missions and capabilities whose newest verdict was added.
	ended map[[2]string]bool
}

// Add adds a trial, which is older than those added before.
func (l *Lessons) Add(t Trial) {
	text := cmp.Or(t.InputSummary, t.Task)
	switch {
	case t.Mission == "" && t.Level == Followed:
		text = t.Task // the input is no text for which it was chosen
	case t.Level != Verdict:
		return
	default:
		at := [2]string{t.Mission, t.Capability}
		if _, newer := l.ended[at]; newer {
			return
		}
		if l.ended == nil {
			l.ended = map[[2]string]bool{}
		}
		l.ended[at] = true
	}
	if t.Outcome == Success && text != "" {
		l.All = append(l.All, Lesson{t.Capability, text, DayOf(t.ID.Time())})
	}
}
