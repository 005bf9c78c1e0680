package policy

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/pattern"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/capability"
)

type rawSecurity struct {
	Protected  []string      `yaml:"protected_sections"`
	Identity   []rawPattern  `yaml:"identity_phrases"`
	Prohibited []rawPattern  `yaml:"prohibited"`
	High       []rawPattern  `yaml:"high"`
	Medium     []rawPattern  `yaml:"medium"`
	Forbidden  []string      `yaml:"forbidden_categories"`
	Permits    bool          `yaml:"require_os_permissions"`
	Injection  []rawPattern  `yaml:"injection_phrases"`
	Thresholds rawThresholds `yaml:"thresholds"`
	Sandbox    rawSandbox    `yaml:"sandbox"`
	Tests      rawTesting    `yaml:"tests"`
	Waivers    []rawWaiver   `yaml:"waivers"`

	Attestations string        `yaml:"attestations"`
	Embeddings   rawEmbeddings `yaml:"embeddings"`
}

type rawPattern struct {
	Match  string `yaml:"match"`
	Unless string `yaml:"unless"`
	Why    string `yaml:"why"`
}

type rawThresholds struct {
	Content    int     `yaml:"content"`
	CostPerUse float64 `yaml:"cost_per_use"`
	Currency   string  `yaml:"currency"`
}

type rawSandbox struct {
	Isolation string   `yaml:"isolation"`
	Hosts     []string `yaml:"hosts"`
}

type rawTesting struct {
	Required []string `yaml:"required"`
	Repeat   int      `yaml:"repeat"`
	Mastery  float64  `yaml:"mastery"`
}

type rawEmbeddings struct {
	URL     string `yaml:"url"`
	Model   string `yaml:"model"`
	Timeout age    `yaml:"timeout"`
}

type rawWaiver struct {
	Rule    string `yaml:"rule"`
	Blob    string `yaml:"blob"`
	Reason  string `yaml:"reason"`
	Expires string `yaml:"expires"`
}

// defaultSecurity is used for fields that security.yaml leaves out. The protected
// sections and the thresholds are those of the capability seed.
func defaultSecurity() rawSecurity {
	return rawSecurity{
		Protected:  []string{"core_truths", "boundaries", "safety_rules", "identity"},
		Identity:   defaultIdentity(),
		Forbidden:  []string{"system_destruction", "network_exploit"},
		Thresholds: rawThresholds{Content: 1000, CostPerUse: 1, Currency: "USD"},
		Sandbox:    rawSandbox{Isolation: "required"},
		Tests:      rawTesting{Repeat: 3, Mastery: 0.85},

		Attestations: AnyAttestations, Embeddings: rawEmbeddings{Timeout: age(2 * time.Second)},
	}
}

