package trial

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
)

// FormatVersion is the version of the record, and the only one that is read.
const FormatVersion = 1

// ErrVersion is returned for a record that a newer program wrote.
var ErrVersion = errors.New("the trial is in a newer format: update assent")

// Source is the observer of a trial.
type Source string

// The sources.
const (
	// Engine: assent ran it, or saw it through a hook or the proxy.
	Engine Source = "engine"
	// Self: the agent that used it says so.
	Self Source = "self"
	// Human: a person says so.
	Human Source = "human"
)

// Sources returns all of them.
func Sources() []Source { return []Source{Engine, Self, Human} }

// Level says how far a use went. Each level includes those before it.
type Level string

// The levels.
const (
	// Listed: the description was in the prompt, so its tokens were paid.
	Listed Level = "listed"
	// Loaded: the body was read.
	Loaded Level = "loaded"
	// Followed: it was called, or a script, reference or tool of it was used.
	Followed Level = "followed"
	// Verdict is not a use: it is the result of a mission in which the capability was used.
	Verdict Level = ""
	// Suite, Smoke and Reset are not uses either. All tests of a capability were run, or the few that
	// come before a first use, or a person said that the machine was at fault.
	Suite Level = "suite"
	Smoke Level = "smoke"
	Reset Level = "reset"
)

// Levels returns those of uses.
func Levels() []Level { return []Level{Listed, Loaded, Followed} }

// Evidence returns the levels of evidence for health that no use gave.
func Evidence() []Level { return []Level{Suite, Smoke, Reset} }

// IsUse reports whether a trial of this level is a use.
func (l Level) IsUse() bool { return slices.Contains(Levels(), l) }

// valid reports whether a record may have the level.
func (l Level) valid() bool {
	return l == Verdict || l == Judged || l.IsUse() || slices.Contains(Evidence(), l)
}

// Outcome is the result of a use.
type Outcome string

// The outcomes.
const (
	Success Outcome = "success"
	Failure Outcome = "failure"
	Partial Outcome = "partial"
	// Open: the use speaks neither for nor against the capability.
	Open Outcome = ""
)

// Worth is what an outcome counts for, from 0 to 1; known is false if it says nothing.
func (o Outcome) Worth() (worth float64, known bool) {
	switch o {
	case Success:
		return 1, true
	case Partial:
		return 0.5, true
	case Failure:
		return 0, true
	case Open:
	}
	return 0, false
}

// Outcomes returns those that say something.
func Outcomes() []Outcome { return []Outcome{Success, Failure, Partial} }

// Limits of a record.
const (
	// MaxLine is the longest record, in bytes with its line end.
	MaxLine = 8 << 10
	// MaxTags is how many tags a trial has.
	MaxTags = 16
	// MaxSummary is the length of summaries and diagnoses, in characters.
	MaxSummary = 200
	// MaxTime, MaxCost and MaxTokens bound the consumption of one trial.
	MaxTime   = 7 * 24 * time.Hour
	MaxCost   = 1e6
	MaxTokens = 1e9
	// MaxSettled bounds the uses that one verdict settles.
	MaxSettled = 10_000
	// maxTask is in bytes.
	maxTask = 200
	// MaxCases is how many failing cases a trial has; maxCase bounds the id of one in bytes and its
	// cause in characters, so that they fit into a line.
	MaxCases = 10
	maxCase  = 100
)

// Trial is one record.
type Trial struct {
	V  int `json:"v"`
	ID ID  `json:"id"`
	Observation
}

// Observation is the record of one use.
type Observation struct {
	// At is when it was used, in UTC and whole seconds. It is a claim.
	At     time.Time `json:"at"`
	Source Source    `json:"source"`
	// Level is Verdict for the result of a mission.
	Level Level  `json:"level,omitempty"`
	Agent string `json:"agent,omitempty"`
	Model string `json:"model,omitempty"`
	// Mission names the mission, Task describes the use in a few words.
	Mission string   `json:"mission,omitempty"`
	Task    string   `json:"task,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	// Capability is a folded name, Version that of its record and Blob the tree of its folder.
	Capability string             `json:"capability"`
	Version    capability.Version `json:"version,omitempty"`
	Blob       string             `json:"blob,omitempty"`
	// Method is the method of a server.
	Method  string  `json:"method,omitempty"`
	Outcome Outcome `json:"outcome,omitempty"`
	// Settles is the number of successful trials of this mission, writer and capability that
	// the Verdict replaces: they ended well, and the mission decides their worth.
	Settles int `json:"settles,omitempty"`
	// MS, Cost (in the policies' currency) and Tokens are the consumption of the use.
	MS     int64   `json:"ms,omitempty"`
	Cost   float64 `json:"cost,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
	// Error is a class of errors, such as timeout; Diagnosis says more.
	Error         string `json:"error,omitempty"`
	Diagnosis     string `json:"diagnosis,omitempty"`
	InputSummary  string `json:"input_summary,omitempty"`
	OutputSummary string `json:"output_summary,omitempty"`
	// Call identifies caller and input of a failure among the records of its writer; only that
	// installation can compute it. Pattern names the entry of the capability's record that explains
	// the error, and Returned is set if the record says that it is resolved.
	Call     string `json:"call,omitempty"`
	Pattern  string `json:"pattern,omitempty"`
	Returned bool   `json:"returned,omitempty"`
	// Tests is what a Suite or Smoke showed.
	Tests *Tests `json:"tests,omitempty"`
	// Critic is the judgement of a critic.
	Critic *Critique `json:"critic,omitempty"`
	// Erased is the day on which Erase removed fields, "" if it did not.
	Erased string `json:"erased,omitempty"`
}

