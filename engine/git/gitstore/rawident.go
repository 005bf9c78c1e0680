package gitstore

import (
	"strconv"
	"strings"
	"time"
)

// gitSpace are the bytes that git calls blanks.
const gitSpace = " \t\n\r"

// lastSecond is the last one of the year 9999: no later date can be written in RFC 3339.
const lastSecond = 253402300799

// parsePerson reads who and when as git's split_ident_line does: the name ends before
// the first '<', the address at the first '>', and the date begins after the last one.
// What git does not find is empty; dated says that date and zone were found. None of it
// is an identity that anything trusts.
func parsePerson(s string) (p Person, dated bool, err error) {
	open := strings.IndexByte(s, '<')
	shut := strings.IndexByte(s[max(open, 0):], '>')
	if open < 0 || shut < 0 {
		return p, false, nil
	}
	p.Name, p.Email = strings.TrimRight(s[:open], gitSpace), s[open+1:open+shut]
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

// digits is the part of s before the first byte that is no digit.
func digits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}

// parseZone reads a zone such as -0330. The instant does not depend on it: zones that
// no clock has are shown as UTC.
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
