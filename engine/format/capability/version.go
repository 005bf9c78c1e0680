package capability

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Version is a semantic version (semver.org 2.0.0): MAJOR.MINOR.PATCH with
// optional pre-release and build parts, without a leading v.
type Version string

var semver = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})` +
		`(-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?` +
		`(\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$`)
})

// Valid reports whether v is a semantic version.
func (v Version) Valid() bool { return semver().MatchString(string(v)) && len(v) <= 64 }

// UnmarshalText reads a version.
func (v *Version) UnmarshalText(text []byte) error {
	if !Version(text).Valid() {
		return fmt.Errorf("%q is no semantic version such as 1.2.0", clip(string(text)))
	}
	*v = Version(text)
	return nil
}

// Compare orders two valid versions by precedence; it ignores build parts.
func (v Version) Compare(w Version) int {
	a, b := semver().FindStringSubmatch(string(v)), semver().FindStringSubmatch(string(w))
	if a == nil || b == nil {
		return strings.Compare(string(v), string(w))
	}
	for i := 1; i <= 3; i++ {
		if c := compareNumbers(a[i], b[i]); c != 0 {
			return c
		}
	}
	return comparePrerelease(strings.TrimPrefix(a[4], "-"), strings.TrimPrefix(b[4], "-"))
}

// Major returns the first number of a valid version; 0 of any other.
func (v Version) Major() int {
	parts := semver().FindStringSubmatch(string(v))
	if parts == nil {
		return 0
	}
	n, _ := strconv.Atoi(parts[1]) // at most nine digits
	return n
}

// compareNumbers compares decimal numbers without leading zeros, of any length.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// comparePrerelease follows semver.org, rule 11: an empty one is the highest, numbers are
// below words, and the longer of two with equal beginnings is higher.
func comparePrerelease(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(len(b), len(a))
	}
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		aNumber, bNumber := isNumber(as[i]), isNumber(bs[i])
		var c int
		switch {
		case aNumber && bNumber:
			c = compareNumbers(as[i], bs[i])
		case aNumber:
			c = -1
		case bNumber:
			c = 1
		default:
			c = strings.Compare(as[i], bs[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }
