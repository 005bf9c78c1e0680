package journal

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Version is the format that this package writes and the newest that it reads.
const Version = 1

// Trailers of every event. Fields cannot use their names.
const (
	trailerVersion  = "Assent-Journal"
	trailerSequence = "Assent-Sequence"
	trailerKind     = "Assent-Event"
	trailerAt       = "Assent-At"
	trailerBy       = "Assent-By"
)

// Event is one entry of a journal.
type Event struct {
	// Kind is lower-case words joined by '-', such as opened, review or merged.
	Kind string
	// At is the time, in nanoseconds; it is read back in UTC.
	At time.Time
	// By names the actor, on one line. It is a claim, not a proof.
	By string
	// Fields become trailers. Keys are letters and '-' (compared without case), values any text
	// without NUL.
	Fields map[string]string
	// Files are the payload, by slash-separated path.
	Files map[string][]byte
	// Note is free text; blank lines around it are dropped.
	Note string
	// Anchors are commits that must stay reachable as long as the journal, such as the head of
	// a proposal whose branch may be deleted.
	Anchors []tree.Hash
	// Commit and Sequence (from 1) are set when the event is stored.
	Commit   tree.Hash
	Sequence int
}

var (
	kindShape = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	keyShape  = regexp.MustCompile(`^[A-Za-z]+(-[A-Za-z]+)*$`)
)

func (e Event) validate() error {
	switch {
	case !kindShape.MatchString(e.Kind):
		return fmt.Errorf("event kind %q: want lower-case words joined by '-'", e.Kind)
	case e.At.IsZero():
		return fmt.Errorf("event %q has no time", e.Kind)
	case strings.TrimSpace(e.By) == "" || strings.ContainsAny(e.By, "\x00\r\n"):
		return fmt.Errorf("event %q: by %q: want who did it, on one line", e.Kind, e.By)
	case strings.ContainsRune(e.Note, 0):
		return fmt.Errorf("event %q: the note holds a NUL byte", e.Kind)
	}
	seen := map[string]bool{}
	for _, key := range []string{trailerVersion, trailerSequence, trailerKind, trailerAt, trailerBy} {
		seen[strings.ToLower(key)] = true
	}
	for _, key := range slices.Sorted(maps.Keys(e.Fields)) {
		if !keyShape.MatchString(key) || seen[strings.ToLower(key)] {
			return fmt.Errorf("event %q: field %q: want letters and '-', no name twice, none of the journal's own", e.Kind, key)
		}
		seen[strings.ToLower(key)] = true
	}
	return nil
}

// message renders subject, note and trailers.
func (e Event) message() string {
	var b strings.Builder
	note := trimBlank(e.Note)
	fmt.Fprintf(&b, "%s: %s\n\n", e.Kind, subject(e, note))
	if note != "" {
		b.WriteString(note + "\n\n")
	}
	trailer := func(key, value string) { fmt.Fprintf(&b, "%s: %s\n", key, escape(value)) }
	trailer(trailerVersion, strconv.Itoa(Version))
	trailer(trailerSequence, strconv.Itoa(e.Sequence))
	trailer(trailerKind, e.Kind)
	trailer(trailerAt, e.At.UTC().Format(time.RFC3339Nano))
	trailer(trailerBy, e.By)
	for _, key := range slices.Sorted(maps.Keys(e.Fields)) {
		trailer(key, e.Fields[key])
	}
	return b.String()
}

// subjectWidth keeps a subject on one terminal line.
const subjectWidth = 60

// subject returns the first line for people; it is never parsed.
func subject(e Event, note string) string {
	line, _, _ := strings.Cut(note, "\n")
	line = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1
		}
		return c
	}, strings.TrimSpace(line))
	if line == "" {
		return "by " + e.By
	}
	if r := []rune(line); len(r) > subjectWidth {
		line = string(r[:subjectWidth]) + "…"
	}
	return line
}

// trimBlank drops white space around text.
func trimBlank(s string) string { return strings.Trim(s, " \t\r\n") }

// parse parses an event's message. It returns ErrNotJournal for malformed text: any pusher can
// write a commit, so that is an error of the journal, not of the environment. The error repeats
// little of the message, because lists keep the errors of all journals.
func parse(message string) (Event, error) {
	e, err := parseTrailers(message)
	//defence:errors-of-events-repeat-little
	if err != nil && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrNotJournal) {
		err = fmt.Errorf("%w: %.200s", ErrNotJournal, err.Error())
	}
	return e, err
}

func parseTrailers(message string) (Event, error) {
	e := Event{Fields: map[string]string{}}
	version := 0
	for _, t := range gitstore.ParseTrailers(message) {
		value, err := unescape(t.Value)
		if err != nil {
			return e, fmt.Errorf("trailer %s: %w", t.Key, err)
		}
		switch t.Key {
		case trailerVersion:
			version, err = strconv.Atoi(value)
		case trailerSequence:
			e.Sequence, err = strconv.Atoi(value)
		case trailerKind:
			e.Kind = value
		case trailerAt:
			e.At, err = time.Parse(time.RFC3339Nano, value)
		case trailerBy:
			e.By = value
		default:
			e.Fields[t.Key] = value
		}
		if err != nil {
			return e, fmt.Errorf("trailer %s: %w", t.Key, err)
		}
	}
	switch {
	case version == 0:
		return e, ErrNotJournal
	case version != Version:
		return e, fmt.Errorf("it has version %d and this program reads %d; update assent: %w", version, Version, ErrVersion)
	case e.Sequence < 1:
		return e, fmt.Errorf("sequence %d: %w", e.Sequence, ErrNotJournal)
	}
	e.Note = noteOf(message)
	return e, e.validate()
}

// noteOf returns the text between the subject and the trailers.
func noteOf(message string) string {
	message = strings.TrimRight(message, "\n")
	start, end := strings.Index(message, "\n\n"), strings.LastIndex(message, "\n\n")
	if start == end {
		return ""
	}
	return trimBlank(message[start:end])
}

// escape converts any text to a trailer value: one line, without white space at its ends, and
// never empty. unescape is its inverse.
func escape(s string) string {
	if s == "" {
		return `\e`
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			b.WriteString(`\\`)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ' || c == 0x7f || (c == ' ' || c >= 0x80) && edge(s, i):
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// edge reports whether the byte at i may belong to the first or last rune. If that is white
// space, in ASCII or beyond, trimming would drop it.
func edge(s string, i int) bool { return i < utf8.UTFMax || i >= len(s)-utf8.UTFMax }

func unescape(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch {
		case i == len(s):
			return "", fmt.Errorf("%q ends in a backslash", s)
		case s[i] == '\\':
			b.WriteByte('\\')
		case s[i] == 'n':
			b.WriteByte('\n')
		case s[i] == 'e':
		case s[i] == 'x' && i+2 < len(s):
			c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				return "", fmt.Errorf("%q: %w", s, err)
			}
			b.WriteByte(byte(c))
			i += 2
		default:
			return "", fmt.Errorf("%q: unknown escape \\%c", s, s[i])
		}
	}
	return b.String(), nil
}
