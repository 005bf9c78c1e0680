package remote

import (
	"errors"
	"testing"
	"time"
)

// TestLocal: what fails on this machine is no refusal of a ref, whatever the remote says.
func TestLocal(t *testing.T) {
	for text, want := range map[string]bool{
		"git fetch: exit status 128: fatal: write error: No space left on device\nfatal: index-pack failed":                   true,
		"error: cannot lock ref 'refs/assent/x': Unable to create '/w/.git/refs/assent/x.lock': File exists.":                 true,
		"error: Could not read 0a\nfatal: Failed to traverse parents of commit 0b\nerror: did not send all necessary objects": false,
		"remote: fatal: write error: No space left on device\nfatal: bad object 0a":                                           false,
		"fatal: Out of memory, malloc failed": false,
	} {
		if got := local(errors.New(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestPauses: attempts pause for a hundred times what they took, and for a day at most.
func TestPauses(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{time.Second: 100 * time.Second, time.Hour: longestRest, 1 << 62: longestRest} {
		if f := (unfetched{Took: took}); f.end().Sub(f.Since) != want {
			t.Errorf("%s after %s", f.end().Sub(f.Since), took)
		}
	}
}
