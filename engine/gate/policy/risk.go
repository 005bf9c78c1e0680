package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Risk is how dangerous a change is, and why.
type Risk struct {
	Tier Tier `json:"tier"`
	// Class is the worst class of the capabilities that are touched; UnknownClass
	// when none is.
	Class Class `json:"class"`
	// Reasons are all that was found, in the order of the rules; those of the
	// derived tier decide.
	Reasons []Reason `json:"reasons"`
}

// Reason is one thing that puts a change into a tier, or keeps it out of a lower.
type Reason struct {
	// Rule is the id of the risk rule, see RiskRules.
	Rule string `json:"rule"`
	Tier Tier   `json:"tier"`
	// Why is one sentence without a final stop.
	Why string   `json:"why"`
	Pos diag.Pos `json:"pos"`
}

// Decisive returns the reasons whose tier is the derived one.
func (r Risk) Decisive() []Reason {
	var out []Reason
	for _, reason := range r.Reasons {
		if reason.Tier == r.Tier {
			out = append(out, reason)
		}
	}
	return out
}

// DecisiveWhys returns the sentences of Decisive, each once: several files may say the same.
func (r Risk) DecisiveWhys() []string {
	var out []string
	for _, reason := range r.Decisive() {
		if !slices.Contains(out, reason.Why) {
			out = append(out, reason.Why)
		}
	}
	return out
}

// riskRule derives reasons from facts. Rules only add: the highest tier counts.
type riskRule struct {
	id     string
	doc    string
	derive func(*riskFinder)
}

// riskTable is the list of rules; extending the derivation means a row here.
func riskTable() []riskRule {
	return []riskRule{
		{"risk-path", "Where a change lands: rules, workflows, CI and the engine are critical, and so is any place that nothing here knows.", riskPaths},
		{"risk-kind", "What kind of proposal it is: archiving and deprecating take something away; unknown kinds are critical.", riskKind},
		{"risk-soul", "Which sections of a SOUL.md change: any edit but the engine's own entry is high; protected ones, new ones, and text about identity or limits are critical.", riskSoul},
		{"risk-injection", "Text that tries to instruct its reader is critical.", riskInjection},
		{"risk-scan", "What the scanner found: something it blocks is critical, something a person must look at medium.", riskScan},
		{"risk-opinion", "What others say who were asked: whoever objects makes it high, and critical where they would block it.", riskOpinion},
		{"risk-capability", "What a capability can do: code, servers, secrets, hosts, side effects, cost.", riskCapabilities},
		{"risk-source", "Whether a record of a source, upstream.yaml, is new or changes other than by assent import: then it is high.", riskSource},
		{"risk-class", "What a capability's name and description say it is for.", riskClass},
		{"risk-declared", "What a capability or a label claims; claims raise only.", riskDeclared},
		{"risk-break", "Whether main has a break, which whatever merges next resolves.", riskBreak},
		{"risk-policy", "Whether the base's security policy could be read.", riskPolicy},
		{"risk-rejected", "Whether the same was rejected before, or was asked to be changed, by its goal, its content or the name of what it adds: that raises what the rules above found by one tier.", riskRejected},
	}
}

// RiskRules returns the id and purpose of every risk rule, in order.
func RiskRules() [][2]string {
	var out [][2]string
	for _, r := range riskTable() {
		out = append(out, [2]string{r.id, r.doc})
	}
	return out
}

// riskFinder collects reasons while the rules run.
type riskFinder struct {
	p    Policies
	f    Facts
	rule string
	risk Risk
	// words are of the capabilities, by index, as far as a rule asked for them.
	words []words
}

func (r *riskFinder) add(t Tier, pos diag.Pos, format string, args ...any) {
	if t == UnknownTier {
		t = Critical
	}
	r.risk.Reasons = append(r.risk.Reasons, Reason{Rule: r.rule, Tier: t, Why: fmt.Sprintf(format, args...), Pos: pos})
	r.risk.Tier = max(r.risk.Tier, t)
}

func (r *riskFinder) class(c Class) { r.risk.Class = max(r.risk.Class, c) }

