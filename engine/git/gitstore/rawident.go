package gitstore

import (
	"strconv"
	"strings"
	"time"
)

// gitSpace has the bytes that git treats as white space.
const gitSpace = " \t\n\r"

// lastSecond is the last second of the year 9999: RFC 3339 cannot express later dates.
const lastSecond = 253402300799

// parsePerson parses NAME <EMAIL> SECONDS ZONE, which is how git writes an author or committer.
// Other lines are refused, because git's own readers find different parts in them. No decision
// trusts any part as an identity.
func parsePerson(s string) (p Person, err error) {
	name, rest, addressed := strings.Cut(s, "<")
	email, date, dated := strings.Cut(rest, "> ")
	seconds, zone, zoned := strings.Cut(date, " ")
	switch {
	//defence:committers-are-complete
	case !addressed || !dated || !zoned || strings.Contains(name, ">") || strings.ContainsAny(email, "<>") ||
		seconds == "" || len(seconds) > 12 || digits(seconds) != seconds ||
		len(zone) < 2 || zone[0] != '+' && zone[0] != '-' || digits(zone[1:]) != zone[1:]:
		return p, bad(kindCommit, "has the author or committer %q; want NAME <EMAIL> SECONDS ZONE", clip(s))
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || n > lastSecond {
		return p, bad(kindCommit, "has a date after the year 9999: %q", clip(s))
	}
	// Clones do not keep the whole commit in memory.
	p.Name, p.Email = strings.Clone(strings.TrimRight(name, gitSpace)), strings.Clone(email)
	p.When = time.Unix(n, 0).In(parseZone(zone))
	return p, nil
}

// digits returns the leading decimal digits of s.
func digits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}

// parseZone parses a zone such as -0330. The instant does not depend on it, so invalid zones
// become UTC.
func parseZone(s string) *time.Location {
	n, err := strconv.Atoi(s)
	if err != nil || len(s) != 5 || n/100 > 23 || n/100 < -23 || n%100 > 59 || n%100 < -59 {
		return time.UTC
	}
	offset := (n/100*60 + n%100) * 60
	if offset == 0 {
		return time.UTC
	}
	return time.FixedZone("", offset)
}
