package forge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

// Forge is the place of pull requests. Every method is safe to repeat after a crash: a call
// that took effect already answers as it did the first time. The one exception is a comment
// without a key, which may then exist twice. Each request is checked by its Check method
// before anything is written. Implementations run the suite in package forgetest.
type Forge interface {
	// Traits are the properties of this forge.
	Traits() Traits
	// Refresh fetches the changes of others if the record is shared with them. Later reads
	// are at least that new.
	Refresh(ctx context.Context) error
	// Tend updates the pages of a service from the record, and records the decisions that
	// people made there. It completes interrupted operations. The error names the pull
	// requests for which this failed.
	Tend(ctx context.Context) error
	// Open publishes req.Head as req.Branch and opens a pull request for it.
	// Opening the same id with the same head again returns the existing pull request in
	// any state; another head is ErrExists.
	Open(ctx context.Context, req Opening) (Pull, error)
	// Get returns one pull request, or ErrNotFound, also for ids that no pull request can
	// have. Its head is the tip of the branch, even if plain git moved it.
	Get(ctx context.Context, id string) (Pull, error)
	// List returns pull requests, newest first, without their bodies. The error beside the
	// usable list names those that cannot be read (see Damaged).
	List(ctx context.Context, filter Filter) ([]Pull, error)
	// Activity returns the conversation and the pushes of a pull request, oldest first. The
	// gate judges by it, so implementations fetch it at each call.
	Activity(ctx context.Context, id string) (Activity, error)
	// Push moves the branch of an open pull request from push.Old to push.New, or
	// answers ErrStale if the branch is elsewhere. New need not descend from Old.
	Push(ctx context.Context, id string, push Push) (Pull, error)
	// Comment adds a remark, also to a closed or merged pull request. A comment with a Key
	// replaces the earlier one of the same key.
	Comment(ctx context.Context, id string, c Comment) error
	// Review records a decision on an exact head; ErrStale if the head moved.
	// A forge that vouches for reviewers records the review of the account behind this
	// Forge, and r.By is its name there.
	Review(ctx context.Context, id string, r Review) error
	// Status records the outcome of validation for an exact head. The last status of a head
	// counts.
	Status(ctx context.Context, id string, s Status) error
	// Advise records a second opinion, once for the same record of the same proposal.
	Advise(ctx context.Context, id string, a Advice) error
	// Prove records the outcome of tests of one content, or a signed result of a workflow's
	// script, once for the same record of the same proposal.
	Prove(ctx context.Context, id string, p Proof) error
	// Show updates the page of the last report, on a forge that has one (see Activity.Shown),
	// and the statuses of required checks. Nothing is recorded.
	Show(ctx context.Context, id string, head tree.Hash, d Display) error
	// Merge puts m.Tree on the base branch as a merge of m.Head, and returns the new commit:
	// its tree is m.Tree exactly, its parents are m.Base and m.Head. ErrStale unless the base
	// is still m.Base, the head still m.Head, and the second opinions still number m.Advice.
	// Merging a merged pull request returns the commit of its merge. The announcement is
	// stored before the base branch moves. With m.Made, the service has put that commit on
	// the base branch already: it is recorded as the merge, and nothing moves.
	Merge(ctx context.Context, id string, m Merge) (tree.Hash, error)
	// Close ends an open pull request without a merge. A closed one keeps its first reason.
	Close(ctx context.Context, id string, c Closing) error
	// Reopen opens a closed, unmerged pull request again at its last head, with its branch;
	// ErrStale if the branch is elsewhere.
	Reopen(ctx context.Context, id string, by Actor, at time.Time) (Pull, error)
	MergeAsker
	PushWitness
	// Closely returns this forge with complete reading: Activity includes objections from
	// pull requests that no longer represent the proposal. Callers use it before a merge,
	// and to explain what prevents one.
	Closely() Forge
	// Glancing returns this forge for callers that only display. If the service does not
	// answer or refuses the login, the answer is the record alone, and say gets the first
	// failure. A decision must not rest on it: people's acts on the service may be missing.
	Glancing(say func(error)) Forge
}

// The reasons for a forge to refuse.
var (
	ErrNotFound = errors.New("no such pull request")
	ErrExists   = errors.New("a pull request with this id exists already")
	ErrClosed   = errors.New("the pull request is not open")
	ErrMerged   = errors.New("the pull request is merged")
	ErrUnsigned = errors.New("a review must be signed by its author")
	ErrRequest  = errors.New("the request cannot be recorded")
)

