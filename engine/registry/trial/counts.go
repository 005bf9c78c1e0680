package trial

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Day is a day in UTC, counted from 1970-01-01.
type Day int32

// DayOf is the day of an instant.
func DayOf(t time.Time) Day { return Day(math.Floor(float64(t.Unix()) / 86400)) }

// Time is the beginning of the day.
func (d Day) Time() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// String writes the day as 2006-01-02.
func (d Day) String() string { return d.Time().Format(time.DateOnly) }

// Key groups trials for counting.
type Key struct {
	Day        Day
	Capability string
	Version    capability.Version
	// Tags are joined by commas, sorted.
	Tags         string
	Model, Agent string
	Source       Source
	Level        Level
}

// Compare orders keys by their fields, in their order.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Day, o.Day), strings.Compare(k.Capability, o.Capability), strings.Compare(string(k.Version), string(o.Version)),
		strings.Compare(k.Tags, o.Tags), strings.Compare(k.Model, o.Model), strings.Compare(k.Agent, o.Agent),
		strings.Compare(string(k.Source), string(o.Source)), strings.Compare(string(k.Level), string(o.Level)))
}

// keyOf returns the group of a trial. The day is that of the record: the time that a trial claims
// moves no count to another day.
func (t Trial) keyOf() Key {
	return Key{DayOf(t.ID.Time()), t.Capability, t.Version, strings.Join(t.Tags, ","), t.Model, t.Agent, t.Source, t.counted()}
}

// Count is the sum of the trials of one key. All fields are sums.
type Count struct {
	Trials int64
	// Success is reduced by the uses that verdicts settle, and so may be negative in a part.
	Success, Failure, Partial int64
	MS, Tokens                int64
	// Micros is the cost in millionths.
	Micros int64
}

// countOf is the count of one trial. The outcome of tests is none of a use.
func (t Trial) countOf() Count {
	c := Count{Trials: 1, MS: t.MS, Tokens: t.Tokens, Micros: int64(math.Round(t.Cost * 1e6))}
	if slices.Contains(Evidence(), t.Level) {
		return c
	}
	switch t.Outcome {
	case Success:
		c.Success = 1
	case Failure:
		c.Failure = 1
	case Partial:
		c.Partial = 1
	case Open:
	}
	c.Success -= int64(t.Settles)
	return c
}

func (c Count) plus(d Count) Count {
	return Count{c.Trials + d.Trials, c.Success + d.Success, c.Failure + d.Failure, c.Partial + d.Partial, c.MS + d.MS, c.Tokens + d.Tokens, c.Micros + d.Micros}
}

func (c Count) minus(d Count) Count {
	return Count{c.Trials - d.Trials, c.Success - d.Success, c.Failure - d.Failure, c.Partial - d.Partial, c.MS - d.MS, c.Tokens - d.Tokens, c.Micros - d.Micros}
}

// Cost is the cost of the trials, in the currency of the policies.
func (c Count) Cost() float64 { return float64(c.Micros) / 1e6 }

// Counts are sums by key. A key whose count is zero is absent.
type Counts map[Key]Count

// Sum counts trials, each id once.
func Sum(trials []Trial) Counts {
	out := Counts{}
	seen := make(map[ID]bool, len(trials))
	for _, t := range trials {
		if !seen[t.ID] {
			seen[t.ID] = true
			out.add(t.keyOf(), t.countOf())
		}
	}
	return out
}

func (c Counts) add(k Key, n Count) {
	if n = c[k].plus(n); n == (Count{}) {
		delete(c, k)
		return
	}
	c[k] = n
}

// Plus is the sum of two.
func (c Counts) Plus(other Counts) Counts {
	out := make(Counts, len(c)+len(other))
	for k, n := range c {
		out[k] = n
	}
	for k, n := range other {
		out.add(k, n)
	}
	return out
}

// Trials is how many trials were counted.
func (c Counts) Trials() (n int64) {
	for _, count := range c {
		n += count.Trials
	}
	return n
}

// WithoutAgent is the same without the name of one agent, or of all agents with "".
func (c Counts) WithoutAgent(name string) Counts {
	out := make(Counts, len(c))
	for k, n := range c {
		if name == "" || k.Agent == name {
			k.Agent = ""
		}
		out.add(k, n)
	}
	return out
}

// sorted are the keys in order.
func (c Counts) sorted() []Key {
	keys := make([]Key, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	order.Sort(keys, Key.Compare)
	return keys
}
