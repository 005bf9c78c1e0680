package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Outcome is the result of a verdict. The zero value is Undecided, which blocks.
type Outcome int

// The outcomes.
const (
	// Undecided: something that must be known is not known yet.
	Undecided Outcome = iota
	// Refused: it cannot merge as it is, and waiting does not help.
	Refused
	// Waiting: a named identity or role has to act.
	Waiting
	// Allowed: nothing prevents it.
	Allowed
)

var outcomeNames = [...]string{"undecided", "refused", "waiting", "allowed"}

// String returns the outcome's name.
func (o Outcome) String() string {
	if o < 0 || int(o) >= len(outcomeNames) {
		return fmt.Sprintf("outcome(%d)", int(o))
	}
	return outcomeNames[o]
}

// MarshalText writes the outcome's name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (o *Outcome) UnmarshalText(text []byte) error {
	i := slices.Index(outcomeNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown outcome %q (want undecided, refused, waiting or allowed)", text)
	}
	*o = Outcome(i)
	return nil
}

// severity orders outcomes for combination: refused beats undecided beats
// waiting beats allowed. Anything unknown is as bad as refused.
func (o Outcome) severity() int {
	switch o {
	case Allowed:
		return 0
	case Waiting:
		return 1
	case Undecided:
		return 2
	default:
		return 3
	}
}

// The events that can change a verdict.
const (
	OnReview = "review" // a review is given or changed
	OnPush   = "push"   // the proposal's content changes
	OnReport = "report" // a validation of the current merge result arrives
	OnPolicy = "policy" // the base's policies change
	OnTime   = "time"   // time passes
	OnState  = "state"  // the pull request is opened, reopened, renewed or withdrawn
	OnOthers = "others" // other proposals of the same proposer end
)

// Wait names the role that a verdict waits for.
type Wait struct {
	// Role that has to act; RoleProposer stands for the proposer.
	Role string `json:"role"`
	// Need is how many distinct identities of that role must approve, Have how
	// many have.
	Need int `json:"need"`
	Have int `json:"have"`
	// Who could act: names of identities in roles.yaml, sorted. Empty means that
	// no one can, and the verdict's reason says so.
	Who []string `json:"who,omitempty"`
	// Part are humans who took part, if too few others could act and their signature helps:
	// it does not count as one of Need, but lowers it by one.
	Part []string `json:"part,omitempty"`
}

// RoleProposer is the role of a Wait for the proposal's own author.
const RoleProposer = "proposer"

// Verdict is one rule's answer, and the answers that it follows from.
type Verdict struct {
	// Rule is the rule's id: lower-case words joined by '-'.
	Rule    string  `json:"rule"`
	Outcome Outcome `json:"outcome"`
	// Reason is one sentence without a final stop. It may quote names from the
	// proposal, which are untrusted.
	Reason     string `json:"reason"`
	WaitingFor []Wait `json:"waiting_for,omitempty"`
	// Changes names the events that could change the outcome; none when allowed.
	Changes  []string  `json:"changes,omitempty"`
	Children []Verdict `json:"children,omitempty"`
}

// Allowed reports whether v lets the proposal merge.
func (v Verdict) Allowed() bool { return v.Outcome == Allowed }

// Reasons returns the reasons of the decisive rules: the leaves whose outcome is
// that of v.
func (v Verdict) Reasons() []string {
	if len(v.Children) == 0 {
		return []string{v.Reason}
	}
	var out []string
	for _, c := range v.Children {
		if c.Outcome == v.Outcome {
			out = append(out, c.Reasons()...)
		}
	}
	return out
}

// ReasonsOf are the reasons of all parts by a rule.
func (v Verdict) ReasonsOf(rule string) (out []string) {
	if v.Rule == rule {
		return []string{v.Reason}
	}
	for _, part := range v.Children {
		out = append(out, part.ReasonsOf(rule)...)
	}
	return out
}

// WaysOut names the events that could change the decisive rules: those whose outcome is
// that of v.
func (v Verdict) WaysOut() []string {
	if len(v.Children) == 0 {
		return v.Changes
	}
	var out []string
	for _, c := range v.Children {
		if c.Outcome == v.Outcome {
			out = append(out, c.WaysOut()...)
		}
	}
	return out
}

// Lines renders the tree, one line per verdict, children indented by two spaces.
// The text is not escaped for any terminal.
func (v Verdict) Lines() []string {
	line := fmt.Sprintf("%s: %s", v.Rule, v.Outcome)
	if v.Reason != "" {
		line += ": " + v.Reason
	}
	out := []string{line}
	for _, c := range v.Children {
		for _, l := range c.Lines() {
			out = append(out, "  "+l)
		}
	}
	return out
}

// combine makes a verdict of its parts: the worst outcome counts, and the parts
// with that outcome give the reason. Without parts it is Undecided.
func combine(rule string, parts []Verdict) Verdict {
	v := Verdict{Rule: rule, Reason: "no rule answered", Children: parts}
	if len(parts) == 0 {
		return v
	}
	v.Outcome = Allowed
	for _, p := range parts {
		if p.Outcome.severity() > v.Outcome.severity() {
			v.Outcome = p.Outcome
		}
		if p.Outcome != Allowed {
			v.Changes = append(v.Changes, p.Changes...)
			v.WaitingFor = append(v.WaitingFor, p.WaitingFor...)
		}
	}
	v.Reason = strings.Join(v.Reasons(), "; ")
	if v.Outcome == Allowed {
		v.Reason = "every rule allows it"
	}
	slices.Sort(v.Changes)
	v.Changes = slices.Compact(v.Changes)
	return v
}

// counted is a number with its noun: "1 error", "2 errors".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
