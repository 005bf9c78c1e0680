package policy

import (
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/review"
)

// Facts are the whole input of a verdict. They are observed: in the trees of base and
// merge result, in the journal or on the forge, and in the report. Nothing is taken from
// the proposal's own words, except where the comment says "claimed"; claims can only
// raise the risk.
type Facts struct {
	// ID is the proposal's id; its own file is proposals/<yyyy>/<mm>/<dd>/<id>.md.
	ID string `json:"id" fact:"id" doc:"The proposal's id."`
	// Kind of proposal, derived from the changed files: see Kinds. Claimed is the kind that
	// the proposal declares.
	Kind    string `json:"kind" yaml:"kind" values:"kinds" doc:"What kind of proposal it is, found by what changes; see proposal-kind in checks.md. A condition that reads it is tried with each kind."`
	Claimed string `json:"claimed_kind,omitempty"`
	// Agent is who proposes, claimed by the front matter.
	Agent string `json:"agent" yaml:"agent" doc:"Who proposes, as the proposal's file says: a claim."`
	// For is who asked for it, claimed; the requester may approve.
	For string `json:"for,omitempty" yaml:"requester" doc:"Who asked for it in its 'for' field, or nothing: a claim."`
	// Labels of the pull request; "risk:<tier>" raises the risk.
	Labels []string `json:"labels,omitempty" yaml:"labels" doc:"Labels of the pull request, on forges that have them."`

	Changes
	Evidence
	People
	Provenance Provenance `json:"provenance" yaml:",inline"`
	// Rejected are rejected earlier proposals of the same change that were known at the merge.
	Rejected []Rejection `json:"rejected,omitempty"`
	// Checks are what is known of the required checks, by name. CheckStates replace that where
	// nothing ran, as in scenarios: a check that they do not name has passed.
	Checks      map[string]CheckRun   `json:"checks,omitempty" yaml:"-"`
	CheckStates map[string]CheckState `json:"-" yaml:"-"`
	// Opinions are second opinions on it.
	Opinions []Opinion `json:"opinions,omitempty"`

	// State of the pull request.
	State State `json:"state" yaml:"state" doc:"The state of the pull request."`
	// Now is the instant of the judgement.
	Now time.Time `json:"now"`
	// RequestedAt is when approval was asked for: opened, or last renewed.
	RequestedAt time.Time `json:"requested_at"`
	// MainAt is the newest date of the commits on main since the last merge in force. It is filled in if
	// roles.yaml has an entry that expires. Anyone with permission to push can choose it.
	MainAt time.Time `json:"main_at,omitzero"`
	// Undated is set if an older version judged it, which compared the dates of approvers with Now only, and
	// rules with the derived kind only.
	Undated bool `json:"-"`
	// Head is the proposal's newest commit; Effective the digest of its effective
	// tree (the change itself, independent of the base).
	Head      tree.Hash `json:"head"`
	Effective string    `json:"effective"`
	// Unwritten is the digest that the change had before the engine wrote its own entries,
	// if that is all that happened since; otherwise empty. A review of it counts.
	Unwritten string `json:"-"`
	// Plain is the digest that engines up to 0.4.0 signed. It leaves out regions of the
	// engine, whatever they contain. A review with it counts for its own head. It counts for
	// another head only if PlainStands: a merge of another version is judged again, and the
	// regions are as such an engine writes them.
	Plain       string `json:"-"`
	PlainStands bool   `json:"-"`
	// Conflicted says that the change does not apply to main any more.
	Conflicted bool `json:"conflicted,omitempty" yaml:"conflicted" doc:"Whether it no longer applies to main."`
	// Broken says that main has a break: a merge that a listed key announced and that is
	// refused. What merges upon it resolves it.
	Broken bool `json:"broken,omitempty" yaml:"broken" doc:"Whether main has a break, which the next merge resolves."`
	// Taken is set if main merged a part of the branch, which makes the rest another change
	// with the same head.
	Taken *Taken `json:"taken,omitempty"`
	// OpenByAgent is the 1-based rank of this proposal among the proposer's open ones, oldest
	// first; 0 for a proven person, and where a merge is judged afterwards.
	OpenByAgent int `json:"open_by_agent,omitempty" yaml:"open_by_agent" doc:"The rank of this proposal among the proposer's open ones, from 1; 0 for a person whose account or signed review proves it, and after the merge."`
	// Earlier is set only where a merge is judged again that another version of the
	// engine let pass.
	Earlier *Earlier `json:"-"`
}

// State is the state of a pull request, as far as the verdict depends on it.
type State string

// The states. The empty one is unknown and leaves the verdict undecided.
const (
	Open      State = "open"
	Draft     State = "draft"
	Withdrawn State = "withdrawn"
	Rejected  State = "rejected"
	Merged    State = "merged"
)