// ErrStale reports that Ref moved since the caller looked. If Want == Got, Ref is a journal
// that gained a decision.
type ErrStale struct {
	Ref       string
	Want, Got tree.Hash
}

// Error names the ref and both commits.
func (e *ErrStale) Error() string {
	if e.Want == e.Got {
		return fmt.Sprintf("%s gained a decision in the meantime", e.Ref)
	}
	return fmt.Sprintf("%s moved: expected %s, found %s", e.Ref, nameOr(e.Want), nameOr(e.Got))
}

func nameOr(h tree.Hash) string {
	if h.IsZero() {
		return "nothing"
	}
	return h.Short()
}

// State is the stage of a pull request's life, as a forge knows it.
type State string

// The states of a pull request.
const (
	Open   State = "open"
	Merged State = "merged"
	Closed State = "closed"
)

// Actor is a person or program as the forge identifies it. The embedded forge knows names,
// e-mails and key fingerprints, a hosted one its own logins. The zero value is unknown.
type Actor struct {
	Name  string `json:"name,omitempty"`  // identity in roles.yaml, where the forge knows it
	Login string `json:"login,omitempty"` // account on a hosted forge
	Email string `json:"email,omitempty"`
	Key   string `json:"key,omitempty"` // SSH fingerprint, SHA256:…
}

// String returns the best known name.
func (a Actor) String() string {
	for _, s := range []string{a.Name, a.Login, a.Email, a.Key} {
		if s != "" {
			return s
		}
	}
	return "unknown"
}

// Pull is one pull request.
type Pull struct {
	ID     string    `json:"id"`            // the proposal's id
	Number int       `json:"number"`        // on hosted forges; 0 on the embedded one
	URL    string    `json:"url,omitempty"` // of its page
	Title  string    `json:"title"`
	Body   string    `json:"body,omitempty"`
	Branch string    `json:"branch"` // short name of the head branch
	Base   string    `json:"base"`   // short name of the base branch
	Head   tree.Hash `json:"head"`
	Author Actor     `json:"author"`
	// Labels, on forges that have them. They can raise the risk and nothing else.
	Labels []string `json:"labels,omitempty"`
	State  State    `json:"state"`
	// Why a closed one was closed: withdrawn, rejected or expired.
	Why string `json:"why,omitempty"`
	// Commit on the base branch that merged it.
	Merge tree.Hash `json:"merge"`
	// Claimed is the commit that the record calls the merge although main does not have the
	// proposal by it: main was set back, or the record is false. It has no effect.
	Claimed tree.Hash `json:"-"`
	// There is the merge commit that the service reports although the record has no merge.
	// It proves nothing.
	There tree.Hash `json:"-"`
	// Last is the last event of its journal, in a list with Skip; else zero.
	Last    tree.Hash `json:"-"`
	Opened  time.Time `json:"opened"`
	Updated time.Time `json:"updated"`
	// Reopened is the time of the last reopening, which voids approvals; zero if there was
	// none.
	Reopened time.Time `json:"reopened,omitzero"`
}

// BranchPrefix and the id make the name of a pull request's branch; on hosted
// forges, a pull request is found by it.
const BranchPrefix = "proposal/"

// Opening asks for a new pull request.
type Opening struct {
	ID string
	// Title may be any text; what is shown is CleanTitle of it.
	Title, Body string
	// Branch is BranchPrefix and the id, Base the branch to merge into.
	Branch, Base string
	Head         tree.Hash
	Author       Actor
	// Behind pushed the commits elsewhere, before there was a pull request; the zero Actor
	// is an unknown one.
	Behind []Actor
	At     time.Time
	// Provenance records the origin of the content (package provenance); it is kept beside
	// the opening.
	Provenance []byte
}

// Filter narrows List; the zero value lists everything.
type Filter struct {
	State  State
	Author string // Actor.String of the author
	// Skip, if set, leaves out journals by their last event, before they are read. A list of a
	// service has no journals and ignores it.
	Skip func(last tree.Hash) bool
}

