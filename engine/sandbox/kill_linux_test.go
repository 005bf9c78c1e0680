package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/sandbox"
)

// TestKilled kills programs at many moments of their start, and after it. They would wait
// forever because their input stays open, so Wait returns only if everything is dead.
func TestKilled(t *testing.T) {
	box := isolating(t)
	text, err := os.ReadFile(escapeProgram(t))
	if err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("killed-%d", os.Getpid())
	spec := func(wall time.Duration) sandbox.Spec {
		return sandbox.Spec{
			Args:   []string{"bash", "-c", "./escape orphan " + mark + "; ./escape pause " + mark},
			Files:  map[string]sandbox.File{"escape": {Data: text, Executable: true}},
			Limits: sandbox.Limits{Wall: wall},
		}
	}
	for i := range 40 {
		moment := time.Duration(i+1) * 375 * time.Microsecond
		ended(t, start(t.Context(), t, box, spec(moment)), mark, sandbox.TimedOut)
		ctx, cancel := context.WithTimeout(t.Context(), moment)
		if p := start(ctx, t, box, spec(time.Hour)); p != nil {
			ended(t, p, mark, sandbox.Cancelled)
		}
		cancel()
	}
	p := start(t.Context(), t, box, spec(time.Hour))
	said := make([]byte, len("escaped\n"))
	if _, err := io.ReadFull(p.Stdout, said); err != nil || !bytes.Equal(said, []byte("escaped\n")) || running(t, mark) == 0 {
		t.Fatalf("it said %q, %v, and has to run: the test could not fail", said, err)
	}
	p.Kill()
	ended(t, p, mark, sandbox.Cancelled)
}

// start returns nil if the context ended first.
func start(ctx context.Context, t *testing.T, r sandbox.Runner, spec sandbox.Spec) *sandbox.Process {
	t.Helper()
	p, err := r.Start(ctx, spec)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	return p
}

// ended waits and looks for surviving processes. The minutes bound a hang.
func ended(t *testing.T, p *sandbox.Process, mark string, want sandbox.Ended) {
	t.Helper()
	done := make(chan sandbox.Result, 1)
	go func() { done <- p.Wait() }()
	select {
	case r := <-done:
		if pid := running(t, mark); pid != 0 || r.Ended != want {
			t.Fatalf("%v, want %v; process %d runs on", r.Ended, want, pid)
		}
	case <-time.After(2 * time.Minute):
		t.Fatalf("it was killed, and does not end; process %d runs on", running(t, mark))
	}
}