// Kinds returns the kinds of proposals that risk derivation knows; any other
// kind counts as critical.
func Kinds() []string {
	return []string{"add", "repair", "revise", "deprecate", "archive", "restore", "soul", "policy", "workflow", "promote", "undo"}
}

// Changes are the differences between base and merge result.
type Changes struct {
	// Paths are all changed files, engine-owned regions included.
	Paths []PathChange `json:"paths,omitempty" fact:"paths" doc:"Every changed file."`
	// Soul lists the section edits found by comparing SOUL.md before and after.
	Soul []SoulEdit `json:"soul,omitempty" yaml:"soul"`
	// Capabilities lists the capability folders that hold a changed path.
	Capabilities []Capability `json:"capabilities,omitempty" yaml:"capabilities"`
	// Callers are composed tools that the change leaves as they are and that call, directly
	// or through others, a capability that has new code, the nearest first; CallersLeft
	// counts those that are not listed, because there are too many.
	Callers     []Capability `json:"callers,omitempty"`
	CallersLeft int          `json:"callers_left,omitempty"`
	// Revokes names the people who keep no key and no account, because the change revokes
	// every key of theirs. They could not sign the change if the keys are lost.
	Revokes []string `json:"revokes,omitempty"`
	// Bytes is the size of all added and modified files together.
	Bytes int64 `json:"bytes,omitempty" yaml:"size" doc:"Bytes of all files that are new or changed."`
	// Synthesised counts, in the merge result, the capabilities in the learned lists of all
	// agents, which are those that agents brought in. It is 0 for a change that adds none, and
	// if a past merge is judged again.
	Synthesised int `json:"synthesised,omitempty" yaml:"synthesised" doc:"Capabilities in the learned lists of all agents after the merge: those that agents brought in. The examples of init do not count. 0 where none is added, and after the merge."`
	// Learned counts, in the merge result, the learned entries of each agent whose
	// SOUL.md changes.
	Learned map[string]int `json:"learned,omitempty" yaml:"learned" doc:"Entries in the learned list of each agent whose SOUL.md changes, after the merge."`
}

// Rejection is the signed rejection of an earlier proposal.
type Rejection struct {
	// ID of the proposal, By the name of who rejected it last.
	ID     string    `json:"id"`
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
	Same   Sameness  `json:"same"`
}

// Sameness is the common part of two proposals.
type Sameness string

// SameContent is nearly the same change, SameGoal another change under the same goal, SameName one that adds a
// capability of the same name.
const (
	SameContent Sameness = "content"
	SameGoal    Sameness = "goal"
	SameName    Sameness = "name"
)

// Op is the kind of change to a file.
type Op string

// The operations. A changed mode counts as Modified.
const (
	Added    Op = "added"
	Modified Op = "modified"
	Removed  Op = "removed"
)

// PathChange is one changed file.
type PathChange struct {
	Path string `json:"path" fact:"path" doc:"From the workspace's root."`
	Op   Op     `json:"op" fact:"op" doc:"What happens to it."`
	// Size of the new content in bytes.
	Size int64 `json:"size,omitempty" fact:"size" doc:"Bytes of the new content."`
}

// SoulEdit is one section of a SOUL.md that differs.
type SoulEdit struct {
	// Agent whose SOUL.md it is, and the section's slug, such as core_truths.
	Agent   string `json:"agent" yaml:"agent" doc:"The agent whose SOUL.md it is."`
	Section string `json:"section" yaml:"section" doc:"The section's slug, such as core_truths."`
	// Mode is the kind of edit: add, append, replace or remove. An unknown mode counts as
	// replace.
	Mode string `json:"mode" yaml:"mode" values:"add,append,replace,remove" doc:"What happens to the section."`
	// Protected is set if text of a protected section differs, wherever it is in the file.
	// DeriveRisk adds to it the sections that security.yaml protects by name.
	Protected bool `json:"protected,omitempty" yaml:"protected" doc:"Whether text of a protected section differs."`
	// Identity says which part of the section's name or of the changed text is about the
	// agent's identity or its limits, and why; empty if none is. See Security.Identity.
	Identity string `json:"identity,omitempty" yaml:"identity" doc:"What in its name or changed text names, negates or re-scopes protected matter; empty where nothing does."`
	// Chars counts the characters that were added.
	Chars int `json:"chars,omitempty" yaml:"chars" doc:"New characters."`
	// Engine says that the engine alone wrote the difference: its learned entry.
	Engine bool     `json:"engine,omitempty" yaml:"engine" doc:"Whether the engine alone wrote the difference."`
	Pos    diag.Pos `json:"pos"`
}

