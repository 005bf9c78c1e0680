package trial

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/canonical"
)

// Judged is not a use: a critic looked back on a mission or an executed plan.
const Judged Level = "critic"

// MaxRemarks is how many issues and how many recommendations a critique has.
const MaxRemarks = 3

// Critique is the judgement of a critic on one capability. It needs no mission.
type Critique struct {
	// Satisfaction is from 0 to 1, in hundredths.
	Satisfaction float64 `json:"satisfaction"`
	// By names the program that judged, or Rules.
	By              string   `json:"by"`
	Issues          []string `json:"issues,omitempty"`
	Recommendations []string `json:"recommendations,omitempty"`
}

// Rules is the critic that goes by the record alone.
const Rules = "rules"

// IsSatisfaction reports whether a number is a satisfaction; NaN is none.
func IsSatisfaction(s float64) bool { return s >= 0 && s <= 1 }

// Hundredths rounds a satisfaction to the form of a record.
func Hundredths(s float64) float64 { return float64(hundredths(s)) / 100 }

func hundredths(s float64) int64 { return int64(math.Round(s * 100)) }

func (o Observation) checkCritique() error {
	c := o.Critic
	switch {
	case (o.Level == Judged) != (c != nil):
		return errors.New("critic: a record with the level critic has one, and no other")
	case c == nil:
		return nil
	case o.Outcome != Open || o.MS != 0 || o.Cost != 0 || o.Tokens != 0 || o.Model != "" || len(o.Tags) > 0 || o.InputSummary+o.OutputSummary+o.Diagnosis+o.Error != "":
		return errors.New("critic: a critique is no use: it has no outcome, time, cost, tokens, model, tags or summaries")
	case !IsSatisfaction(c.Satisfaction) || c.Satisfaction != Hundredths(c.Satisfaction):
		return fmt.Errorf("critic: satisfaction %v: want 0 to 1 in hundredths", c.Satisfaction)
	case len(c.Issues) > MaxRemarks || len(c.Recommendations) > MaxRemarks:
		return fmt.Errorf("critic: more than %d issues or recommendations", MaxRemarks)
	}
	if err := checkWord(c.By); err != nil {
		return fmt.Errorf("critic: by: %w", err)
	}
	for _, text := range slices.Concat(c.Issues, c.Recommendations) {
		if text == "" || utf8.RuneCountInString(text) > MaxSummary {
			return fmt.Errorf("critic: an issue or recommendation has 1 to %d characters", MaxSummary)
		}
		if err := canonical.CheckPhrase(text, utf8.UTFMax*MaxSummary); err != nil {
			return fmt.Errorf("critic: %w", err)
		}
	}
	return nil
}

// remarks returns a copy with each text as keep returns it, without empty ones.
func (c Critique) remarks(keep func(string) string) *Critique {
	for _, list := range []*[]string{&c.Issues, &c.Recommendations} {
		var out []string
		for _, text := range *list {
			if text = keep(text); text != "" {
				out = append(out, text)
			}
		}
		*list = out
	}
	return &c
}

// counted is the level under which a trial is counted. Counts have no field for a satisfaction, so that
// each hundredth is a level of its own: critic-73.
func (o Observation) counted() Level {
	if o.Critic == nil {
		return o.Level
	}
	return Level(fmt.Sprintf("%s-%d", Judged, hundredths(o.Critic.Satisfaction)))
}

// satisfaction reads a level of counts, in hundredths; ok is false for one of no critique.
func (l Level) satisfaction() (n int64, ok bool) {
	digits, ok := strings.CutPrefix(string(l), string(Judged)+"-")
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(digits)
	return int64(i), err == nil && i >= 0 && i <= 100 && strconv.Itoa(i) == digits
}

// critiques counts critiques and adds up their hundredths: sums of floats would depend on their order.
type critiques struct{ n, hundredths int64 }

// add adds critiques of one key; ok is false if these are other trials.
func (c *critiques) add(l Level, n int64) (ok bool) {
	s, ok := l.satisfaction()
	if ok {
		c.n, c.hundredths = c.n+n, c.hundredths+n*s
	}
	return ok
}

// tally takes each critique for a trial that succeeded by its satisfaction.
func (c critiques) tally() Tally {
	s := float64(c.hundredths) / 100
	return Tally{s, float64(c.n) - s}
}

// addCritics adds the critiques to what each writer said. Those of one writer count as at most
// leastUnknown trials of a capability, and those of all unknown writers together too: a critic is
// asked as often as its caller likes, and judges what has been counted already.
func addCritics(said map[Writer]Standing, t Trust) {
	strangers := 0.0
	for w, s := range said {
		if s.critics.n > 0 && !t.known(w) {
			strangers++
		}
	}
	for w, s := range said {
		most := leastUnknown
		if !t.known(w) {
			most /= strangers
		}
		if s.critics.n > 0 {
			tally := s.critics.tally()
			//defence:critics-weigh-little
			tally = tally.times(min(1, most/tally.Tried()))
			s.Tally = s.plus(tally)
			said[w] = s
		}
	}
}

// Opinion sums up critiques of one capability.
type Opinion struct {
	Critics int `json:"critics"`
	// Satisfaction is the mean; null without critics.
	Satisfaction *float64 `json:"satisfaction"`
	// Issues and Recommendations are the newest, each once.
	Issues          []string `json:"issues"`
	Recommendations []string `json:"recommendations"`

	hundredths int64
}

// NewOpinion returns the opinion of no critic.
func NewOpinion() Opinion { return Opinion{Issues: []string{}, Recommendations: []string{}} }

// Add adds a trial, which is older than those added before. Trials that are no critiques are ignored.
func (o *Opinion) Add(t Trial) {
	if t.Critic == nil {
		return
	}
	o.Critics++
	o.hundredths += hundredths(t.Critic.Satisfaction)
	mean := Hundredths(float64(o.hundredths) / float64(100*o.Critics))
	o.Satisfaction = &mean
	for _, list := range []struct {
		to   *[]string
		from []string
	}{{&o.Issues, t.Critic.Issues}, {&o.Recommendations, t.Critic.Recommendations}} {
		for _, text := range list.from {
			if len(*list.to) < MaxRemarks && !slices.Contains(*list.to, text) {
				*list.to = append(*list.to, text)
			}
		}
	}
}

// swing is by how much critics move a share at most.
const swing = 0.1

// Factor is what critics make of a capability's share in a search. It moves by at most a tenth, and by
// less for few critiques, so that it decides between answers that are nearly equal.
func (o Opinion) Factor() float64 {
	if o.Satisfaction == nil {
		return 1
	}
	n := float64(o.Critics)
	return 1 + 2*swing*(*o.Satisfaction-0.5)*n/(n+leastUnknown)
}

// Remarks are the newest issues and recommendations as sentences.
func (o Opinion) Remarks() (out []string) {
	for _, text := range o.Issues {
		out = append(out, "a critic found: "+text)
	}
	for _, text := range o.Recommendations {
		out = append(out, "a critic recommends: "+text)
	}
	return out
}
