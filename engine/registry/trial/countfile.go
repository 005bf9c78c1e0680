package trial

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
)

// The file of counts is text: a first line, and for each key a line of fields with tabs
// between them, in the order of keys. Counts have one such text.
const (
	countsHeader = "assent-counts 1\n"
	countFields  = 15
	// MaxCounts is the longest such text that is read, in bytes.
	MaxCounts = 4 << 20
)

// ErrCounts is returned for a text that Encode would not write.
var ErrCounts = errors.New("not a file of counts")

// Encode writes the counts as text.
func (c Counts) Encode() []byte {
	out := []byte(countsHeader)
	var day Day
	var text string
	for _, k := range c.sorted() {
		if text == "" || k.Day != day {
			day, text = k.Day, k.Day.String()
		}
		for _, field := range [...]string{text, k.Capability, string(k.Version), k.Tags, k.Model, k.Agent, string(k.Source), string(k.Level)} {
			out = append(append(out, field...), '\t')
		}
		n := c[k]
		for i, value := range [...]int64{n.Trials, n.Success, n.Failure, n.Partial, n.MS, n.Tokens, n.Micros} {
			if i > 0 {
				out = append(out, '\t')
			}
			out = strconv.AppendInt(out, value, 10)
		}
		out = append(out, '\n')
	}
	return out
}

// ParseCounts decodes the output of Encode. Any other input is an error that wraps ErrCounts.
func ParseCounts(text []byte) (Counts, error) {
	out := Counts{}
	err := readCounts(text, func(k Key, n Count) { out[k] = n })
	return out, err
}

// readCounts visits the lines of a text in order. Each key is visited once.
func readCounts(text []byte, visit func(Key, Count)) error {
	if len(text) > MaxCounts {
		return fmt.Errorf("%d bytes, at most %d: %w", len(text), MaxCounts, ErrCounts)
	}
	rest, ok := bytes.CutPrefix(text, []byte(countsHeader))
	if !ok {
		return fmt.Errorf("it does not begin with %q: %w", strings.TrimSpace(countsHeader), ErrCounts)
	}
	r := countReader{known: map[string]string{}}
	for n := 2; len(rest) > 0; n++ {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if !ended || !r.line(line) {
			return fmt.Errorf("line %d: %w", n, ErrCounts)
		}
		visit(r.key, r.count)
		rest = after
	}
	return nil
}

// countReader reads line by line. Texts are kept once, and checked when they are first met.
type countReader struct {
	key   Key
	count Count
	any   bool
	known map[string]string
	day   []byte
}

func (r *countReader) line(line []byte) bool {
	var fields [countFields][]byte
	for i := range fields {
		field, rest, more := bytes.Cut(line, []byte("\t"))
		if more != (i < countFields-1) {
			return false
		}
		fields[i], line = field, rest
	}
	k := r.key
	if !r.any || !bytes.Equal(r.day, fields[0]) {
		at, err := time.Parse(time.DateOnly, string(fields[0]))
		if err != nil || at.Year() < 1970 {
			return false
		}
		k.Day, r.day = DayOf(at), bytes.Clone(fields[0])
	}
	var ok [7]bool
	k.Capability, ok[0] = r.text('c', fields[1], names.IsName)
	var version, source, level string
	version, ok[1] = r.text('v', fields[2], func(s string) bool { return s == "" || capability.Version(s).Valid() })
	k.Version = capability.Version(version)
	k.Tags, ok[2] = r.text('t', fields[3], isTags)
	k.Model, ok[3] = r.text('w', fields[4], IsWord)
	k.Agent, ok[4] = r.text('w', fields[5], IsWord)
	source, ok[5] = r.text('s', fields[6], func(s string) bool { return slices.Contains(Sources(), Source(s)) })
	k.Source = Source(source)
	level, ok[6] = r.text('l', fields[7], func(s string) bool {
		_, judged := Level(s).satisfaction()
		return judged || s != string(Judged) && Level(s).valid()
	})
	k.Level = Level(level)
	if ok != [7]bool{true, true, true, true, true, true, true} || r.any && k.Compare(r.key) <= 0 {
		return false
	}
	var n Count
	for i, into := range [...]*int64{&n.Trials, &n.Success, &n.Failure, &n.Partial, &n.MS, &n.Tokens, &n.Micros} {
		value, ok := number(fields[8+i])
		if !ok || value < 0 && into != &n.Success {
			return false
		}
		*into = value
	}
	r.key, r.count, r.any = k, n, true
	return n.plausible()
}

// text is a field as a string, if it may stand there. kind says by which check.
func (r *countReader) text(kind byte, field []byte, check func(string) bool) (string, bool) {
	var buffer [160]byte
	key := append(append(buffer[:0], kind), field...)
	if s, ok := r.known[string(key)]; ok {
		return s, true
	}
	s := string(field)
	if !check(s) {
		return "", false
	}
	r.known[string(key)] = s
	return s, true
}

// IsWord reports whether s can name a model, mission, agent or method; "" names none.
func IsWord(s string) bool { return s == "" || wordShape().MatchString(s) }

func isTags(s string) bool {
	if s == "" {
		return true
	}
	last, n := "", 0
	for tag := range strings.SplitSeq(s, ",") {
		if n++; n > MaxTags || !capability.IsTag(tag) || tag <= last {
			return false
		}
		last = tag
	}
	return true
}

// number reads a decimal number in its one spelling.
func number(text []byte) (int64, bool) {
	digits := text
	if len(digits) > 1 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(text) > 1 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}

// plausible reports whether so many trials can have such sums. It bounds the effect of a forged
// number by the number of trials, which has a bound of its own for each writer.
func (c Count) plausible() bool {
	t := c.Trials
	return t > 0 && t < 1<<40 && c.Failure+c.Partial <= t && max(c.Success, 0)+c.Failure+c.Partial <= t && c.Success >= -t*MaxSettled &&
		c.MS/MaxTime.Milliseconds() <= t && c.Tokens/MaxTokens <= t && c.Micros/(MaxCost*1e6) <= t
}

// Equal reports whether two are the same.
func (c Counts) Equal(other Counts) bool { return maps.Equal(c, other) }
