package canonical_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/canonical"
)

func TestCheckNonce(t *testing.T) {
	for s, good := range map[string]bool{
		strings.Repeat("a", 15): false, strings.Repeat("a", 16): true, strings.Repeat("Z", 64): true, strings.Repeat("9", 65): false,
		"0123456789_-abcd": true, "01234567 9abcdef": false, "0123456789abcdef\n": false, "0123456789abcdé": false,
	} {
		if err := canonical.CheckNonce(s); (err == nil) != good {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestCheckInstant(t *testing.T) {
	whole := time.Date(2026, 11, 23, 1, 2, 3, 0, time.UTC)
	for name, c := range map[string]struct {
		at   time.Time
		good bool
	}{
		"whole":       {whole, true},
		"a fraction":  {whole.Add(time.Nanosecond), false},
		"elsewhere":   {whole.In(time.FixedZone("", 3600)), false},
		"none":        {time.Time{}, false},
		"before 1970": {whole.AddDate(-60, 0, 0), false},
		"after 9999":  {whole.AddDate(8000, 0, 0), false},
	} {
		if err := canonical.CheckInstant(c.at); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}
