package triallog

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// call is a call of a content that failed.
func call(name, blob string) trial.Observation {
	o := used(name, trial.Failure)
	o.Blob, o.Error = blob, "failed"
	return o
}

func blobOf(n int) string {
	digits := strconv.Itoa(n)
	return "0000000000000000000000000000000000000000"[len(digits):] + digits
}

func note(t testing.TB, h *Health, o trial.Observation) (before, after health.Entry) {
	t.Helper()
	before, after, err := h.Note(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return before, after
}

func healthOf(t testing.TB, h *Health, name, blob string) health.Entry {
	t.Helper()
	r, err := h.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return r.Entry(blob, "1.0.0")
}

// TestHealthFollowsFromTrials: reading the journal from its beginning, from the cache, and while it grows
// gives the same health, and the thresholds in force apply to all of it.
func TestHealthFollowsFromTrials(t *testing.T) {
	dir := t.TempDir()
	storetest.Git(t, dir, "init", "-q")
	now := noon
	l := newLog(storetest.Open(t, dir), genesis, func() time.Time { return now })
	growing := NewHealth(l, nil, health.Thresholds{Degraded: 3})
	tested := func(o health.Outcome, asked bool) trial.Observation {
		return health.Evidence{Kind: health.Suite, Outcome: o, At: now, Asked: asked, Mastery: 0.5, Report: "sha256:1", Cases: []health.Case{{ID: "own: a", Cause: "it was 2"}}}.Observation("tool", blobOf(1), "1.0.0")
	}
	for n, o := range []trial.Observation{
		tested(health.Passed, false), call("tool", blobOf(1)), call("tool", blobOf(2)), call("tool", blobOf(1)), used("other", trial.Success), call("tool", blobOf(1)), tested(health.Passed, true), tested(health.Failed, false),
	} {
		now = now.Add(time.Hour * time.Duration(n))
		note(t, growing, o)
		want, err := growing.All()
		if err != nil {
			t.Fatal(err)
		}
		for _, forget := range []bool{false, true} {
			if forget {
				_ = os.Remove(filepath.Join(dir, ".git/assent/trials", healthFile))
			}
			got, err := NewHealth(l, nil, health.Thresholds{Degraded: 3}).All()
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("after %d, cache removed %v: %v\n%+v, want\n%+v", n, forget, err, got, want)
			}
		}
	}
	e := healthOf(t, growing, "tool", blobOf(1))
	if e.State != health.Red || e.By != health.Suite || e.Uses != 3 || e.Failures != 3 || e.Mastery != 0.5 || len(e.Cases) != 1 || len(e.History) != 4 {
		t.Errorf("%+v", e)
	}
	if e := healthOf(t, NewHealth(l, nil, health.Thresholds{Degraded: 4}), "tool", blobOf(1)); len(e.History) != 2 {
		t.Errorf("where four failures are needed: %+v", e)
	}
	forgetful := NewHealth(l, nil, health.Thresholds{Degraded: 3})
	forgetful.Forgets = true
	before := total(read(t, l))
	if _, after := note(t, forgetful, tested(health.Passed, true)); after.State != health.Green || total(read(t, l)) != before {
		t.Errorf("what is forgotten: %s, %d trials after %d", after.State, total(read(t, l)), before)
	}
}

