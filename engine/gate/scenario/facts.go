package scenario

import (
	"cmp"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Facts describe an imagined proposal: the facts of conditions under their own names, and what
// follows from others in a short form. Defaults: a ready proposal by the first agent that adds one
// short text skill.
type Facts struct {
	// Facts that a scenario states as they are. Kind is "add", State "open", Agent the proposer, and
	// the only origin a draft, unless stated; an empty list of origins means that none is recorded.
	Facts policy.Facts `yaml:",inline"`

	// Proposer is the first agent by name. With Proven, an account of the forge shows who it is.
	Proposer string `yaml:"proposer"`
	Proven   bool   `yaml:"proven"`
	// Authors and Pushers are the proposer alone by default. An empty list means none.
	Authors       []string `yaml:"authors"`
	Pushers       []string `yaml:"pushers"`
	PushersHidden bool     `yaml:"pushers_hidden"`
	// Sessions are identities that set up the machines on which it was proposed.
	Sessions []string `yaml:"sessions"`

	// Paths are changed files beside those of the capabilities and souls and the
	// proposal's own. Files is the least number of changed files.
	Paths []string `yaml:"paths"`
	Files int      `yaml:"files"`

	// Findings of validation and scanner: none.
	Findings []Finding `yaml:"findings"`
	// Opinions are second opinions: none.
	Opinions []Opinion `yaml:"opinions"`

	// Checks are the states of required checks; one that is not named has passed.
	Checks map[string]string `yaml:"checks"`

	// Unvalidated says that there is no report yet.
	Unvalidated bool `yaml:"unvalidated"`
	// Waiting is how long ago approval was asked for: 1h. Now is a Thursday.
	Waiting strictyaml.Node `yaml:"waiting"`
	Now     strictyaml.Node `yaml:"now"`
	Reviews []Review        `yaml:"reviews"`

	waiting time.Duration
	now     time.Time
}

// Finding is one diagnostic, a warning if not said otherwise.
type Finding struct {
	Rule       string  `yaml:"rule"`
	Severity   string  `yaml:"severity"`
	Confidence float64 `yaml:"confidence"`
}

// Opinion is a second opinion, "escalate" if not said otherwise. A stale one is about another
// content.
type Opinion struct {
	Asked   string `yaml:"asked"`
	Verdict string `yaml:"verdict"`
	Reason  string `yaml:"reason"`
	Stale   bool   `yaml:"stale"`
}

// Review is a decision that counts as signed: by default an approval of the current content,
// a minute ago. Stale means that it was of another content.
type Review struct {
	By       string          `yaml:"by"`
	Decision string          `yaml:"decision"`
	Reason   string          `yaml:"reason"`
	Ago      strictyaml.Node `yaml:"ago"`
	Stale    bool            `yaml:"stale"`

	ago time.Duration
}

// maxFiles is more than a proposal may change where limits.yaml says nothing.
const maxFiles = 10_000

// thursday is the instant of a scenario that says no other.
func thursday() time.Time { return time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC) }

// check reads values that need more than YAML, and refuses unknown words.
func (f *Facts) check(doc *strictyaml.Doc, ds *diag.List, i int) {
	at := func(path ...any) diag.Pos { return doc.Pos(append([]any{"scenarios", i, "facts"}, path...)...) }
	stated := f.Facts
	oneOf(ds, at("kind"), "a kind", stated.Kind, policy.Kinds())
	oneOf(ds, at("state"), "a state", string(stated.State), stated.State.Values())
	if f.Files > maxFiles {
		ds.Errorf(RuleScenario, at("files"), "limits.yaml has a smaller number", "a scenario has at most %d files, not %d", maxFiles, f.Files)
	}
	f.waiting, f.now = time.Hour, thursday()
	span(ds, f.Waiting, &f.waiting)
	if text, _ := f.Now.Text(); text != "" {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			ds.Errorf(RuleScenario, f.Now.Pos(), "write it as 2026-01-15T12:00:00Z", "%q is no instant", text)
		}
		f.now = t
	}
	for n, c := range stated.Capabilities {
		oneOf(ds, at("capabilities", n, "op"), "what happens to a capability", string(c.Op), c.Op.Values())
		oneOf(ds, at("capabilities", n, "kind"), "a kind of capability", c.Kind, policy.CapabilityKinds())
		if c.Name == "" || strings.ContainsAny(c.Name, "/ ") {
			ds.Errorf(RuleScenario, at("capabilities", n), "write name: parse-csv", "%q is no name of a capability", c.Name)
		}
	}
	for n, s := range stated.Soul {
		oneOf(ds, at("soul", n, "mode"), "a mode of editing", s.Mode, []string{"add", "append", "replace", "remove"})
	}
	for n, o := range f.Opinions {
		oneOf(ds, at("opinions", n, "verdict"), "a verdict", o.Verdict, append(advice.Verdicts(), advice.None))
	}
	for name, state := range f.Checks {
		oneOf(ds, at("checks", name), "a state of a check", state, policy.CheckState("").Values())
	}
	for n, d := range f.Findings {
		oneOf(ds, at("findings", n, "severity"), "a severity", d.Severity, []string{"error", "warning", "note"})
	}
	for n, o := range stated.Provenance.Origins {
		oneOf(ds, at("origins", n, "way"), "a way in", cmp.Or(string(o.Way), "none"), o.Way.Values())
	}
	for n := range f.Reviews {
		r := &f.Reviews[n]
		oneOf(ds, at("reviews", n, "decision"), "a decision", r.Decision, decisions())
		r.ago = time.Minute
		span(ds, r.Ago, &r.ago)
	}
}

// span reads a length of time: 90m, 2h or 8d.
func span(ds *diag.List, n strictyaml.Node, into *time.Duration) {
	text, _ := n.Text()
	if n.Kind() == strictyaml.Absent || n.Kind() == strictyaml.Null {
		return
	}
	d, err := policy.ParseAge(text)
	if err != nil {
		ds.Errorf(RuleScenario, n.Pos(), "write a whole number with one unit, such as 8d, 12h, 30m or 45s", "%q is no length of time", text)
	}
	*into = d
}
