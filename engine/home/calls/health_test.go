package calls

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/registry/health"
)

func failed(n int) health.Evidence {
	return health.Evidence{Kind: health.Use, Outcome: health.Failed, At: time.Unix(int64(n), 0).UTC(), Why: "boom"}
}

var limits = health.Thresholds{Degraded: 1000}

// TestMain lets this test be the other process: it notes failures until it is killed, and
// acknowledges each.
func TestMain(m *testing.M) {
	if dir := os.Getenv("HEALTH_TEST_DIR"); dir != "" {
		s := NewHealth(dir, "w")
		for n := 1; ; n++ {
			if _, _, err := s.Note(context.Background(), "tool", "d", "1.0.0", failed(n), limits); err != nil {
				os.Stderr.WriteString(err.Error())
				os.Exit(1)
			}
			os.Stdout.WriteString("noted\n")
		}
	}
	os.Exit(m.Run())
}

// TestHealthKilled: acknowledged failures survive a kill, and the next process continues.
func TestHealthKilled(t *testing.T) {
	dir := t.TempDir()
	acknowledged := 0
	for range 3 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "HEALTH_TEST_DIR="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, len("noted\n")*5)
		for read := 0; read < len(buf); {
			n, err := out.Read(buf[read:])
			if err != nil {
				t.Fatalf("%v: %s", err, buf)
			}
			read += n
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		acknowledged += 5
		r, err := NewHealth(dir, "w").Read("tool")
		if err != nil || r.Entry("d", "").InARow < acknowledged {
			t.Fatalf("after %d were acknowledged: %+v, %v", acknowledged, r, err)
		}
		acknowledged = r.Entry("d", "").InARow
	}
}

// TestHealthConcurrent: concurrent notes lose no failure, and exactly one of them causes the
// quarantine.
func TestHealthConcurrent(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	var mu sync.Mutex
	quarantined := 0
	for range 8 {
		all.Go(func() {
			s := NewHealth(dir, "w")
			for n := range 5 {
				before, after, err := s.Note(t.Context(), "tool", "d", "1.0.0", failed(n), health.Thresholds{Degraded: 20})
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
	r, err := NewHealth(dir, "w").Read("tool")
	e := r.Entry("d", "")
	if err != nil || e.Failures != 40 || e.State != health.Red || quarantined != 1 {
		t.Errorf("%d failures, %s, %d times put into quarantine, %v", e.Failures, e.State, quarantined, err)
	}
}

// TestHealthContents: each content has its own health, in any order of notes. A name in another
// spelling is the same capability; another name is not.
func TestHealthContents(t *testing.T) {
	s := NewHealth(t.TempDir(), "w")
	note := func(name, digest string) {
		t.Helper()
		if _, _, err := s.Note(t.Context(), name, digest, "1.0.0", failed(1), health.Thresholds{Degraded: 2}); err != nil {
			t.Fatal(err)
		}
	}
	note("parse-csv", "a")
	note("parse-csv", "b")
	note("parse_csv", "a")
	note("../parse csv", "a")
	r, err := s.Read("parse-csv")
	if a, b := r.Entry("a", ""), r.Entry("b", ""); err != nil || a.State != health.Red || b.State != health.Pending || r.Entry("c", "2.0.0").State != health.Pending {
		t.Errorf("%+v, %v", r, err)
	}
	all, err := s.All()
	if err != nil || len(all) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	for n := range 40 {
		note("parse-csv", "d"+strconv.Itoa(n))
	}
	if r, err := s.Read("parse-csv"); err != nil || len(r.Entries) != maxContents {
		t.Errorf("%d contents are kept, %v", len(r.Entries), err)
	}
}

// TestHealthRefused: illegal evidence and damaged files change nothing.
func TestHealthRefused(t *testing.T) {
	dir := t.TempDir()
	s := NewHealth(dir, "w")
	var illegal *health.Illegal
	if _, _, err := s.Note(t.Context(), "tool", "d", "1.0.0", health.Evidence{Kind: health.Reset}, limits); !errors.As(err, &illegal) {
		t.Fatal(err)
	}
	if all, err := s.All(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	for _, text := range []string{"", "{", `{"v":2}`, `{"v":1,"entries":[{"state":"blue"}]}`} {
		file := filepath.Join(dir, "health", "w", "tool.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Read("tool"); err == nil || !strings.Contains(err.Error(), "starts over") {
			t.Errorf("%q: %v", text, err)
		}
		if _, _, err := s.Note(t.Context(), "tool", "d", "1.0.0", failed(1), limits); err == nil {
			t.Errorf("%q was written over", text)
		}
	}
}