// Capability is one capability folder that the change touches. Fields describe
// it in the merge result; for a removed one, in the base.
type Capability struct {
	Name string `json:"name" yaml:"name" doc:"Its name."`
	// Path is the folder, such as skills/data/parse-csv.
	Path string `json:"path" fact:"path" doc:"Its folder."`
	Op   Op     `json:"op" yaml:"op" doc:"What happens to it."`
	// Kind is skill, tool, mcp or agent; anything else counts as executable.
	Kind string `json:"kind" yaml:"kind" values:"capability kinds" doc:"What kind of capability it is."`
	// Executable says that the folder holds code: scripts/, a run entry, a server.
	Executable bool `json:"executable,omitempty" yaml:"executable" doc:"Whether the folder holds code."`
	// SameCode is set if the code and its tests are as in the base, and so is the code that it
	// calls. Only SKILL.md may differ, which programs cannot read, and in its record the
	// version, the status and the list of changes.
	SameCode bool `json:"same_code,omitempty" yaml:"same_code" doc:"Whether its code, tests and record are as before, but for the version, the status and what changed."`
	// Calls is set of a caller only: the capability with new code that it calls, directly
	// or through others.
	Calls string `json:"calls,omitempty"`
	// Narrowed is set if the change takes a skill away from some models. StandsIn is the folder of the skill in whose
	// place this one is linked for some models, or empty; rules about that skill's files apply to this one, too.
	Narrowed bool   `json:"narrowed,omitempty"`
	StandsIn string `json:"stands_in,omitempty"`
	// Class is for conditions only, which get it from the policies: see known.
	Class Class `json:"-" fact:"class" doc:"Its class."`
	// Status is the lifecycle status in the merge result, WasStatus that in the base.
	Status      string `json:"status,omitempty" yaml:"status" doc:"The status after the merge."`
	WasStatus   string `json:"was_status,omitempty" yaml:"was_status" doc:"The status before, or nothing."`
	Category    string `json:"category,omitempty" yaml:"category" doc:"Its category, or nothing."`
	Description string `json:"description,omitempty" yaml:"description" doc:"Its description."`
	// DeclaredRisk is claimed by capability.yaml.
	DeclaredRisk Tier `json:"declared_risk,omitempty" yaml:"declared_risk" fact:"declared_risk,omitzero" doc:"The risk that it claims for itself, or nothing."`
	// CostPerUse in Currency (empty: the policy's own currency).
	CostPerUse  float64  `json:"cost_per_use,omitempty" yaml:"cost_per_use" doc:"What one use costs."`
	Currency    string   `json:"currency,omitempty" yaml:"currency" doc:"In which currency; nothing for the policy's own."`
	Secrets     []string `json:"secrets,omitempty" yaml:"secrets" doc:"Secrets that it asks for."`
	Hosts       []string `json:"hosts,omitempty" yaml:"hosts" doc:"Hosts that it declares."`
	SideEffects []string `json:"side_effects,omitempty" yaml:"side_effects" doc:"Side effects that it declares, and the known words that texts among them name."`
	Permissions []string `json:"permissions,omitempty" yaml:"permissions" doc:"Permissions that it asks for."`
	// Chars and CharsRemoved count the characters of text that are new and gone.
	Chars        int      `json:"chars,omitempty" yaml:"chars" doc:"New characters of text."`
	CharsRemoved int      `json:"chars_removed,omitempty" yaml:"chars_removed" doc:"Characters of text that are gone."`
	Pos          diag.Pos `json:"pos"`
}

// Evidence is the engine's own findings about the merge result.
type Evidence struct {
	Validation Validation `json:"validation" fact:",inline"`
	// Findings are all diagnostics of that report, the scanner's among them.
	Findings diag.List `json:"findings,omitempty"`
	Scan     Scan      `json:"scan" fact:",inline"`
	// Tests is nil when no tests ran: no evidence, not a failure.
	Tests *Tests `json:"tests,omitempty" yaml:"tests" doc:"How the tests went; all 0 where none ran."`
}

// Validation is the report's outcome; Ran false means that there is none for
// this merge result.
type Validation struct {
	Ran      bool   `json:"ran"`
	Errors   int    `json:"errors,omitempty" fact:"errors" doc:"Errors that validation found."`
	Warnings int    `json:"warnings,omitempty" fact:"warnings" doc:"Warnings that validation found, including those of the scanner."`
	Digest   string `json:"digest,omitempty"`
}

