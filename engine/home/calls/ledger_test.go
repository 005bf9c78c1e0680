package calls

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func at(seconds float64) time.Time {
	return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

func kind(err error) Kind {
	var r *Refused
	if errors.As(err, &r) {
		return r.Kind
	}
	return ""
}

// TestCaps: a call beyond a cap never starts.
func TestCaps(t *testing.T) {
	l := NewLedger(t.TempDir(), "w")
	caps := Caps{Executions: 5, Cost: 0.10}
	for i := range 3 {
		if _, err := l.Take(t.Context(), Charge{Session: "a", Cost: 0.03}, caps, at(0)); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if _, err := l.Take(t.Context(), Charge{Session: "a", Cost: 0.03}, caps, at(0)); kind(err) != Cost {
		t.Errorf("the fourth: %v", err)
	}
	if _, err := l.Add(t.Context(), "a", 0.01, at(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Take(t.Context(), Charge{Session: "a"}, caps, at(0)); kind(err) != Cost {
		t.Errorf("a free one, when all is spent: %v", err)
	}
	for range 5 {
		if _, err := l.Take(t.Context(), Charge{Session: "b"}, caps, at(0)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Take(t.Context(), Charge{Session: "b"}, caps, at(0)); kind(err) != Executions {
		t.Errorf("the sixth: %v", err)
	}
	if s, err := l.Session("a"); err != nil || s != (Spent{3, 0.1}) {
		t.Errorf("a spent %v, %v", s, err)
	}
}

// TestFits: Fits charges nothing and returns the answer of Take.
func TestFits(t *testing.T) {
	l := NewLedger(t.TempDir(), "w")
	caps := Caps{Executions: 3, Cost: 1}
	often := Charge{Session: "a", Capability: "x", Cost: 0.6, Count: 2, Per: time.Minute}
	for range 4 {
		if s, err := l.Fits(often, caps, at(0)); err != nil || s != (Spent{}) {
			t.Fatalf("%v, %v", s, err)
		}
	}
	for _, tc := range []struct {
		c    Charge
		want Kind
	}{{often, ""}, {often, Cost}, {Charge{Session: "a", Cost: 0.2}, ""}, {Charge{Session: "b", Capability: "x", Count: 2, Per: time.Minute}, ""},
		{Charge{Session: "b", Capability: "x", Count: 2, Per: time.Minute}, Rate}, {Charge{Session: "a"}, ""}, {Charge{Session: "a"}, Executions}} {
		before, asked := l.Fits(tc.c, caps, at(1))
		_, err := l.Take(t.Context(), tc.c, caps, at(1))
		if kind(asked) != tc.want || kind(err) != tc.want {
			t.Errorf("%+v after %v: asked %v, taken %v, want %q", tc.c, before, asked, err, tc.want)
		}
	}
}

// TestLedgerConcurrent: processes that share the file stay within the caps together.
func TestLedgerConcurrent(t *testing.T) {
	dir := t.TempDir()
	var taken atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 4 {
				_, err := NewLedger(dir, "w").Take(t.Context(), Charge{Session: "a", Cost: 0.1}, Caps{Executions: 100, Cost: 1}, at(0))
				if err == nil {
					taken.Add(1)
				} else if kind(err) != Cost {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := taken.Load(); n != 10 {
		t.Errorf("%d calls of 0.1 fit into 1", n)
	}
}

func TestRate(t *testing.T) {
	l := NewLedger(t.TempDir(), "w")
	caps := Caps{Executions: 100, Cost: 1}
	take := func(session string, when float64) error {
		_, err := l.Take(t.Context(), Charge{Session: session, Capability: "c", Count: 2, Per: time.Second}, caps, at(when))
		return err
	}
	for _, tc := range []struct {
		session string
		when    float64
		want    Kind
	}{{"a", 0, ""}, {"b", 0.5, ""}, {"c", 0.9, Rate}, {"a", 1.1, ""}, {"a", 1.2, Rate}, {"a", 1.6, ""}, {"a", -3600, ""}} {
		if err := take(tc.session, tc.when); kind(err) != tc.want || err != nil && tc.want == "" {
			t.Errorf("at %v: %v", tc.when, err)
		}
	}
}

// TestLedgerDamaged: an unreadable account is an error, not an empty one.
func TestLedgerDamaged(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "ledger"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", `{"v":2,"sessions":{},"starts":{}}`, `{"v":1,"sessions":null,"starts":{}}`} {
		if err := os.WriteFile(filepath.Join(dir, "ledger", "w.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := NewLedger(dir, "w").Take(t.Context(), Charge{Session: "a"}, Caps{Executions: 1, Cost: 1}, at(0)); err == nil || !strings.Contains(err.Error(), "start over") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestForgets(t *testing.T) {
	l := NewLedger(t.TempDir(), "w")
	caps := Caps{Executions: 1, Cost: 1}
	for i, when := range []float64{0, keepSession.Seconds() + 1} {
		if _, err := l.Take(t.Context(), Charge{Session: "a"}, caps, at(when)); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}
