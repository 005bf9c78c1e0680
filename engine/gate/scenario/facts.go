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

// Facts describe an imagined proposal under the names that conditions have for the
// facts, with what is left out as the defaults say: a proposal that is ready, by the
// agent that proposes, that adds one short skill of text.
type Facts struct {
	// Kind is add if not said otherwise.
	Kind string `yaml:"kind"`
	// Proposer is the first agent by name. Proven says that an account of the forge shows
	// who it is; on the local forge nothing does. Agent is the name that the proposal's
	// file claims: the proposer's.
	Proposer  string `yaml:"proposer"`
	Proven    bool   `yaml:"proven"`
	Agent     string `yaml:"agent"`
	Requester string `yaml:"requester"`
	// Authors and Pushers are the proposer alone. An empty list means nobody.
	Authors       []string `yaml:"authors"`
	Pushers       []string `yaml:"pushers"`
	PushersHidden bool     `yaml:"pushers_hidden"`
	// Sessions are identities as whom the machines were set up on which it was proposed.
	Sessions []string `yaml:"sessions"`
	// Origins are where its versions were taken from: one draft. An empty list means that
	// none is recorded; Unrecorded counts those that are not, URLs are its evidence.
	Origins     []Origin `yaml:"origins"`
	Unrecorded  int      `yaml:"unrecorded"`
	URLs        []string `yaml:"urls"`
	OpenByAgent int      `yaml:"open_by_agent"`
	Labels      []string `yaml:"labels"`

	// Capabilities hold one short skill where neither paths nor soul say what changes.
	Capabilities []Capability `yaml:"capabilities"`
	Soul         []SoulEdit   `yaml:"soul"`
	// Paths are changed files beside those of the capabilities and souls and the
	// proposal's own.
	Paths       []string       `yaml:"paths"`
	Size        int64          `yaml:"size"`
	Files       int            `yaml:"files"`
	Learned     map[string]int `yaml:"learned"`
	Synthesised int            `yaml:"synthesised"`

	// Findings of validation and scanner: none.
	Findings []Finding `yaml:"findings"`
	Tests    *Tests    `yaml:"tests"`
	// Opinions of others who were asked: nobody was.
	Opinions []Opinion `yaml:"opinions"`

	// State is open; Unvalidated says that there is no report yet.
	State       string `yaml:"state"`
	Conflicted  bool   `yaml:"conflicted"`
	Broken      bool   `yaml:"broken"`
	Unvalidated bool   `yaml:"unvalidated"`
	// Waiting is for how long approval has been asked for: 1h. Now is a Thursday.
	Waiting strictyaml.Node `yaml:"waiting"`
	Now     strictyaml.Node `yaml:"now"`
	Reviews []Review        `yaml:"reviews"`

	waiting time.Duration
	now     time.Time
}

// Capability is one that changes: a skill that is added, low in everything, if not
// said otherwise.
type Capability struct {
	Name         string   `yaml:"name"`
	Op           string   `yaml:"op"`
	Kind         string   `yaml:"kind"`
	Executable   bool     `yaml:"executable"`
	SameCode     bool     `yaml:"same_code"`
	Status       string   `yaml:"status"`
	WasStatus    string   `yaml:"was_status"`
	Category     string   `yaml:"category"`
	Description  string   `yaml:"description"`
	DeclaredRisk string   `yaml:"declared_risk"`
	CostPerUse   float64  `yaml:"cost_per_use"`
	Currency     string   `yaml:"currency"`
	Secrets      []string `yaml:"secrets"`
	Hosts        []string `yaml:"hosts"`
	SideEffects  []string `yaml:"side_effects"`
	Permissions  []string `yaml:"permissions"`
	Chars        int      `yaml:"chars"`
	CharsRemoved int      `yaml:"chars_removed"`
}

