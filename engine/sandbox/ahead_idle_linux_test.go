//go:build amd64 || arm64

package sandbox

import (
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// TestAheadIdle: each sandbox waits for a time of its own, whatever else runs.
func TestAheadIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Box{}
		b.Keep()
		wait := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
		waiting := func() int {
			b.ahead.mu.Lock()
			defer b.ahead.mu.Unlock()
			return len(b.ahead.held)
		}
		unused, used := &Spec{Args: []string{"", "unused"}}, &Spec{Args: []string{"", "used"}} // no job can be made of them
		b.prepare(unused)
		for range 3 {
			b.prepare(used)
			wait(waitAhead/2 + 1)
		}
		if b.ahead.take(unused) != nil {
			t.Error("a sandbox that nothing used waits on")
		}
		if n := waiting(); n != 1 {
			t.Errorf("%d wait, one is used", n)
		}
		if wait(waitAhead); waiting() != 0 {
			t.Error("the last one waits on")
		}
	})
}

// TestAheadOutput: no sandbox waits for a program whose output goes on to one call.
func TestAheadOutput(t *testing.T) {
	b := &Box{}
	b.Keep()
	for want, s := range map[bool]Spec{true: {}, false: {Stderr: io.Discard}} {
		s.Args = []string{"a", "b"}
		if got := b.ahead.template(&s) != nil; got != want {
			t.Errorf("%+v waits: %v", s, got)
		}
	}
	if b.ahead.template(&Spec{Args: []string{"a", "b"}, Stdout: io.Discard}) != nil {
		t.Error("one waits")
	}
}
