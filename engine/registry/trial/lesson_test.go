package trial

import (
	"slices"
	"testing"
)

// TestLessons: the newest verdict on a mission decides whether it teaches: the steps of what was
// linked, and the mission's text for the rest. A use teaches by its task, unless it belongs to a mission.
func TestLessons(t *testing.T) {
	told := func(all ...Observation) (out []string) {
		_, trials := mission(all...)
		var l Lessons
		for _, t := range slices.Backward(trials) {
			l.Add(t)
		}
		for _, lesson := range l.All {
			out = append(out, lesson.Capability+": "+lesson.Text)
		}
		return out
	}
	uses := []Observation{linked("a"), used("a", Followed, Success, "eu"), used("b", Loaded, Open)}
	verdicts := func(all []Observation, o Outcome) []Observation {
		m, _ := mission(all...)
		out, err := m.Verdicts(Observation{Source: Self, Outcome: o})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Concat(all, out)
	}
	if got := told(uses...); len(got) != 0 {
		t.Errorf("without a verdict: %q", got)
	}
	success := verdicts(uses, Success)
	if got := told(success...); !slices.Equal(got, []string{"a: clean", "b: clean it"}) && !slices.Equal(got, []string{"b: clean it", "a: clean"}) {
		t.Errorf("after a success: %q", got)
	}
	if got := told(verdicts(success, Failure)...); len(got) != 0 {
		t.Errorf("a success that was taken back teaches %q", got)
	}
	if got := told(verdicts(uses, Partial)...); len(got) != 0 {
		t.Errorf("a partial success teaches %q", got)
	}
	var l Lessons
	for _, outcome := range []Outcome{Success, Failure} {
		o := used("c", Followed, outcome)
		o.Task, o.InputSummary = "count lines", "{text text(8)}"
		l.Add(Trial{FormatVersion, Next(ID{}, at(0), ana), o})
	}
	if len(l.All) != 1 || l.All[0].Text != "count lines" {
		t.Errorf("%+v", l.All)
	}
	if w := l.All[0].Weight(l.All[0].Day + 90); w != 0.5 {
		t.Errorf("after 90 days it weighs %v", w)
	}
}
