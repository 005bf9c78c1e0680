package capability

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Duration is a time span, written as Go writes them (30s, 1m30s) or in whole
// days or weeks (30d, 2w). It is positive.
type Duration time.Duration

var dayOrWeek = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([1-9][0-9]{0,4})([dw])$`) })

const day = 24 * time.Hour

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	if m := dayOrWeek().FindSubmatch(text); m != nil {
		n, _ := strconv.Atoi(string(m[1])) // at most five digits
		unit := day
		if m[2][0] == 'w' {
			unit = 7 * day
		}
		*d = Duration(time.Duration(n) * unit)
		return nil
	}
	parsed, err := time.ParseDuration(string(text))
	if err != nil || parsed <= 0 {
		return fmt.Errorf("%q is no duration such as 30s, 5m or 30d", clip(string(text)))
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) {
	span := time.Duration(d)
	if span > 0 && span%day == 0 {
		return fmt.Appendf(nil, "%dd", span/day), nil
	}
	return []byte(span.String()), nil
}

// IsZero reports whether no duration was given.
func (d Duration) IsZero() bool { return d == 0 }

// Size is a number of bytes, written with a unit: 256MiB, 1GB. It is positive.
type Size int64

var (
	sizeShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([1-9][0-9]{0,17})(B|kB|KB|MB|GB|KiB|MiB|GiB)$`) })
	sizeUnits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(K|M|G)i?B$`) })
)

// UnmarshalText reads a size.
func (s *Size) UnmarshalText(text []byte) error {
	m := sizeShape().FindStringSubmatch(string(text))
	if m == nil {
		return fmt.Errorf("%q is no size such as 256MiB or 1GB", clip(string(text)))
	}
	n, _ := strconv.ParseInt(m[1], 10, 64) // at most eighteen digits
	unit := strings.ToUpper(m[2][:1]) + m[2][1:]
	if sizeUnits().MatchString(unit) {
		base := int64(1000)
		if strings.HasSuffix(unit, "iB") {
			base = 1024
		}
		for range strings.Index("KMG", unit[:1]) + 1 {
			if n > (1<<62)/base {
				return fmt.Errorf("%q is out of range", clip(string(text)))
			}
			n *= base
		}
	}
	*s = Size(n)
	return nil
}

// MarshalText implements encoding.TextMarshaler, in the largest binary unit that divides
// the size.
func (s Size) MarshalText() ([]byte, error) {
	n, unit := int64(s), "B"
	for _, next := range []string{"KiB", "MiB", "GiB"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, next
	}
	return fmt.Appendf(nil, "%d%s", n, unit), nil
}

// Rate is a frequency, written as 1/s, 30/min, 100/h or 1000/d.
type Rate struct {
	Count int
	Per   time.Duration
}

var rateShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([1-9][0-9]{0,8})/(s|min|m|h|d)$`) })

// UnmarshalText reads a rate.
func (r *Rate) UnmarshalText(text []byte) error {
	m := rateShape().FindStringSubmatch(string(text))
	if m == nil {
		return fmt.Errorf("%q is no rate such as 1/s, 30/min or 1000/d", clip(string(text)))
	}
	r.Count, _ = strconv.Atoi(m[1]) // at most nine digits
	switch m[2] {
	case "s":
		r.Per = time.Second
	case "m", "min":
		r.Per = time.Minute
	case "h":
		r.Per = time.Hour
	case "d":
		r.Per = day
	}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (r Rate) MarshalText() ([]byte, error) {
	unit := map[time.Duration]string{time.Second: "s", time.Minute: "min", time.Hour: "h", day: "d"}[r.Per]
	return fmt.Appendf(nil, "%d/%s", r.Count, unit), nil
}