// TestHealthConcurrent: concurrent notes lose no failure, and exactly one of them causes the
// quarantine.
func TestHealthConcurrent(t *testing.T) {
	dir := t.TempDir()
	storetest.Git(t, dir, "init", "-q")
	var all sync.WaitGroup
	var mu sync.Mutex
	quarantined := 0
	for range 8 {
		all.Go(func() {
			h := NewHealth(newLog(storetest.Open(t, dir), genesis, time.Now), nil, health.Thresholds{Degraded: 20})
			for range 5 {
				before, after, err := h.Note(t.Context(), call("tool", blobOf(1)))
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				if before.State != after.State {
					quarantined++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	e := healthOf(t, NewHealth(newLog(storetest.Open(t, dir), genesis, time.Now), nil, health.Thresholds{Degraded: 20}), "tool", blobOf(1))
	if e.Failures != 40 || e.State != health.Red || quarantined != 1 {
		t.Errorf("%d failures, %s, %d times put into quarantine", e.Failures, e.State, quarantined)
	}
}

// TestHealthBounds: a name in another spelling is the same capability, claims are no evidence, and an
// evidence that the state does not admit is not recorded.
func TestHealthBounds(t *testing.T) {
	dir := t.TempDir()
	storetest.Git(t, dir, "init", "-q")
	l := newLog(storetest.Open(t, dir), genesis, time.Now)
	h := NewHealth(l, nil, health.Thresholds{Degraded: 2})
	for n := range 40 {
		note(t, h, call("parse-csv", blobOf(n)))
	}
	if r, err := h.Read("parse_csv"); err != nil || len(r.Entries) != 16 {
		t.Errorf("%d contents are kept, %v", len(r.Entries), err)
	}
	claim := call("parse-csv", blobOf(39))
	claim.Source = trial.Self
	note(t, h, claim)
	if e := healthOf(t, h, "parse-csv", blobOf(39)); e.Failures != 1 || e.State != health.Pending {
		t.Errorf("claims count: %+v", e)
	}
	before := total(read(t, l))
	var illegal *health.Illegal
	if _, _, err := h.Note(t.Context(), health.Evidence{Kind: health.Reset, At: noon}.Observation("tool", blobOf(1), "1.0.0")); !errors.As(err, &illegal) || total(read(t, l)) != before {
		t.Errorf("%v, %d trials after %d", err, total(read(t, l)), before)
	}
}

// TestCallsAreBlind: the digest of a call cannot be compared across installations, and can within one.
func TestCallsAreBlind(t *testing.T) {
	var calls []string
	for range 2 {
		dir := t.TempDir()
		storetest.Git(t, dir, "init", "-q")
		o := call("tool", blobOf(1))
		o.Call = "0123456789abcdef"
		for _, k := range record(t, newLog(storetest.Open(t, dir), genesis, time.Now), o, o) {
			calls = append(calls, k.Call)
		}
	}
	if calls[0] != calls[1] || calls[2] != calls[3] || calls[0] == calls[2] || calls[0] == "0123456789abcdef" {
		t.Error(calls)
	}
}

// TestQuarantineElsewhere: what one of several listed installations took out of use is called
// elsewhere until a second one did, or if it is the only one; what an unlisted one says gates
// nothing. Tests that a person asked for here end it.
func TestQuarantineElsewhere(t *testing.T) {
	dir := t.TempDir()
	storetest.Git(t, dir, "init", "-q")
	now := noon
	l := newLog(storetest.Open(t, dir), genesis, func() time.Time { return now })
	limits := health.Thresholds{Degraded: 3}
	var writers []trial.Writer
	for range 3 {
		for range 3 {
			record(t, l, call("tool", blobOf(1)))
		}
		if err := whole(t, l); err != nil {
			t.Fatal(err)
		}
		w, err := l.Own()
		if err != nil {
			t.Fatal(err)
		}
		writers = append(writers, w)
		if err := os.Remove(filepath.Join(dir, ".git/assent/trials", keyFile)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		listed map[string]trial.Writer
		want   health.State
	}{
		{nil, health.Pending},
		{map[string]trial.Writer{"a": writers[0]}, health.Red},
		{map[string]trial.Writer{"a": writers[0], "again": writers[0]}, health.Red},
		{map[string]trial.Writer{"a": writers[0], "silent": trial.WriterOf([]byte("x"))}, health.Pending},
		{map[string]trial.Writer{"a": writers[0], "b": writers[1], "silent": trial.WriterOf([]byte("x"))}, health.Red},
	} {
		h := NewHealth(l, tc.listed, limits)
		e := healthOf(t, h, "tool", blobOf(1))
		if e.State != tc.want || tc.want == health.Red && e.By != health.Elsewhere || healthOf(t, h, "tool", blobOf(2)).State != health.Pending {
			t.Errorf("with %s listed: %+v, want %s", slices.Sorted(maps.Keys(tc.listed)), e, tc.want)
		}
	}
	h := NewHealth(l, map[string]trial.Writer{"a": writers[0]}, limits)
	passed := func(asked bool) health.State {
		_, after := note(t, h, health.Evidence{Kind: health.Suite, Outcome: health.Passed, At: now, Asked: asked, Mastery: 1}.Observation("tool", blobOf(1), "1.0.0"))
		return after.State
	}
	now = now.Add(time.Hour)
	if got := passed(false); got != health.Red {
		t.Errorf("tests that no one asked for: %s", got)
	}
	if got := passed(true); got != health.Green {
		t.Errorf("tests that a person asked for: %s", got)
	}
}

// TestUnreadableJournal: this installation's own journal may hold a quarantine, so that an
// unreadable one is an error; another's is passed over.
func TestUnreadableJournal(t *testing.T) {
	dir := t.TempDir()
	storetest.Git(t, dir, "init", "-q")
	l := newLog(storetest.Open(t, dir), genesis, time.Now)
	record(t, l, call("tool", blobOf(1)))
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	own, err := l.Own()
	if err != nil {
		t.Fatal(err)
	}
	tip, err := l.head(own)
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.repo.Commit(tip)
	if err != nil {
		t.Fatal(err)
	}
	c.Signature, c.Message = "", "not trials\n"
	other, err := l.repo.WriteCommit(c, nil)
	if err == nil {
		err = l.repo.Update(gitstore.RefUpdate{Name: Ref(own), Old: tip, New: other})
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewHealth(l, nil, health.Thresholds{Degraded: 3}).Read("tool"); !errors.Is(err, ErrJournal) {
		t.Errorf("its own journal: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, ".git/assent/trials", keyFile)); err != nil {
		t.Fatal(err)
	}
	if e := healthOf(t, NewHealth(l, map[string]trial.Writer{"a": own}, health.Thresholds{Degraded: 1}), "tool", blobOf(1)); e.State != health.Pending {
		t.Errorf("another's: %+v", e)
	}
}