// Tests is the result of tests. The outcome of the trial is partial if the same test passed and failed.
type Tests struct {
	// Mastery and Report are the score and digest of the whole.
	Mastery float64 `json:"mastery,omitempty"`
	Report  string  `json:"report,omitempty"`
	// Asked is set if a person named the capability.
	Asked bool `json:"asked,omitempty"`
	// Cases did not pass.
	Cases []Case `json:"cases,omitempty"`
}

// Case is a test that did not pass.
type Case struct {
	ID    string `json:"id"`
	Cause string `json:"cause"`
}

// The shapes of names that other programs give.
var (
	wordShape  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$`) })
	classShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9]*([_-][a-z0-9]+)*$`) })
	blobShape  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`) })
	keyShape   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9a-f]{16}|[0-9a-f]{32})?$`) })
)

// Encode writes the record as one line of JSON.
func (t Trial) Encode() ([]byte, error) {
	if t.V != FormatVersion {
		return nil, ErrVersion
	}
	if t.ID.IsZero() {
		return nil, errors.New("id: a record has one")
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	return canonical.Line(t)
}

// Decode reads one line that Encode wrote. Any other spelling is refused, so that a record
// has one form.
func Decode(line []byte) (Trial, error) { return canonical.Decode[Trial]("", line, MaxLine) }

// Check reports the first thing that a record must not say.
func (o Observation) Check() error {
	for _, check := range []func() error{o.checkWhen, o.checkNames, o.checkOutcome, o.checkTests, o.checkAmounts, o.checkTexts, o.checkCritique, o.checkErased} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (o Observation) checkWhen() error {
	if err := canonical.CheckInstant(o.At); err != nil {
		return fmt.Errorf("at: %w", err)
	}
	return nil
}

// IsClass reports whether a text can name a class of errors.
func IsClass(s string) bool { return len(s) <= 64 && classShape().MatchString(s) }

// CheckMission reports why a text cannot be the id of a mission.
func CheckMission(id string) error { return checkWord(id) }

func checkWord(word string) error {
	if !wordShape().MatchString(word) {
		return fmt.Errorf("%.80q: want letters, digits and . _ : / @ + -, at most 128", word)
	}
	return nil
}

func (o Observation) checkNames() error {
	switch {
	case !names.IsName(o.Capability):
		return fmt.Errorf("capability: %.80q is no name of a capability", o.Capability)
	case o.Version != "" && !o.Version.Valid():
		return fmt.Errorf("version: %.80q is no semantic version such as 1.2.0", o.Version)
	case o.Blob != "" && !blobShape().MatchString(o.Blob):
		return fmt.Errorf("blob: %.80q is no name of a Git object", o.Blob)
	case len(o.Tags) > MaxTags:
		return fmt.Errorf("tags: %d, at most %d", len(o.Tags), MaxTags)
	}
	for _, word := range []struct{ field, value string }{{"agent", o.Agent}, {"model", o.Model}, {"mission", o.Mission}, {"method", o.Method}} {
		if err := checkWord(word.value); word.value != "" && err != nil {
			return fmt.Errorf("%s: %w", word.field, err)
		}
	}
	for i, tag := range o.Tags {
		if !capability.IsTag(tag) {
			return fmt.Errorf("tags: %.80q is no tag: want a lower-case word such as eu or quoted-fields", tag)
		}
		if i > 0 && o.Tags[i-1] >= tag {
			return errors.New("tags: want each once, sorted")
		}
	}
	return nil
}

func (o Observation) checkOutcome() error {
	switch {
	case !slices.Contains(Sources(), o.Source):
		return fmt.Errorf("source: %.40q: want engine, self or human", o.Source)
	case !o.Level.valid():
		return fmt.Errorf("level: %.40q: want listed, loaded or followed", o.Level)
	case o.Outcome != Open && !slices.Contains(Outcomes(), o.Outcome):
		return fmt.Errorf("outcome: %.40q: want success, failure or partial", o.Outcome)
	case o.Level == Listed && o.Outcome != Open:
		return errors.New("outcome: being listed has none")
	case o.Level == Verdict && (o.Outcome == Open || o.Mission == "" && o.Erased == ""):
		return errors.New("level: without one this is a verdict, which names a mission and its outcome")
	case o.Settles != 0 && (o.Level != Verdict || o.Settles < 0 || o.Settles > MaxSettled):
		return fmt.Errorf("settles: %d: want 0 to %d, in a verdict only", o.Settles, MaxSettled)
	case o.Error != "" && !IsClass(o.Error):
		return fmt.Errorf("error: %.80q: want a class such as timeout or invalid_output", o.Error)
	case o.Error != "" && o.Outcome == Success:
		return errors.New("error: a success has none")
	}
	return nil
}

func (o Observation) checkTests() error {
	tested := o.Level == Suite || o.Level == Smoke
	switch {
	case !keyShape().MatchString(o.Call) || !keyShape().MatchString(o.Pattern):
		return errors.New("call, pattern: want a digest")
	case (o.Call != "" || o.Pattern != "" || o.Returned) && o.Level != Followed:
		return errors.New("call, pattern, returned: only what was called has them")
	case o.Level == Reset && (o.Source != Human || o.Outcome != Open):
		return errors.New("level: a person resets, without an outcome")
	case tested != (o.Tests != nil), tested && (o.Source != Engine || o.Outcome == Open):
		return errors.New("tests: the engine runs them, and they have an outcome")
	case o.Tests == nil:
		return nil
	case !(o.Tests.Mastery >= 0 && o.Tests.Mastery <= 1) || len(o.Tests.Cases) > MaxCases:
		return fmt.Errorf("tests: mastery %v, %d cases: want 0 to 1, at most %d", o.Tests.Mastery, len(o.Tests.Cases), MaxCases)
	}
	texts := []string{o.Tests.Report}
	for _, c := range o.Tests.Cases {
		texts = append(texts, c.ID)
		if utf8.RuneCountInString(c.Cause) > maxCase {
			return fmt.Errorf("tests: a cause has more than %d characters", maxCase)
		}
		if err := canonical.CheckPhrase(c.Cause, utf8.UTFMax*maxCase); err != nil {
			return fmt.Errorf("tests: %w", err)
		}
	}
	for _, text := range texts {
		if err := canonical.CheckPhrase(text, maxCase); err != nil {
			return fmt.Errorf("tests: %w", err)
		}
	}
	return nil
}

func (o Observation) checkAmounts() error {
	switch {
	case o.MS < 0 || o.MS > MaxTime.Milliseconds():
		return fmt.Errorf("ms: %d: want 0 to %d", o.MS, MaxTime.Milliseconds())
	case !(o.Cost >= 0 && o.Cost <= MaxCost): // NaN is refused too
		return fmt.Errorf("cost: %v: want 0 to %v", o.Cost, float64(MaxCost))
	case o.Tokens < 0 || o.Tokens > MaxTokens:
		return fmt.Errorf("tokens: %d: want 0 to %d", o.Tokens, int64(MaxTokens))
	}
	return nil
}

func (o Observation) checkTexts() error {
	if err := canonical.CheckPhrase(o.Task, maxTask); err != nil {
		return fmt.Errorf("task: %w", err)
	}
	for _, text := range []struct{ field, value string }{{"diagnosis", o.Diagnosis}, {"input_summary", o.InputSummary}, {"output_summary", o.OutputSummary}} {
		if utf8.RuneCountInString(text.value) > MaxSummary {
			return fmt.Errorf("%s: more than %d characters", text.field, MaxSummary)
		}
		if err := canonical.CheckPhrase(text.value, utf8.UTFMax*MaxSummary); err != nil {
			return fmt.Errorf("%s: %w", text.field, err)
		}
	}
	return nil
}

// Neat brings names and tags into the form of a record: whole seconds in UTC, the folded
// name, tags sorted and each once.
func (o Observation) Neat() Observation {
	o.At = o.At.UTC().Truncate(time.Second)
	o.Capability = names.Fold(o.Capability)
	o.Tags = slices.Compact(slices.Sorted(slices.Values(o.Tags)))
	o.Task = canonical.Phrase(o.Task, maxTask)
	return o
}

// Summarised prepares the texts of an observation for storage: without secrets, homes and
// invisible characters, and short. With none they are left out altogether, task included.
func (o Observation) Summarised(none bool, homes ...string) Observation {
	texts := []*string{&o.Task, &o.Diagnosis, &o.InputSummary, &o.OutputSummary}
	if o.Tests != nil {
		tests := *o.Tests
		tests.Cases = slices.Clone(tests.Cases[:min(len(tests.Cases), MaxCases)])
		for i := range tests.Cases {
			tests.Cases[i].ID = canonical.Phrase(tests.Cases[i].ID, maxCase)
			texts = append(texts, &tests.Cases[i].Cause)
		}
		o.Tests = &tests
	}
	keep := func(text string) string {
		if none {
			return ""
		}
		return Sanitise(text, homes...)
	}
	for _, text := range texts {
		*text = keep(*text)
	}
	if o.Critic != nil {
		o.Critic = o.Critic.remarks(keep)
	}
	if o.Tests != nil {
		for i, c := range o.Tests.Cases {
			if runes := []rune(c.Cause); len(runes) > maxCase {
				o.Tests.Cases[i].Cause = string(runes[:maxCase-1]) + "…"
			}
		}
	}
	o.Task = canonical.Phrase(o.Task, maxTask)
	return o
}