// Scan is the scanner's outcome for this merge result.
type Scan struct {
	Ran      bool `json:"ran" fact:"scanned" doc:"Whether the scanner looked at it; it does not where sizes or names are refused."`
	Errors   int  `json:"errors,omitempty"`
	Warnings int  `json:"warnings,omitempty"`
	// Score is scan.Score of the findings.
	Score float64 `json:"score,omitempty" fact:"scan_score" doc:"How much the scanner found, from 0 to 1: the smaller of 1 and the sum of 0.1 for each note (0.2 at most for all), 0.3 for each warning it is unsure of, 0.6 for each other warning and 1.0 for each error."`
	// Injections are the places where a text tries to instruct its reader.
	Injections []diag.Pos `json:"injections,omitempty"`
}

// Tests has the results of the tests of changed capabilities, on exactly this content.
type Tests struct {
	Passed int `json:"passed" yaml:"passed" doc:"Cases that passed."`
	Failed int `json:"failed" yaml:"failed" doc:"Cases that failed."`
	// RequiredFailed counts the failed cases that are marked as required.
	RequiredFailed int `json:"required_failed,omitempty" yaml:"required_failed" doc:"Cases that failed and are required."`
	// Flaky counts the cases that passed only sometimes; Mastery is the least of all
	// capabilities that change. Callers of these are not counted.
	Flaky   int     `json:"flaky,omitempty" fact:"flaky" doc:"Cases that passed only sometimes."`
	Mastery float64 `json:"mastery,omitempty" fact:"mastery" doc:"The least mastery of the capabilities that were tested, from 0 to 1."`
	// Trials are the outcomes, one for each capability that was tested.
	Trials []proof.Trial `json:"trials,omitempty"`
	// Claimed says that the results are from a record that any pusher could have written.
	// They are shown, and the merging program runs the tests again.
	Claimed bool `json:"claimed,omitempty"`
	// Unrun says why the judging program could not run the tests.
	Unrun string `json:"unrun,omitempty"`
}

// People are the observed actors.
type People struct {
	// Proposer is the author of the pull request.
	Proposer Actor `json:"proposer"`
	// Authors wrote commits on the branch, the engine's own commits left out.
	Authors []Actor `json:"authors,omitempty"`
	// Pushers moved the branch.
	Pushers []Actor `json:"pushers,omitempty"`
	// PushersKnown says that Pushers is complete; where it cannot be read, two
	// humans must approve.
	PushersKnown bool `json:"pushers_known" fact:"pushers_known" doc:"Whether it can be seen who pushed."`
	// Sessions are the people who set up the machines on which it was proposed or pushed to.
	// The program there claims them, so they only exclude.
	Sessions []Actor  `json:"sessions,omitempty"`
	Reviews  []Review `json:"reviews,omitempty"`
}

// Taken is how main came to hold commits with which a proposal's branch begins.
type Taken struct {
	// By is the proposal whose merge brought the last of them; empty where that is not
	// known.
	By string `json:"by,omitempty"`
	// At is no earlier than when a witness made or attested that merge; zero where the word
	// of no witness says.
	At time.Time `json:"at,omitzero"`
}

// Actor is a person or program as observed. Every known field is set.
type Actor struct {
	// Name is an identity's name as claimed: it can exclude, never entitle.
	Name string `json:"name,omitempty"`
	// Key is the fingerprint that a signature was checked against.
	Key review.Fingerprint `json:"key,omitempty"`
	// Claimed is the fingerprint of a key that they are said to have, by a journal or a
	// machine; nothing was checked against it, so it only excludes.
	Claimed review.Fingerprint `json:"claimed_key,omitempty"`
	// Email as written in a commit; anybody can write any, so it only excludes.
	Email string `json:"email,omitempty"`
	// Forge and Login are an account as the forge's API reports it.
	Forge string `json:"forge,omitempty"`
	Login string `json:"login,omitempty"`
	// ClaimedLogin is the actor's account on Forge according to a record. Records can
	// name any account, so it only excludes.
	ClaimedLogin string `json:"claimed_login,omitempty"`
}

// IsZero reports whether nothing is known about the actor.
func (a Actor) IsZero() bool { return a == Actor{} }

// Review is one decision, as found in the journal or read from the forge.
type Review struct {
	// By needs a Key (local forge) or a Forge and Login (hosted); its Name and
	// Email are ignored.
	By       Actor           `json:"by"`
	Decision review.Decision `json:"decision"`
	Reason   string          `json:"reason,omitempty"`
	At       time.Time       `json:"at"`
	// Head and Effective are the content that the reviewer looked at.
	Head      tree.Hash `json:"head"`
	Effective string    `json:"effective"`
	// Valid says that the signature was good, or that the forge's API itself
	// reported the review. Invalid says why not.
	Valid   bool   `json:"valid"`
	Invalid string `json:"invalid,omitempty"`
}
