package triallog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// personal is a use by an agent for a mission, with every text that a record can have.
func personal(agent, mission string, outcome trial.Outcome) trial.Observation {
	o := used("csv", outcome)
	o.Agent, o.Mission, o.Blob = agent, mission, blobOf(1)
	o.Task, o.Diagnosis, o.InputSummary, o.OutputSummary = "task of "+agent, "diagnosis of "+agent, "input of "+agent, "output of "+agent
	return o
}

// recorded is a journal of five days: uses, failures, a verdict and a critique of two agents.
func recorded(t *testing.T) (l Log, own trial.Writer) {
	t.Helper()
	l = newLog(storetest.NewRepo(t), genesis, at(noon))
	for day := range 5 {
		l.now = at(noon.AddDate(0, 0, day))
		for _, agent := range []string{"scout", "marco"} {
			m := fmt.Sprintf("of-%s-%d", agent, day)
			verdict := personal(agent, m, trial.Success)
			verdict.Level, verdict.Settles = trial.Verdict, 1
			critique := trial.Observation{At: noon, Source: trial.Self, Agent: agent, Mission: m, Level: trial.Judged, Capability: "csv",
				Critic: &trial.Critique{Satisfaction: 0.5, By: "rules", Issues: []string{"an issue of " + agent}}}
			record(t, l, personal(agent, m, trial.Success), personal(agent, m, trial.Failure), verdict, critique)
		}
		if err := whole(t, l); err != nil {
			t.Fatal(err)
		}
	}
	own, err := l.Own()
	if err != nil {
		t.Fatal(err)
	}
	return l, own
}

// content is every blob below a journal's tip, and the messages of its commits.
func content(t *testing.T, l Log, tip tree.Hash) string {
	t.Helper()
	run := func(in string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", l.repo.CommonDir()}, args...)...)
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(args, err)
		}
		return string(out)
	}
	return run(run("", "rev-list", "--objects", "--no-object-names", tip.String()), "cat-file", "--batch")
}

// numbers are the counts of a journal by capability, outcome and level, without the agents.
func numbers(r *Reading) map[string]int64 {
	out := map[string]int64{}
	for _, counts := range r.Book.All() {
		for k, c := range counts {
			for what, n := range map[string]int64{"trials": c.Trials, "success": c.Success, "failure": c.Failure} {
				out[fmt.Sprint(k.Capability, k.Version, k.Source, k.Level, k.Day, what)] += n
			}
		}
	}
	return out
}

// TestErase: nothing that the journal reaches names an erased agent, its counts and its health are the
// same, and readers who have the journal before take the new one, also after further trials.
func TestErase(t *testing.T) {
	l, own := recorded(t)
	before, _ := l.head(own)
	was := read(t, l)
	healthy := func() string {
		e := healthOf(t, NewHealth(l, nil, health.Thresholds{Degraded: 3}), "csv", blobOf(1))
		return fmt.Sprint(e.State, e.Uses, e.Failures, e.InARow)
	}
	sound := healthy()
	if n, err := Erase(t.Context(), l, Selection{Agent: "scout"}, true); err != nil || n != 20 {
		t.Fatalf("dry: %d, %v", n, err)
	}
	if tip, _ := l.head(own); tip != before {
		t.Fatal("a dry run moved the journal")
	}
	waiting := personal("scout", "waiting", trial.Success) // not committed yet
	waiting.Blob = blobOf(2)
	record(t, l, waiting)
	if n, err := Erase(t.Context(), l, Selection{Agent: "scout"}, false); err != nil || n != 21 {
		t.Fatalf("%d, %v", n, err)
	}
	after, _ := l.head(own)
	if text := content(t, l, after); strings.Contains(text, "scout") || !strings.Contains(text, "task of marco") {
		t.Error("the erased agent is named, or the other one is not")
	}
	for what, n := range numbers(read(t, l)) {
		if d := n - numbers(was)[what]; d != 0 && !strings.Contains(what, "followed2026-11-25") {
			t.Errorf("%s: %d more", what, d)
		}
	}
	if now := healthy(); now != sound {
		t.Errorf("health %s, was %s", now, sound)
	}
	record(t, l, personal("marco", "later", trial.Success))
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	tip, _ := l.head(own)
	for _, from := range []tree.Hash{{}, before, after} {
		if err := Continues(l, own, from, tip); err != nil {
			t.Errorf("from %s: %v", from.Short(), err)
		}
	}
	if err := Continues(l, own, tip, before); !errors.Is(err, ErrJournal) {
		t.Errorf("back: %v", err)
	}
	if n, err := Erase(t.Context(), l, Selection{Agent: "scout"}, false); err != nil || n != 0 {
		t.Errorf("again: %d, %v", n, err)
	}
}

// TestEraseSelects: a mission, an agent in it, and what is older than an instant.
func TestEraseSelects(t *testing.T) {
	for _, tc := range []struct {
		Selection
		want int
	}{
		{Selection{Mission: "of-scout-1"}, 4},
		{Selection{Agent: "marco", Mission: "of-scout-1"}, 0},
		{Selection{Before: noon.AddDate(0, 0, 1)}, 8},
		{Selection{Agent: "marco", Before: noon.AddDate(0, 0, 2)}, 8},
		{Selection{Before: noon}, 0},
	} {
		l, _ := recorded(t)
		if n, err := Erase(t.Context(), l, tc.Selection, false); err != nil || n != tc.want {
			t.Errorf("%+v: %d, %v", tc.Selection, n, err)
		}
	}
}

// TestEraseStopped: an erasure that ends early leaves the journal as it was.
func TestEraseStopped(t *testing.T) {
	l, own := recorded(t)
	before, _ := l.head(own)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Erase(ctx, l, Selection{Agent: "scout"}, false); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if tip, _ := l.head(own); tip != before {
		t.Error("the journal moved")
	}
}

// TestErasedInBounds: an unlisted installation's erasure is compared within the bounds of one command.
func TestErasedInBounds(t *testing.T) {
	l, own := recorded(t)
	before, _ := l.head(own)
	if _, err := Erase(t.Context(), l, Selection{Agent: "scout"}, false); err != nil {
		t.Fatal(err)
	}
	after, _ := l.head(own)
	for left, want := range map[int]bool{1000: true, 60: false} {
		_, remain, err := continues(l, own, before, after, &left)
		if done := err == nil && remain == 0; done != want || !done && !IsLater(err) {
			t.Errorf("%d records, %v", remain, err)
		}
	}
}

// TestRetain: records of whole months that are older than the period are erased, once a month.
func TestRetain(t *testing.T) {
	l, own := recorded(t) // 21 to 25 November
	tip := func() tree.Hash { h, _ := l.head(own); return h }
	before := tip()
	const period = 40 * 24 * time.Hour
	for _, tc := range []struct {
		now    time.Time
		period time.Duration
		erases bool
	}{
		{noon.AddDate(1, 0, 0), 0, false},
		{time.Date(2027, 1, 9, 0, 0, 0, 0, time.UTC), period, false},
		{time.Date(2027, 1, 10, 0, 0, 0, 0, time.UTC), period, true},
		{time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC), period, false},
	} {
		l.now = at(tc.now)
		if err := Retain(t.Context(), l, tc.period); err != nil {
			t.Fatal(err)
		}
		if (tip() != before) != tc.erases {
			t.Errorf("%s: erased %v", tc.now, !tc.erases)
		}
		before = tip()
	}
	if text := content(t, l, before); strings.Contains(text, "scout") || bytes.Contains([]byte(text), []byte("marco")) {
		t.Error("an old record names its agent")
	}
}