// defaultIdentity are the phrases that count where security.yaml lists none. They are the
// same as in the workspace that init makes.
func defaultIdentity() []rawPattern {
	return []rawPattern{
		{Match: `\b(guard ?rails?|red lines?|safety|safeguards?|boundar(y|ies)|ground rules?|core (truth|value|principle|belief|rule|identity)\w*|non negotiables?|prime directives?|hard limits?|off limits|inviolable)\b`, Why: "names what is protected"},
		{Match: `\b(who|what) (you|i|we) (really |truly |actually )?(are|am)\b|\b(you are|i am) (now|really|actually|no longer)\b|\b(true|real|new|core|inner) (self|nature|purpose|identity|persona)\b`, Why: "says who the agent is"},
		{Match: `\b(ignor|disregard|forget|overrid|overrul|supersed|suspend|lift|relax|waiv|bypass)\w*\b.{0,60}\b(section|rule|instruction|heading|paragraph|limit|restriction|constraint|principle)s?\b`, Why: "sets other sections aside"},
		{Match: `\b(section|rule|instruction|heading|paragraph|limit|restriction|constraint|principle)s?\b.{0,60}\b(outdated|obsolete|optional|void|advisory|suggestions?|no longer|do(es)? not apply|only appl\w+|appl\w+ only|not binding)\b`, Why: "re-scopes other sections"},
		{Match: `\b(everything|anything|nothing|all|whatever|what|parts?|lines?|points?|lists?|the rest)\b.{0,40}\b(above|below|earlier|elsewhere|in (this|your|the) (file|document|soul|prompt))\b`, Why: "speaks of the rest of the soul"},
		{Match: `\b(your|my|our|its) (limits?|restrictions?|constraints?|obligations?|prohibitions?)\b|\bnot (binding|a rule|an order)\b|\bbind(s|ing)? (you|me|us|nobody|no one)\b`, Why: "says how far rules bind"},
		{Match: `\b(decid|approv|sign|speak|act|answer|consent|choos|vot)\w*\b.{0,20}\b(for|on behalf of|instead of|in (the )?(place|name|absence) of)\b.{0,20}\b(others?|people|persons?|everyone|everybody|anyone|someone|somebody|teams?|users?|humans?|reviewers?|owners?|maintainers?|colleagues?)\b|\b(approv|merg|sign)\w*\b.{0,20}\b(your|my|its|their) own\b|\b(judge?ment|word|decision|opinion)\b.{0,30}\b(outrank|overrid|overrul|trump|comes? before|comes? first)\w*|\btrust (yourself|your own)\b`, Why: "gives authority over others"},
		{Match: `\b(approvals?|permissions?|consent|reviews?|sign off|asking|second opinions?)\b.{0,40}\b(formalit(y|ies)|assumed|implied|optional|unnecessary|needless|not (be )?(needed|required|necessary)|waived?|skip\w*|slow\w*|afterwards)\b|\b(act|decide|delete|send|merge|deploy)s? first\b|\b(matters?|counts?|weighs?|ranks?|comes?) (more|before|above|over|higher)\b.{0,30}\b(permissions?|approvals?|consent|rules?|polic(y|ies)|checks?|limits?|reviews?)\b|\b(no need to|need not|never|do not|don.t|stop|without) ask(ing)?\b`, Why: "sets asking or approval aside"},
		{Match: `\b(everything|anything|all) (is|goes) (allowed|permitted|fine|ok)\b|\banything goes\b|\b(rules?|limits?|checks?|polic(y|ies))\b.{0,20}\b(for|to) (others|weaker|other|lesser|beginners?)\b|\b(guidance|advice|guidelines?|suggestions?)\W{1,3}(and )?not (a )?(law|rules?|orders?)\b|\b(find|take) (another|a different|your own) way\b|\b(work|go|get)(s|es|ing)? around\b`, Why: "makes an exception of its rules"},
	}
}

// strictestSecurity replaces an unusable security.yaml. Nothing classifies changes then,
// so every change is critical.
func strictestSecurity() Security {
	s := defaultSecurity().security()
	s.Unreadable = true
	return s
}

func (r rawSecurity) security() Security {
	return Security{
		Protected: r.Protected, Forbidden: r.Forbidden, RequirePermissions: r.Permits, Thresholds: Thresholds(r.Thresholds),
		Hosts: r.Sandbox.Hosts, Sandbox: r.Sandbox.Isolation, Tests: Testing(r.Tests), Attestations: r.Attestations,
		Embeddings: Embeddings{r.Embeddings.URL, r.Embeddings.Model, time.Duration(r.Embeddings.Timeout)},
	}
}

func readSecurity(doc *strictyaml.Doc, ds *diag.List) Security {
	raw := defaultSecurity()
	doc.Decode(&raw, ds)
	r := securityReader{doc, ds, &pattern.Budget{}}
	out := raw.security()
	out.Identity = r.patterns("identity_phrases", raw.Identity)
	out.Prohibited = r.patterns("prohibited", raw.Prohibited)
	out.High = r.patterns("high", raw.High)
	out.Medium = r.patterns("medium", raw.Medium)
	out.Injection = r.patterns("injection_phrases", raw.Injection)
	for i, w := range raw.Waivers {
		out.Waivers = append(out.Waivers, r.waiver(i, w))
	}
	b := bounds{doc, ds}
	b.at(doc.ValuePos("thresholds", "content"), "thresholds.content", float64(raw.Thresholds.Content), 0, 1e6)
	b.at(doc.ValuePos("thresholds", "cost_per_use"), "thresholds.cost_per_use", raw.Thresholds.CostPerUse, 0, 1e6)
	b.at(doc.ValuePos("tests", "repeat"), "tests.repeat", float64(raw.Tests.Repeat), 1, maxRepeat)
	b.at(doc.ValuePos("tests", "mastery"), "tests.mastery", raw.Tests.Mastery, 0, 1)
	if raw.Attestations != AnyAttestations && raw.Attestations != SignedAttestations {
		r.ds.Errorf(RuleRange, doc.ValuePos("attestations"), "write signed, or any to merge without a signature too", "unknown attestations %q", raw.Attestations)
	}
	r.sandbox(raw.Sandbox)
	r.testing(raw.Tests)
	b.age("embeddings.timeout", raw.Embeddings.Timeout, age(time.Second), age(time.Minute))
	if e := raw.Embeddings; e.URL != "" && (e.Model == "" || !advice.SafeURL(e.URL)) {
		r.ds.Errorf(RuleHost, r.doc.ValuePos("embeddings", "url"), "write https://… (http is for this machine only) and a model", "texts must not be sent to %q", e.URL)
	}
	return out
}