// SoulEdit is one section that differs: of the proposing agent's soul, appended to.
type SoulEdit struct {
	Agent     string `yaml:"agent"`
	Section   string `yaml:"section"`
	Mode      string `yaml:"mode"`
	Protected bool   `yaml:"protected"`
	Identity  string `yaml:"identity"`
	Chars     int    `yaml:"chars"`
	Engine    bool   `yaml:"engine"`
}

// Finding is one diagnostic, a warning if not said otherwise.
type Finding struct {
	Rule       string  `yaml:"rule"`
	Severity   string  `yaml:"severity"`
	Confidence float64 `yaml:"confidence"`
}

// Opinion is what somebody who was asked said: that a person must look, if not said
// otherwise. A stale one is about another content.
type Opinion struct {
	Asked   string `yaml:"asked"`
	Verdict string `yaml:"verdict"`
	Reason  string `yaml:"reason"`
	Stale   bool   `yaml:"stale"`
}

// Origin is one way in, with the name of what was read.
type Origin struct {
	Way    string `yaml:"way"`
	Source string `yaml:"source"`
}

// Tests is how the tests went.
type Tests struct {
	Passed         int `yaml:"passed"`
	Failed         int `yaml:"failed"`
	RequiredFailed int `yaml:"required_failed"`
}

// Review is a decision that counts as signed: an approval of what the proposal is
// now, a minute ago. Stale says that it was of something else.
type Review struct {
	By       string          `yaml:"by"`
	Decision string          `yaml:"decision"`
	Reason   string          `yaml:"reason"`
	Ago      strictyaml.Node `yaml:"ago"`
	Stale    bool            `yaml:"stale"`

	ago time.Duration
}

// thursday is the instant of a scenario that says no other.
func thursday() time.Time { return time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC) }

// check reads what needs more than YAML, and refuses words that no fact can be.
func (f *Facts) check(doc *strictyaml.Doc, ds *diag.List, i int) {
	at := func(path ...any) diag.Pos { return doc.Pos(append([]any{"scenarios", i, "facts"}, path...)...) }
	oneOf(ds, at("kind"), "a kind", f.Kind, policy.Kinds())
	oneOf(ds, at("state"), "a state", f.State, []string{"open", "draft", "withdrawn", "rejected", "merged"})
	f.waiting, f.now = time.Hour, thursday()
	span(ds, f.Waiting, &f.waiting)
	if text, _ := f.Now.Text(); text != "" {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			ds.Errorf(RuleScenario, f.Now.Pos(), "write it as 2026-01-15T12:00:00Z", "%q is no instant", text)
		}
		f.now = t
	}
	for n, c := range f.Capabilities {
		oneOf(ds, at("capabilities", n, "op"), "what happens to a capability", c.Op, []string{"added", "modified", "removed"})
		oneOf(ds, at("capabilities", n, "kind"), "a kind of capability", c.Kind, []string{"skill", "tool", "mcp", "agent"})
		oneOf(ds, at("capabilities", n, "declared_risk"), "a risk", c.DeclaredRisk, []string{"low", "medium", "high", "critical", "prohibited"})
		if c.Name == "" || strings.ContainsAny(c.Name, "/ ") {
			ds.Errorf(RuleScenario, at("capabilities", n), "write name: parse-csv", "%q is no name of a capability", c.Name)
		}
	}
	for n, s := range f.Soul {
		oneOf(ds, at("soul", n, "mode"), "a mode of editing", s.Mode, []string{"add", "append", "replace", "remove"})
	}
	for n, o := range f.Opinions {
		oneOf(ds, at("opinions", n, "verdict"), "a verdict", o.Verdict, append(advice.Verdicts(), advice.None))
	}
	for n, d := range f.Findings {
		oneOf(ds, at("findings", n, "severity"), "a severity", d.Severity, []string{"error", "warning", "note"})
	}
	for n, o := range f.Origins {
		oneOf(ds, at("origins", n, "way"), "a way in", cmp.Or(o.Way, "none"), ways())
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