// DeriveRisk returns the tier of a change. Every rule looks at the effects of the change;
// the highest tier found counts. A change without a known path is critical, because
// its facts are incomplete.
func DeriveRisk(p Policies, f Facts) Risk {
	finder := &riskFinder{p: p, f: f}
	for _, rule := range riskTable() {
		finder.rule = rule.id
		rule.derive(finder)
	}
	if len(f.Paths) == 0 {
		finder.rule = "risk-path"
		finder.add(Critical, diag.Pos{}, "no changed path is known")
	}
	if finder.risk.Tier == UnknownTier {
		finder.rule = "risk-path"
		finder.add(Low, diag.Pos{}, "nothing raises it")
	}
	return finder.risk
}

// riskRejected raises the tier of a change that was rejected before.
func riskRejected(r *riskFinder) {
	t := min(max(r.risk.Tier, Low)+1, Critical)
	for _, was := range r.f.Rejected {
		what := "it has the same goal"
		switch was.Same {
		case SameContent:
			what = "it brings nearly the same"
		case SameName:
			what = "it adds a capability of the same name"
		}
		said := "without a reason"
		if was.Reason != "" {
			said = strconv.Quote(was.Reason)
		}
		//defence:rejected-content-asks-for-more
		if was.ID != "" {
			r.add(t, diag.Pos{}, "%s as %s, to which %s objected on %s: %s", what, was.ID, was.By, was.At.UTC().Format(time.DateOnly), said)
		}
	}
}

// riskBreak makes a change that resolves a break critical: it decides which state main goes
// on from.
func riskBreak(r *riskFinder) {
	//defence:breaks-are-resolved-by-humans
	if r.f.Broken {
		r.add(Critical, diag.Pos{}, "main has a merge that a listed key announced and that is refused, and this would resolve it")
	}
}

// riskKind looks at the kind that was derived, and at the one that is claimed, which can
// raise only.
func riskKind(r *riskFinder) {
	//defence:derived-kinds-raise
	r.kind(r.f.Kind)
	if r.f.Claimed != "" && r.f.Claimed != r.f.Kind {
		r.kind(r.f.Claimed)
	}
}

func (r *riskFinder) kind(kind string) {
	switch kind {
	case "add", "repair", "revise", "soul", "promote":
	case "archive", "deprecate":
		r.add(High, diag.Pos{}, "%s takes a capability away from those who use it", kind)
	case "restore", "undo":
		//defence:bringing-back-is-medium
		r.add(Medium, diag.Pos{}, "%s brings back what was decided against", kind)
	case "policy", "workflow":
		r.add(Critical, diag.Pos{}, "a %s proposal changes how proposals are judged", kind)
	default:
		r.add(Critical, diag.Pos{}, "unknown kind of proposal %q", kind)
	}
}

func riskInjection(r *riskFinder) {
	for _, pos := range r.f.Scan.Injections {
		r.add(Critical, pos, "the text tries to instruct its reader")
	}
	for _, c := range r.f.Capabilities {
		if pattern, ok := firstMatch(r.p.Security.Injection, c.Name+" "+c.Description); ok {
			r.add(Critical, c.Pos, "the description of %s tries to instruct its reader: %s", c.Name, pattern.Why)
		}
	}
}

func riskScan(r *riskFinder) {
	switch s := r.f.Scan; {
	case s.Errors > 0:
		r.add(Critical, diag.Pos{}, "the scanner blocks it: %s", counted(s.Errors, "finding"))
	case s.Warnings > 0:
		r.add(Medium, diag.Pos{}, "the scanner asks for a look: %s", counted(s.Warnings, "finding"))
	}
}

func riskDeclared(r *riskFinder) {
	for _, c := range r.f.Capabilities {
		if c.DeclaredRisk > Low {
			r.add(c.DeclaredRisk, c.Pos, "%s declares itself %s", c.Name, c.DeclaredRisk)
		}
	}
	for _, label := range r.f.Labels {
		name, ok := strings.CutPrefix(label, "risk:")
		if !ok {
			continue
		}
		var t Tier
		if err := t.UnmarshalText([]byte(name)); err != nil || t == UnknownTier {
			r.add(Critical, diag.Pos{}, "the label %q names no known tier", label)
		} else if t > Low {
			r.add(t, diag.Pos{}, "labelled %s", label)
		}
	}
}

func riskPolicy(r *riskFinder) {
	if r.p.Security.Unreadable {
		r.add(Critical, diag.Pos{File: SecurityFile}, "the base has no usable security policy")
	}
}
