package triallog

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// adopted records trials in one workspace and adopts them in another.
func adopted(t *testing.T) (l Log, theirs []Kept, out Adopted) {
	t.Helper()
	there := newLog(storetest.NewRepo(t), genesis, at(noon))
	for day := range 3 {
		there.now = at(noon.AddDate(0, 0, day))
		record(t, there, used("csv", trial.Success), used("csv", trial.Success), used("csv", trial.Failure))
	}
	theirs, problems, err := Newest(there, 0, 8)
	if err != nil || len(problems) > 0 || len(theirs) != 8 {
		t.Fatal(len(theirs), problems, err)
	}
	l = newLog(storetest.NewRepo(t), "2222222222222222222222222222222222222222", at(noon.AddDate(0, 0, 1)))
	if out, err = Adopt(t.Context(), l, theirs); err != nil {
		t.Fatal(err)
	}
	return l, theirs, out
}

// TestAdopt: trials of another workspace are a sound journal of an unknown writer, once.
func TestAdopt(t *testing.T) {
	l, theirs, out := adopted(t)
	if out.Recorded != 8 || out.Already {
		t.Errorf("%+v", out)
	}
	tip, err := l.head(out.Writer)
	if err != nil {
		t.Fatal(err)
	}
	if err := Continues(l, out.Writer, tree.Hash{}, tip); err != nil {
		t.Error(err)
	}
	own, err := l.Own()
	if err != nil || own == out.Writer || theirs[0].Writer == out.Writer {
		t.Errorf("%s was recorded for %s, %v", theirs[0].Writer, out.Writer, err)
	}
	r := read(t, l)
	if got := total(r); got != 8 {
		t.Errorf("%d trials count", got)
	}
	if s := r.Book.Observed("csv", "1.0.0", r.Trust(nil)); s.Tried() != 0 {
		t.Errorf("decisions rest on %v", s.Tally)
	}
	if s := r.Book.Of("csv", "1.0.0", r.Trust(nil)); s.Tried() == 0 || s.Tried() > 2 {
		t.Errorf("ranks rest on %v", s.Tally)
	}
	again, err := Adopt(t.Context(), l, theirs)
	if err != nil || !again.Already || again.Recorded != 0 || again.Writer != out.Writer {
		t.Errorf("the second time: %+v, %v", again, err)
	}
	if less, err := Adopt(t.Context(), l, theirs[1:]); err != nil || less.Writer == out.Writer {
		t.Errorf("other trials: %+v, %v", less, err)
	}
}

// TestAdoptAhead: no adopted trial is ahead of the clock, and each keeps its day otherwise.
func TestAdoptAhead(t *testing.T) {
	l, theirs, _ := adopted(t)
	here, _, err := Newest(l, 0, 100)
	if err != nil || len(here) != len(theirs) {
		t.Fatal(len(here), err)
	}
	for i, k := range here {
		want := theirs[i].ID.Time()
		if now := l.now(); want.After(now) {
			want = now
		}
		if trial.DayOf(k.ID.Time()) != trial.DayOf(want) || k.ID.Time().After(l.now().Add(time.Second)) {
			t.Errorf("trial %d is of %s, the original of %s", i, k.ID.Time(), theirs[i].ID.Time())
		}
	}
}

// TestNewest: the same records are the newest ones, committed or not, and the newest are last.
func TestNewest(t *testing.T) {
	l := newLog(storetest.NewRepo(t), genesis, at(noon))
	for day := range 4 {
		l.now = at(noon.AddDate(0, 0, day))
		for i := range 5 {
			record(t, l, used("tool-"+strconv.Itoa(i), trial.Success))
		}
	}
	for _, most := range []int{1, 3, 7, 10, 100} {
		before, _, err := Newest(l, 0, most)
		if err != nil || len(before) != min(most, 20) || !slices.IsSortedFunc(before, Kept.Compare) || before[len(before)-1].Capability != "tool-4" {
			t.Fatalf("%d: %v, %v", most, before, err)
		}
		if err := whole(t, l); err != nil {
			t.Fatal(err)
		}
		after, _, err := Newest(l, 0, most)
		if err != nil || !slices.EqualFunc(before, after, func(a, b Kept) bool { return a.ID == b.ID }) {
			t.Errorf("%d: after a commit %v, %v", most, after, err)
		}
	}
	if since, _, err := Newest(l, trial.DayOf(noon)+3, 100); err != nil || len(since) != 5 {
		t.Errorf("since a day: %d, %v", len(since), err)
	}
}
