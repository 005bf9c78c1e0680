package trial

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Dimension is a field that statistics group by, besides the capability.
type Dimension string

// The dimensions.
const (
	ByVersion Dimension = "version"
	ByModel   Dimension = "model"
	ByTag     Dimension = "tag"
	ByAgent   Dimension = "agent"
	BySource  Dimension = "source"
	ByDay     Dimension = "day"
)

// Dimensions returns all of them.
func Dimensions() []Dimension {
	return []Dimension{ByVersion, ByModel, ByTag, ByAgent, BySource, ByDay}
}

// ParseDimensions reads dimensions with commas between them, each once.
func ParseDimensions(text string) ([]Dimension, error) {
	var out []Dimension
	for word := range strings.SplitSeq(text, ",") {
		d := Dimension(strings.TrimSpace(word))
		switch {
		case d == "":
		case !slices.Contains(Dimensions(), d):
			return nil, fmt.Errorf("unknown dimension %q", word)
		case !slices.Contains(out, d):
			out = append(out, d)
		}
	}
	return out, nil
}

// Group is one group of trials, by those fields that were asked for.
type Group struct {
	Capability string             `json:"capability"`
	Version    capability.Version `json:"version,omitempty"`
	Model      string             `json:"model,omitempty"`
	Tag        string             `json:"tag,omitempty"`
	Agent      string             `json:"agent,omitempty"`
	Source     Source             `json:"source,omitempty"`
	Day        string             `json:"day,omitempty"`
}

func (g Group) compare(o Group) int {
	return cmp.Or(strings.Compare(g.Capability, o.Capability), g.Version.Compare(o.Version), strings.Compare(g.Model, o.Model), strings.Compare(g.Tag, o.Tag),
		strings.Compare(g.Agent, o.Agent), strings.Compare(string(g.Source), string(o.Source)), strings.Compare(g.Day, o.Day))
}

// Use is the sum of the trials of one group, as they were reported.
type Use struct {
	// Listed, Loaded and Followed count uses by how far they went; Verdicts are of missions.
	Listed   int64 `json:"listed"`
	Loaded   int64 `json:"loaded"`
	Followed int64 `json:"followed"`
	Verdicts int64 `json:"verdicts"`
	// Success, Failure and Partial count outcomes. A verdict counts in place of the successful
	// runs of its mission.
	Success int64   `json:"success"`
	Failure int64   `json:"failure"`
	Partial int64   `json:"partial"`
	MS      int64   `json:"ms"`
	Cost    float64 `json:"cost"`
	Tokens  int64   `json:"tokens"`
	// TokensPerSuccess is the average for a success, with those of all failures; 0 without one.
	TokensPerSuccess float64 `json:"tokens_per_success"`
	// Last is the day of the last use that was loaded or followed.
	Last string `json:"last,omitempty"`
	// Critics counts critiques, and Satisfaction is their mean; absent without any.
	Critics      int64    `json:"critics,omitempty"`
	Satisfaction *float64 `json:"satisfaction,omitempty"`

	micros  int64
	last    Day
	critics critiques
}

// Dead reports whether it was listed and never loaded: its tokens bought nothing.
func (u Use) Dead() bool { return u.Listed > 0 && u.Loaded+u.Followed == 0 }

// Stuck reports whether it was loaded and never followed.
func (u Use) Stuck() bool { return u.Loaded > 0 && u.Followed == 0 }

// Rate is the share of successes among outcomes, a partial one counting half, and ok is
// false without any.
func (u Use) Rate() (rate float64, ok bool) {
	all := u.Success + u.Failure + u.Partial
	if all == 0 {
		return 0, false
	}
	return (float64(u.Success) + float64(u.Partial)/2) / float64(all), true
}

// Line is one group with its use.
type Line struct {
	Group
	Use
}

// Question says which trials statistics are about. The zero Question means all.
type Question struct {
	// Name is a folded name, or "" for all.
	Name string
	// Since and Until are the first and last day; zero for no bound.
	Since, Until Day
	By           []Dimension
}

// Stats adds up reported trials, in the order of groups. With ByTag a trial counts for
// each of its tags, and one without tags for none.
func (b *Book) Stats(q Question) []Line {
	groups := map[Group]*Use{}
	for _, writers := range b.by {
		for _, counts := range writers {
			sums := map[Group]*Use{} // of one writer, so that a verdict settles no other writer's runs
			for k, n := range counts {
				if slices.Contains(Evidence(), k.Level) || q.Name != "" && k.Capability != q.Name || q.Since != 0 && k.Day < q.Since || q.Until != 0 && k.Day > q.Until {
					continue
				}
				for _, g := range q.groups(k) {
					if sums[g] == nil {
						sums[g] = &Use{}
					}
					sums[g].add(k, n)
				}
			}
			for g, u := range sums {
				if groups[g] == nil {
					groups[g] = &Use{}
				}
				groups[g].plus(*u)
			}
		}
	}
	out := make([]Line, 0, len(groups))
	for _, g := range order.Sorted(maps.Keys(groups), Group.compare) {
		u := groups[g]
		u.Cost = float64(u.micros) / 1e6
		if u.Success > 0 {
			u.TokensPerSuccess = float64(u.Tokens) / float64(u.Success)
		}
		if u.last != 0 {
			u.Last = u.last.String()
		}
		if u.Critics = u.critics.n; u.Critics > 0 {
			mean := Hundredths(u.critics.tally().Rate(0))
			u.Satisfaction = &mean
		}
		out = append(out, Line{g, *u})
	}
	return out
}

// groups are those that a key counts for.
func (q Question) groups(k Key) []Group {
	g := Group{Capability: k.Capability}
	tags := false
	for _, d := range q.By {
		switch d {
		case ByVersion:
			g.Version = k.Version
		case ByModel:
			g.Model = k.Model
		case ByAgent:
			g.Agent = k.Agent
		case BySource:
			g.Source = k.Source
		case ByDay:
			g.Day = k.Day.String()
		case ByTag:
			tags = true
		}
	}
	if !tags {
		return []Group{g}
	}
	var out []Group
	for tag := range strings.SplitSeq(k.Tags, ",") {
		if tag != "" {
			g.Tag = tag
			out = append(out, g)
		}
	}
	return out
}

func (u *Use) add(k Key, n Count) {
	u.critics.add(k.Level, n.Trials)
	switch k.Level {
	case Listed:
		u.Listed += n.Trials
	case Loaded:
		u.Loaded += n.Trials
	case Followed:
		u.Followed += n.Trials
	case Verdict:
		u.Verdicts += n.Trials
	}
	if k.Level == Loaded || k.Level == Followed {
		u.last = max(u.last, k.Day)
	}
	u.Success += n.Success
	u.Failure += n.Failure
	u.Partial += n.Partial
	u.MS += n.MS
	u.Tokens += n.Tokens
	u.micros += n.Micros
}

func (u *Use) plus(o Use) {
	u.Listed += o.Listed
	u.Loaded += o.Loaded
	u.Followed += o.Followed
	u.Verdicts += o.Verdicts
	u.Success += max(o.Success, 0)
	u.Failure += o.Failure
	u.Partial += o.Partial
	u.MS += o.MS
	u.Tokens += o.Tokens
	u.micros += o.micros
	u.last = max(u.last, o.last)
	u.critics = critiques{u.critics.n + o.critics.n, u.critics.hundredths + o.critics.hundredths}
}
