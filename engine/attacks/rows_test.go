package attacks_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func rowDefences() map[string]defence {
	return map[string]defence{"rows-match-their-roll-up": {attack: "TestAttackRows/outcome"}}
}

// rowsOfAll is a database to which others write, too.
type rowsOfAll struct{ rows map[trial.Writer][]trial.Row }

func (r *rowsOfAll) Close() {}

func (r *rowsOfAll) Put(_ context.Context, w trial.Writer, rows []trial.Row) error {
	r.rows[w] = append(r.rows[w], rows...)
	return nil
}

func (r *rowsOfAll) Digest(_ context.Context, _ trial.Writer, p trial.Part) (string, error) {
	return p.SHA256, nil // whatever is there
}

func (r *rowsOfAll) Read(_ context.Context, w trial.Writer, p trial.Part) (lines [][]byte, err error) {
	for _, row := range r.rows[w] {
		if row.ID.Compare(p.First) >= 0 && row.ID.Compare(p.Last) <= 0 {
			lines = append(lines, row.Line)
		}
	}
	return lines, nil
}

// Who can write to the database changes, adds, removes, repeats and reorders rows, also in the name of another
// installation. No capability sinks or rises by that, and no forged record is shown.
func TestAttackRows(t *testing.T) {
	now := erasersTime
	there := &rowsOfAll{map[trial.Writer][]trial.Row{}}
	l := triallog.In(triallog.New(storetest.NewRepo(t), erasersWorkspace, func() time.Time { return now }),
		triallog.Database{Sends: true, Open: func(context.Context) (triallog.Rows, error) { return there, nil }})
	for n := range 6 {
		o := trial.Observation{At: erasersTime, Source: trial.Engine, Level: trial.Followed, Agent: "scout", Mission: "m", Task: "tie a knot", Capability: "bowline", Version: "1.0.0",
			Blob: strings.Repeat("a", 40), Model: "large", Tags: []string{"eu"}, Outcome: trial.Success, MS: 5, Cost: 1, Tokens: int64(n + 1)}
		if n%3 == 2 {
			o.Outcome, o.Error = trial.Failure, "timeout"
		}
		if _, err := l.Record(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	now = now.AddDate(0, 0, 1)
	if err := l.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	own, err := l.Own()
	if err != nil {
		t.Fatal(err)
	}
	honest := slices.Clone(there.rows[own])
	if len(honest) != 6 {
		t.Fatalf("%d rows", len(honest))
	}
	decisions := func() string {
		var r triallog.Reading
		all, herr := triallog.NewHealth(l, nil, health.Thresholds{Degraded: 3}).All()
		if err := errors.Join(l.Refresh(&r), herr); err != nil {
			t.Fatal(err)
		}
		rate := r.Book.LinkRate("bowline", "1.0.0", trial.Trust{Own: own}, "large")
		if rate == nil {
			t.Fatal("no rate")
		}
		return fmt.Sprint(*rate, all["bowline"], r.Book.Names())
	}
	shown := func() (out []string) {
		if _, err := l.Visit(0, func(k triallog.Kept) bool {
			line, err := k.Encode()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(line))
			return true
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	sound, records := decisions(), shown()
	if len(records) != 6 {
		t.Fatalf("%d records", len(records))
	}
	attack := func(name string, rows []trial.Row) {
		t.Run(name, func(t *testing.T) {
			there.rows[own] = rows
			defer func() { there.rows[own] = honest }()
			if is := decisions(); is != sound {
				t.Errorf(succeeded+"a row decided: %s instead of %s", is, sound)
			}
			if list := shown(); len(list) != 0 && !slices.Equal(list, records) {
				t.Errorf(succeeded+"forged records are shown: %s", list)
			}
		})
	}
	for what, change := range map[string]func(*trial.Trial){
		"outcome":    func(o *trial.Trial) { o.Outcome, o.Error = trial.Partial, "" },
		"success":    func(o *trial.Trial) { o.Outcome, o.Error, o.Tokens = trial.Success, "", 99 },
		"failure":    func(o *trial.Trial) { o.Outcome, o.Error = trial.Failure, "refused_input" },
		"capability": func(o *trial.Trial) { o.Capability = "reef-knot" },
		"version":    func(o *trial.Trial) { o.Version = "2.0.0" },
		"blob":       func(o *trial.Trial) { o.Blob = strings.Repeat("b", 40) },
		"mission":    func(o *trial.Trial) { o.Mission = "other" },
		"agent":      func(o *trial.Trial) { o.Agent = "marco" },
		"task":       func(o *trial.Trial) { o.Task = "use this for everything" },
		"tokens":     func(o *trial.Trial) { o.Tokens = trial.MaxTokens },
		"cost":       func(o *trial.Trial) { o.Cost = trial.MaxCost },
		"source":     func(o *trial.Trial) { o.Source = trial.Human },
		"verdict":    func(o *trial.Trial) { o.Level, o.Settles, o.Blob = trial.Verdict, 5000, "" },
		"erased":     func(o *trial.Trial) { *o = o.Erase(trial.DayOf(now)) },
	} {
		for n := range honest {
			forged, err := trial.Decode(honest[n].Line)
			if err != nil {
				t.Fatal(err)
			}
			change(&forged)
			line, err := forged.Encode()
			if err != nil {
				t.Fatal(what, err)
			}
			rows := slices.Clone(honest)
			rows[n].Line = line
			attack(fmt.Sprintf("%s/%d", what, n), rows)
			rows = slices.Insert(slices.Clone(honest), n, trial.Row{ID: honest[n].ID, Line: line})
			attack(fmt.Sprintf("%s/beside %d", what, n), rows)
		}
	}
	other := trial.Next(honest[0].ID, now, trial.WriterOf([]byte("another")))
	foreign, err := trial.Decode(honest[0].Line)
	if err != nil {
		t.Fatal(err)
	}
	foreign.ID = other
	line, err := foreign.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for n := range honest {
		attack(fmt.Sprint("removed/", n), slices.Delete(slices.Clone(honest), n, n+1))
		attack(fmt.Sprint("repeated/", n), slices.Insert(slices.Clone(honest), n, honest[n]))
		attack(fmt.Sprint("foreign/", n), slices.Insert(slices.Clone(honest), n, trial.Row{ID: honest[n].ID, Line: line}))
		attack(fmt.Sprint("rubbish/", n), slices.Insert(slices.Clone(honest), n, trial.Row{ID: honest[n].ID, Line: []byte("rubbish\n")}))
	}
	reversed := slices.Clone(honest)
	slices.Reverse(reversed)
	attack("reversed", reversed)
	attack("nothing", nil)
}
