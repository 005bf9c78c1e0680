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

// parsePerson parses name, address and date as git's split_ident_line does: the name ends
// before the first '<', the address at the first '>', and the date starts after the last '>'.
// Parts that git does not find are empty. dated reports whether date and zone were found. No
// decision trusts any of them as an identity.
func parsePerson(s string) (p Person, dated bool, err error) {
	open := strings.IndexByte(s, '<')
	shut := strings.IndexByte(s[max(open, 0):], '>')
	if open < 0 || shut < 0 {
		return p, false, nil
	}
	// Clones do not keep the whole commit in memory.
	p.Name, p.Email = strings.Clone(strings.TrimRight(s[:open], gitSpace)), strings.Clone(s[open+1:open+shut])
	date := strings.TrimLeft(s[strings.LastIndexByte(s, '>')+1:], gitSpace)
	seconds := digits(date)
	zone := strings.TrimLeft(date[len(seconds):], gitSpace)
	if seconds == "" || zone == "" || zone[0] != '+' && zone[0] != '-' || digits(zone[1:]) == "" {
		return p, false, nil
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || n > lastSecond {
		return p, false, bad(kindCommit, "has a date after the year 9999: %q", clip(s))
	}
	p.When = time.Unix(n, 0).In(parseZone(zone[:1+len(digits(zone[1:]))]))
	return p, true, nil
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
