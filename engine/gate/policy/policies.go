package policy

import (
	"regexp"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Policies are all policy files of one commit.
type Policies struct {
	Roles     Roles
	Approvals Approvals
	Autonomy  Autonomy
	Limits    Limits
	Security  Security
	Retention Retention
	// Gaps say how assent hears that an agent lacks something, and whether runs are started for it. They allow nothing.
	Gaps gaps.Rules
	// Format is the workspace's format; see Unnumbered and NewestFormat.
	Format int
	// Budget bounds the cost of conditions. It is nil, without a bound, for policies in
	// force: only trying proposed ones has one.
	Budget *Budget
}

// Approvals are the approvals required for each tier.
type Approvals struct {
	// Tiers holds the requirements of low, medium, high and critical.
	Tiers map[Tier][]Requirement
	// Pos is the position of a tier's requirements.
	Pos map[Tier]diag.Pos
	// Extra requirements come on top where their condition holds.
	Extra []ExtraRule
	// Checks are scripts of workflows that have to succeed first.
	Checks []Check
}

// Check requires that scripts of a workflow in force succeeded on exactly the merge result.
type Check struct {
	// Name is shown in verdicts, and as a status on services.
	Name string
	// Workflow and Job name the script; those that it needs have to succeed, too. Without a Job,
	// every script of the workflow has to.
	Workflow, Job string
	// When selects the proposals; Always is set if it is left out.
	When   When
	Always bool
	// Expires is how long a success counts; 0 stands for Limits.Expiry.
	Expires time.Duration
	Pos     diag.Pos
}

// Requirement is a number of distinct identities of one role.
type Requirement struct {
	Role  string `yaml:"role" json:"role"`
	Count int    `yaml:"count" json:"count"`
}

// ExtraRule adds requirements to proposals that its condition matches.
type ExtraRule struct {
	Name string
	When When
	// Needs are added to those of the tier; per role, the larger number counts.
	Needs []Requirement
	Pos   diag.Pos
}

// When selects the proposals of a rule, by an expression or by lists. Each list that is not
// empty must have a match.
type When struct {
	// Expression over the facts (see FactNames), nil where lists are given.
	Expression *condition.Condition
	// Touches are patterns over changed paths: '*' matches within a segment, '**'
	// any number of segments.
	Touches []string
	// Kinds and Agents are kinds of proposals and names of proposing agents.
	Kinds  []string
	Agents []string
	// Tiers are the derived tiers of the risk.
	Tiers []Tier
}

// Mode says how much an agent may do without being asked.
type Mode string

// The modes, from the strictest.
const (
	Manual     Mode = "manual"     // every proposal needs a human
	Assisted   Mode = "assisted"   // low risk needs a lead or a human
	Sandboxed  Mode = "sandboxed"  // as Assisted; code runs in the sandbox only
	Autonomous Mode = "autonomous" // low risk needs only what approvals.yaml says
)

// Modes returns all modes, the strictest first.
func Modes() []Mode { return []Mode{Manual, Assisted, Sandboxed, Autonomous} }

// Autonomy assigns modes, and lists the kinds that may hold code.
type Autonomy struct {
	Default Mode
	// Agents and Kinds override the default by agent and by kind of proposal; where
	// both do, the stricter counts.
	Agents map[string]Mode
	Kinds  map[string]Mode
	// Rules make the mode stricter where their condition holds, never looser.
	Rules []ModeRule
	// Executables are the kinds of capabilities that may hold code.
	Executables []string
	// MaximumRisk is, by mode, the highest tier that needs no extra human; higher tiers
	// do.
	MaximumRisk map[Mode]Tier
}

// AdmitsCode reports whether capabilities of a kind may hold code, and so run.
func (a Autonomy) AdmitsCode(kind string) bool { return slices.Contains(a.Executables, kind) }

// ModeRule asks for a mode at least as strict.
type ModeRule struct {
	Name string
	When When
	Mode Mode
	Pos  diag.Pos
}

// Limits bound what agents may ask for.
type Limits struct {
	// LearnedPerAgent bounds the learned entries of one SOUL.md, Synthesised the
	// agent-made capabilities of the workspace.
	LearnedPerAgent int
	Synthesised     int
	// OpenPerAgent bounds the open proposals of one proposer.
	OpenPerAgent int
	// FilesPerProposal, FileBytes and ProposalBytes bound one proposal.
	FilesPerProposal int
	FileBytes        int64
	ProposalBytes    int64
	// Expiry is how long an approval, and a request for approval, stand.
	Expiry time.Duration
	// ExecutionsPerSession and CostPerSession bound the sandbox.
	ExecutionsPerSession int
	CostPerSession       float64
	// TimePerCall and MemoryPerCall, in bytes, bound one call, whatever its record says; 0 is no
	// limit and cannot be written in a file.
	TimePerCall   time.Duration
	MemoryPerCall int64
}

// Security classifies dangerous content.
type Security struct {
	// Protected are the slugs of sections that only humans may let change.
	Protected []string
	// Identity are words in a SOUL.md that name, negate or re-scope protected matter.
	Identity []Pattern
	// Prohibited, High and Medium classify capabilities by name and description.
	// They are a floor under what the diff shows, because words are cheap.
	Prohibited []Pattern
	High       []Pattern
	Medium     []Pattern
	// Forbidden are categories that no capability may have.
	Forbidden []string
	// Injection are phrases that try to instruct their reader.
	Injection []Pattern
	// Thresholds of risk derivation.
	Thresholds Thresholds
	// RequirePermissions asks code with known side effects to name its permissions.
	RequirePermissions bool
	// Waivers let a known finding pass, for one content, until a day.
	Waivers []Waiver
	// Hosts that sandboxed code may reach when it declares them, as host:port.
	Hosts []string
	// Sandbox is "required", or "none" where code may run without isolation.
	Sandbox string
	// Tests lists content that enters only with tests that were run.
	Tests Testing
	// Attestations is SignedAttestations if a merge needs a human's or witness's signature
	// to be in force, else AnyAttestations.
	Attestations string
	// Embeddings names the model that computes vectors for searches. Without a Model, searches use words only.
	Embeddings Embeddings
	// Unreadable says that security.yaml could not be used: every change is then
	// critical.
	Unreadable bool
}

// Embeddings names the model that computes vectors: of a service at URL, or, without one, of a
// command that each user names.
type Embeddings struct {
	URL, Model string
	// Timeout bounds one request.
	Timeout time.Duration
}

// The values of Security.Attestations.
const (
	AnyAttestations    = "any"
	SignedAttestations = "signed"
)

// Testing requires tests that were run on changed capabilities.
type Testing struct {
	// Required are the kinds of capabilities, tool and mcp, that need them; empty if tests
	// are not required.
	Required []string
	// Repeat is how often each case has to be run, Mastery the least that a capability
	// has to reach, from 0 to 1.
	Repeat  int
	Mastery float64
}

// Pattern is a regular expression (RE2) over lower-case text in which '-' and
// '_' are spaces.
type Pattern struct {
	Match *regexp.Regexp
	// Unless, when set and matching, says that the text is about preventing it: a
	// prohibited match then counts as high, so that a human looks.
	Unless *regexp.Regexp
	// Why is shown with the finding.
	Why string
	Pos diag.Pos
}

// Thresholds turn amounts into tiers.
type Thresholds struct {
	// Content is how many new characters make a change medium.
	Content int
	// CostPerUse above which a capability is high, in Currency.
	CostPerUse float64
	Currency   string
}

// Waiver records that a person found a finding harmless.
type Waiver struct {
	// Rule of the scanner, and the Git name of the blob that it was found in.
	Rule string
	Blob string
	// Reason for people; Expires is the first day on which it no longer counts.
	Reason  string
	Expires time.Time
	Pos     diag.Pos
}

// Retention says when garbage collection proposes to archive, and when to
// promote or revalidate.
type Retention struct {
	// Deprecated is how long a deprecated capability stays before gc proposes to archive
	// it.
	Deprecated time.Duration
	// Unused is how long an agent-made capability may go without any use, and
	// MissionsUnlinked after how many missions without being linked any is archived.
	Unused           time.Duration
	MissionsUnlinked int
	// DegradedAfter consecutive failures quarantine; RetireAfter failures in fewer
	// than RetireBelow uses retire.
	DegradedAfter int
	RetireAfter   int
	RetireBelow   int
	// PromoteAfter is how often a plan must recur before it is suggested.
	PromoteAfter int
	// Revalidate is how old a mastery score may become.
	Revalidate time.Duration
	// Artifacts is how long the artifacts of a run are kept after its end.
	Artifacts time.Duration
	// Trials configures the records of single uses.
	Trials Trials
}

// Trials configures the content of usage records, and whose records count in full.
type Trials struct {
	// NoSummaries keeps every text out of records: tasks, diagnoses and summaries.
	NoSummaries bool
	// Postgres keeps records in a database, and signed roll-ups of them in the journals.
	Postgres bool
	// EraseAfter is how long records keep agents, missions and texts; zero is forever.
	EraseAfter time.Duration
	// OTLP is the collector to which assent trial export sends records unless it is told another.
	OTLP string
	// Writers are installations, by name: their trials count in full here.
	Writers map[string]trial.Writer
}
