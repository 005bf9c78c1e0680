package canonical

import (
	"fmt"
	"regexp"
	"sync"
	"time"
)

var nonce = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`) })

// CheckNonce refuses a nonce that is not 16 to 64 letters, digits, '-' or '_'.
func CheckNonce(s string) error {
	if !nonce().MatchString(s) {
		return fmt.Errorf("nonce %q: want 16 to 64 letters, digits, '-' or '_'", s)
	}
	return nil
}

// CheckInstant refuses a time that is not in UTC, in whole seconds and in the years 1970 to
// 9999: others have several spellings, or none.
func CheckInstant(t time.Time) error {
	if t.Location() != time.UTC || !t.Equal(t.Truncate(time.Second)) || t.Year() < 1970 || t.Year() > 9999 {
		return fmt.Errorf("%s: want a time in UTC and whole seconds", t.Format(time.RFC3339Nano))
	}
	return nil
}