type securityReader struct {
	doc    *strictyaml.Doc
	ds     *diag.List
	budget *pattern.Budget
}

func (r securityReader) patterns(list string, raw []rawPattern) []Pattern {
	var out []Pattern
	for i, p := range raw {
		pos := r.doc.Pos(list, i)
		if strings.TrimSpace(p.Why) == "" {
			r.ds.Errorf(RulePattern, pos, "add why: …, it is what people see", "the pattern has no explanation")
		}
		if p.Unless != "" && list != "prohibited" {
			r.ds.Errorf(RulePattern, r.doc.Pos(list, i, "unless"), "remove it", "only prohibited patterns can have an unless")
		}
		out = append(out, Pattern{
			Match:  r.regexp(r.doc.ValuePos(list, i, "match"), p.Match, true),
			Unless: r.regexp(r.doc.ValuePos(list, i, "unless"), p.Unless, false), Why: p.Why, Pos: pos,
		})
	}
	return out
}

// regexp compiles one expression. One that matches the empty text would match
// everything and is taken for a mistake.
func (r securityReader) regexp(pos diag.Pos, text string, needed bool) *regexp.Regexp {
	if text == "" && !needed {
		return nil
	}
	re, err := r.budget.Compile(text)
	switch {
	case err != nil:
		r.ds.Errorf(RulePattern, pos, "see https://github.com/google/re2/wiki/Syntax", "broken regular expression: %v", err)
		return nil
	case re.MatchString(""):
		r.ds.Errorf(RulePattern, pos, "make it match some text", "the regular expression matches everything")
	case text != strings.ToLower(text) && !strings.Contains(text, `\`):
		r.ds.Warnf(RulePattern, pos, "write it in lower case", "patterns see lower-case text, so %q never matches", text)
	}
	return re
}

func (r securityReader) waiver(i int, w rawWaiver) Waiver {
	pos := r.doc.Pos("waivers", i)
	if (w.Rule == "" || strings.TrimSpace(w.Reason) == "" || w.Expires == "") && !r.unread(i) {
		r.ds.Errorf(RuleWaiver, pos, "give rule, blob, reason and expires", "the waiver is incomplete")
	}
	if _, err := tree.ParseHash(w.Blob); err != nil {
		r.ds.Errorf(RuleWaiver, pos, "take the blob from the finding, or from `git hash-object FILE`", "the waiver names no content: %v", err)
	}
	out := Waiver{Rule: w.Rule, Blob: w.Blob, Reason: w.Reason, Pos: pos}
	if w.Expires != "" {
		out.Expires = day(r.ds, r.doc.ValuePos("waivers", i, "expires"), w.Expires)
	}
	return out
}

// unread reports whether something of a waiver is there and could not be read, which was
// said already.
func (r securityReader) unread(i int) bool {
	for _, key := range []string{"rule", "reason", "expires"} {
		at := r.doc.ValuePos("waivers", i, key)
		if slices.ContainsFunc(*r.ds, func(d diag.Diagnostic) bool { return d.Rule == strictyaml.RuleAmbiguous && d.Pos == at }) {
			return true
		}
	}
	return false
}

// maxRepeat bounds how often each case of a test is run for a merge.
const maxRepeat = 20

// testing holds the kinds that need tests to those that can be called.
func (r securityReader) testing(t rawTesting) {
	for i, kind := range t.Required {
		if kind != string(capability.KindTool) && kind != string(capability.KindMCP) {
			r.ds.Errorf(RuleKind, r.doc.Pos("tests", "required", i), "write tool or mcp", "capabilities of kind %q have no tests that could be run", kind)
		}
	}
}

// hostPort is a DNS name or "*." and a DNS name, and a port.
var hostPort = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+:[0-9]{1,5}$`)
})

func (r securityReader) sandbox(s rawSandbox) {
	if s.Isolation != "required" && s.Isolation != "none" {
		r.ds.Errorf(RuleRange, r.doc.ValuePos("sandbox", "isolation"), "write required, or none to run code without isolation", "unknown isolation %q", s.Isolation)
	}
	for i, host := range s.Hosts {
		if _, err := netip.ParseAddrPort(host); err != nil && !hostPort().MatchString(host) {
			r.ds.Errorf(RuleHost, r.doc.Pos("sandbox", "hosts", i), "write it as api.example.org:443, as *.example.org:443 for all that is below, or as 192.0.2.1:443", "%q is no host with a port: a name in lower case with a dot, or an address", host)
		}
	}
}