// Push is one move of a pull request's branch.
type Push struct {
	// By is the zero Actor if unknown: plain git moved the branch.
	By Actor `json:"by"`
	// Behind is as in Opening.
	Behind   []Actor   `json:"behind,omitempty"`
	Old, New tree.Hash `json:"-"`
	// Engine marks a commit that the engine computed (a learned entry, a rebase of an unchanged
	// intent). It adds no author.
	Engine bool   `json:"engine,omitempty"`
	Note   string `json:"note,omitempty"`
	// Provenance records the origin of the content (package provenance); empty without one.
	Provenance []byte `json:"-"`
	// At is zero if unknown.
	At time.Time `json:"at"`
}

// Comment is a remark in the conversation.
type Comment struct {
	By   Actor     `json:"by"`
	Key  string    `json:"key,omitempty"`
	Body string    `json:"body"`
	At   time.Time `json:"at"`
}

// Review is one person's decision about one exact content.
type Review struct {
	By       Actor
	Decision string // approve, reject, request-changes or revoke (of one's own earlier ones)
	Reason   string
	Head     tree.Hash
	// Effective is the digest of what the proposal changes (gate.Effective).
	Effective string
	At        time.Time
	// Record and Signature are the signed form; empty if a hosted forge vouches for the
	// reviewer.
	Record, Signature []byte
}

// SignedReviews counts the reviews with a signature.
func SignedReviews(all []Review) int {
	n := 0
	for _, r := range all {
		if len(r.Record) > 0 {
			n++
		}
	}
	return n
}

// Status is the outcome of validation for one head.
type Status struct {
	Head    tree.Hash
	Base    tree.Hash // tip of the base branch when the result was computed
	Passed  bool
	Summary string
	Digest  string // of the report's canonical bytes
	Report  []byte // canonical bytes
	At      time.Time
	// Display is for the page of a service; it is recorded nowhere.
	Display Display
}

// Advice is a second opinion.
type Advice struct {
	// By asked for it.
	By Actor
	// Record has subject, adviser and answer (package advice).
	Record []byte
	At     time.Time
}

// Proof is the outcome of tests or, if it is signed, of a workflow's script.
type Proof struct {
	// By ran them.
	By Actor
	// Record has subject and outcome (package proof; review.Result if there is a Signature).
	Record, Signature []byte
	At                time.Time
}

// Display is the part of a report that a pull request's page shows.
type Display struct {
	Markdown string
	// Labels begin with "assent/".
	Labels []string
	// Reviewers are the accounts asked to decide.
	Reviewers []string
	Notes     []Note
	// Checks are the required checks, without their head.
	Checks []host.Check
}

// Note is a finding at a place of the content.
type Note = host.Note

// Activity is the conversation of a pull request.
type Activity struct {
	// Service vouches for the accounts in it; the name is that of logins in roles.yaml.
	// Accounts count for nothing if it is empty.
	Service  string
	Pushes   []Push
	Reviews  []Review
	Comments []Comment
	Statuses []Status
	Advice   []Advice
	Proofs   []Proof
	// Results are the signed ones of workflows' scripts.
	Results []Proof
	Merges  []Announcement
	// Shown is the page of the last report by this account; empty without one.
	Shown string
}

// MaxAttestation and MaxSignature bound the evidence of a merge, in bytes. The largest that an
// engine writes holds 100 outcomes of tests, each a few kilobytes.
const (
	MaxAttestation = 1 << 20
	MaxSignature   = 8 << 10
)

// Announcement is an intended merge with its evidence. It counts once the base branch has
// its commit.
type Announcement struct {
	Commit                 tree.Hash
	Attestation, Signature []byte
	At                     time.Time
}

// Merge asks for a merge of exactly these commits.
type Merge struct {
	Head, Base, Tree tree.Hash
	// Made is a commit that the service made, with Base as its first parent and this Tree;
	// zero asks for one. Title and Message are not needed then.
	Made           tree.Hash
	Title, Message string // of the merge commit; Message ends in trailers
	By             Actor
	At             time.Time
	// Attestation is the evidence that the merge was allowed, kept beside it. Signature signs
	// it, if there is a key.
	Attestation, Signature []byte
	// Advice, Reviews and Results are the numbers of second opinions, of signed reviews and of
	// signed results when it was judged.
	Advice, Reviews, Results int
}

// Closing ends a pull request.
type Closing struct {
	By   Actor
	Why  string // withdrawn, rejected or expired
	Note string
	At   time.Time
}
