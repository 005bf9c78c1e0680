package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// age is a length of time in a policy file: a whole number with one unit, such
// as 7d, 12h, 30m or 45s. A day is 24 hours.
type age time.Duration

const oneDay = age(24 * time.Hour)

// UnmarshalText reads 7d, 12h, 30m or 45s.
func (a *age) UnmarshalText(text []byte) error {
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	n, unit, err := amount(string(text))
	if err != nil || units[unit] == 0 || n > 100_000 {
		return fmt.Errorf("%q is no length of time; write a whole number with one unit, such as 7d, 12h, 30m or 45s", text)
	}
	*a = age(time.Duration(n) * units[unit])
	return nil
}

// String is an age of whole seconds as a file has it.
func (a age) String() string {
	switch d := time.Duration(a); {
	case a%oneDay == 0:
		return fmt.Sprintf("%dd", a/oneDay)
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	default:
		return fmt.Sprintf("%ds", d/time.Second)
	}
}

// ParseAge reads a length of time as policy files have it.
func ParseAge(text string) (time.Duration, error) {
	var a age
	err := a.UnmarshalText([]byte(text))
	return time.Duration(a), err
}

// size is a number of bytes in a policy file: 512, 64KiB or 10MiB.
type size int64

// UnmarshalText reads 512, 64KiB or 10MiB.
func (s *size) UnmarshalText(text []byte) error {
	units := map[string]int64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	n, unit, err := amount(string(text))
	if err != nil || units[unit] == 0 || n > 1<<30 {
		return fmt.Errorf("%q is no size; write bytes, such as 512, 64KiB or 10MiB", text)
	}
	*s = size(n * units[unit])
	return nil
}

// amount splits "10MiB" into 10 and "MiB".
func amount(text string) (int64, string, error) {
	unit := strings.TrimLeft(text, "0123456789")
	n, err := strconv.ParseInt(strings.TrimSuffix(text, unit), 10, 64)
	return n, unit, err
}
