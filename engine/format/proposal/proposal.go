package proposal

import "slices"

// Kind is the sort of change that a proposal requests.
type Kind string

// The kinds of proposals.
const (
	Add       Kind = "add"
	Repair    Kind = "repair"
	Revise    Kind = "revise"
	Deprecate Kind = "deprecate"
	Archive   Kind = "archive"
	Restore   Kind = "restore"
	Soul      Kind = "soul"
	Policy    Kind = "policy"
	Workflow  Kind = "workflow"
	Promote   Kind = "promote"
	Undo      Kind = "undo"
)

// Kinds returns all kinds in the order in which documentation lists them.
func Kinds() []Kind {
	return []Kind{Add, Repair, Revise, Deprecate, Archive, Restore, Soul, Policy, Workflow, Promote, Undo}
}

// Valid reports whether k is a known kind.
func (k Kind) Valid() bool { return slices.Contains(Kinds(), k) }

// Proposal is the front matter of a proposal's file, with its rationale. State, risk,
// reports and reviews belong to the pull request instead.
type Proposal struct {
	ID         string `yaml:"id"`
	Kind       Kind   `yaml:"kind"`
	Agent      string `yaml:"agent"`         // the proposer
	For        string `yaml:"for,omitempty"` // the requester, if different
	Goal       string `yaml:"goal"`
	Gap        *Gap   `yaml:"gap,omitempty"`
	Capability string `yaml:"capability,omitempty"`
	// Soul is the requested section edit.
	Soul *SoulEdit `yaml:"soul,omitempty"`
	// Undoes is the proposal id or commit that an undo reverts.
	Undoes string `yaml:"undoes,omitempty"`
	// Files lists the files that the branch changes, filled in by the engine.
	Files        []string       `yaml:"files,omitempty"`
	Alternatives []string       `yaml:"alternatives,omitempty"`
	Plan         map[string]any `yaml:"plan,omitempty"`
	// Differs explains to reviewers how the proposal differs from similar capabilities in
	// force.
	Differs []Difference `yaml:"differs,omitempty"`
	// Body is the Markdown after the front matter.
	Body string `yaml:"-"`
}

// Gap is the capability that the proposer lacked.
type Gap struct {
	Missing  string   `yaml:"missing"`
	Reason   string   `yaml:"reason,omitempty"`
	Evidence []string `yaml:"evidence,omitempty"`
}

// Difference is the difference of the proposal's capability from a similar one.
type Difference struct {
	From string `yaml:"from"` // the other capability's name
	How  string `yaml:"how"`
}

// SoulEdit names the section of an agent's SOUL.md that changes.
type SoulEdit struct {
	Agent   string `yaml:"agent"`
	Section string `yaml:"section"`
	Mode    string `yaml:"mode"` // add, append or replace
	// Content is the new text. It comes from the draft's fence and is not written to the
	// front matter: the body has it.
	Content string `yaml:"-"`
}

// State is the stage of a proposal.
type State string

// The states. Each has a next step: see Next.
const (
	Draft            State = "draft"
	Open             State = "open"
	Waiting          State = "waiting"
	ChangesRequested State = "changes_requested"
	Approved         State = "approved"
	Refused          State = "refused"
	Conflicted       State = "conflicted"
	Merged           State = "merged"
	Rejected         State = "rejected"
	Withdrawn        State = "withdrawn"
	Expired          State = "expired"
)

// Next returns the command that continues from a state.
func (s State) Next() string {
	switch s {
	case Draft, Open:
		return "assent validate, or wait for the report"
	case Waiting:
		return "assent review ID"
	case ChangesRequested, Refused:
		return "assent update ID"
	case Approved:
		return "assent merge ID"
	case Conflicted:
		return "assent rebase ID"
	case Merged:
		return "assent undo ID"
	case Rejected, Withdrawn, Expired:
		return "assent reopen ID"
	}
	return "assent show ID"
}
