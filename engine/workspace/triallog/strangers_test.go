package triallog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// strange records trials of a stranger that count by themselves, days of them on different days.
func strange(t *testing.T, l Log, trials, days int) trial.Writer {
	t.Helper()
	w := trial.WriterOf([]byte("a stranger"))
	var theirs []Kept
	var last trial.ID
	for n := range trials {
		last = trial.Next(last, noon.AddDate(0, 0, n*days/trials-days), w)
		o := used("a", trial.Success)
		o.Model = fmt.Sprintf("m%d%s", n, strings.Repeat("x", 90))
		theirs = append(theirs, Kept{Writer: w, Trial: trial.Trial{V: trial.FormatVersion, ID: last, Observation: o}})
	}
	out, err := Adopt(t.Context(), l, theirs)
	if err != nil {
		t.Fatal(err)
	}
	return out.Writer
}

// TestListedAreReadWhole: of a stranger the newest trials are read, of a listed installation all.
func TestListedAreReadWhole(t *testing.T) {
	repo := storetest.NewRepo(t)
	const all = 4000
	w := strange(t, newLog(repo, genesis, at(noon)), all, 1)
	for _, listed := range []bool{false, true} {
		l := newLog(repo, genesis, at(noon))
		if listed {
			l = newLog(repo, genesis, at(noon), w)
		}
		r, shown := read(t, l), 0
		problems, err := l.Visit(0, func(Kept) bool { shown++; return true })
		if err != nil {
			t.Fatal(err)
		}
		newest, _, err := Newest(l, 0, 3*all/4)
		if err != nil {
			t.Fatal(err)
		}
		n := total(r)
		if listed && (n != all || shown != all || len(newest) != 3*all/4 || len(r.Problems)+len(problems) > 0) {
			t.Errorf("listed: %d counted, %d and %d shown, %v %v", n, shown, len(newest), r.Problems, problems)
		}
		if !listed && (n == 0 || n > all/2 || shown != maxRecords || len(newest) != maxRecords || len(r.Problems) != 1 || len(problems) != 1) {
			t.Errorf("not listed: %d counted, %d and %d shown, %v %v", n, shown, len(newest), r.Problems, problems)
		}
	}
}

// TestTakenInParts: a journal of a stranger is taken in parts, each of which goes on where the last
// one ended, and a listed one at once.
func TestTakenInParts(t *testing.T) {
	repo := storetest.NewRepo(t)
	w := strange(t, newLog(repo, genesis, at(noon)), 1100, 1100)
	tip, err := repo.Ref(Ref(w))
	if err != nil {
		t.Fatal(err)
	}
	for _, listed := range [][]trial.Writer{nil, {w}} {
		var from tree.Hash
		parts := 0
		for ; from != tip && parts < 10; parts++ {
			c, err := newLog(repo, genesis, at(noon), listed...).Checks()
			if err != nil {
				t.Fatal(err)
			}
			before := from
			if from, err = c.Take(w, from, tip); from == before || (err == nil) != (from == tip) || err != nil && !IsLater(err) {
				t.Fatalf("from %s to %s: %v", before.Short(), from.Short(), err)
			}
		}
		if want := 2 - len(listed); from != tip || parts != want {
			t.Errorf("listed %v: at %s after %d parts", listed, from.Short(), parts)
		}
	}
}
