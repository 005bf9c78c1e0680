package forge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Forge is where pull requests live. Every method is safe to call again after a
// crash: repeating a call that already took effect answers as it did the first
// time (only a comment without a key may then be there twice). Each request is
// checked with its Check method before anything is written. Implementations run
// the suite in package forgetest.
type Forge interface {
	// Refresh takes notice of what others did where the record is shared with them.
	// What is read afterwards is at least that new.
	Refresh(ctx context.Context) error
	// Tend makes what people see agree with the record where that is kept elsewhere, and
	// takes in what they did there. It settles whatever an operation that was cut short
	// left behind. The error names the pull requests that could not be tended to.
	Tend(ctx context.Context) error
	// Open publishes req.Head as req.Branch and opens a pull request for it.
	// Opening the same id with the same head again returns the pull request that is
	// there, whatever became of it; with another head it is ErrExists.
	Open(ctx context.Context, req Opening) (Pull, error)
	// Get returns one pull request, or ErrNotFound; so it answers for ids that no
	// pull request can have. Its head is where the branch is, also when somebody
	// moved the branch with plain git.
	Get(ctx context.Context, id string) (Pull, error)
	// List returns pull requests, newest first. Those that cannot be read are left
	// out and named by the error beside the list (see Damaged), which is usable.
	List(ctx context.Context, filter Filter) ([]Pull, error)
	// Activity returns what was said and done on a pull request, oldest first. It is
	// what the gate reads, so implementations fetch it anew at each call.
	Activity(ctx context.Context, id string) (Activity, error)
	// Push moves the branch of an open pull request from push.Old to push.New, or
	// answers ErrStale when the branch is elsewhere. New need not descend from Old.
	Push(ctx context.Context, id string, push Push) (Pull, error)
	// Comment adds a remark, also to what is closed or merged. A comment with a Key
	// takes the place of the earlier one of the same key.
	Comment(ctx context.Context, id string, c Comment) error
	// Review records a decision on an exact head; ErrStale when the head moved.
	// Where the forge vouches for reviewers, it is the account behind this Forge
	// that reviews, and r.By is what it is called there.
	Review(ctx context.Context, id string, r Review) error
	// Status records the outcome of validation for an exact head. Of one head, the
	// status recorded last is the one that counts.
	Status(ctx context.Context, id string, s Status) error
	// Advise records what somebody who was asked for a second opinion said. The same
	// record of the same proposal is recorded once.
	Advise(ctx context.Context, id string, a Advice) error
	// Prove records what the tests of one content came to. The same record of the same
	// proposal is recorded once.
	Prove(ctx context.Context, id string, p Proof) error
	// Show brings what people read of the last report up to date, where a forge shows
	// it: see Activity.Shown. Nothing is recorded.
	Show(ctx context.Context, id, page string) error
	// Merge puts m.Tree on the base branch as a merge of m.Head, provided that the
	// base is still m.Base, the pull request's head still m.Head and the second opinions
	// still as many as m.Advice (ErrStale otherwise), and returns the new commit. Its tree is m.Tree exactly, its parents
	// are m.Base and m.Head. Merging what is merged returns the commit it was merged
	// by. The announcement is stored before the base branch moves. With m.Made, the
	// service has put that commit on the base branch already: it is recorded as the merge,
	// with the announcement, and nothing moves.
	Merge(ctx context.Context, id string, m Merge) (tree.Hash, error)
	// Close ends an open pull request without merging it. What is closed for one
	// reason cannot be closed for another.
	Close(ctx context.Context, id string, c Closing) error
	// Reopen opens a closed, unmerged pull request again at the head it had, with
	// its branch; ErrStale when something else stands where the branch was.
	Reopen(ctx context.Context, id string, by Actor, at time.Time) (Pull, error)
}

// The reasons for which a forge refuses.
var (
	ErrNotFound = errors.New("no such pull request")
	ErrExists   = errors.New("a pull request with this id exists already")
	ErrClosed   = errors.New("the pull request is not open")
	ErrMerged   = errors.New("the pull request is merged")
	ErrUnsigned = errors.New("a review must be signed by its author")
	ErrRequest  = errors.New("the request cannot be recorded")
)

// ErrStale says that somebody moved Ref since the caller looked. Where Want is Got, it is the
// journal Ref in which somebody decided something.
type ErrStale struct {
	Ref       string
	Want, Got tree.Hash
}

// Error names the ref and both commits.
func (e *ErrStale) Error() string {
	if e.Want == e.Got {
		return fmt.Sprintf("somebody decided about %s in the meantime", e.Ref)
	}
	return fmt.Sprintf("%s moved: expected %s, found %s", e.Ref, nameOr(e.Want), nameOr(e.Got))
}

func nameOr(h tree.Hash) string {
	if h.IsZero() {
		return "nothing"
	}
	return h.Short()
}

// State is where a pull request is in its life, as a forge knows it.
type State string

// The states of a pull request.
const (
	Open   State = "open"
	Merged State = "merged"
	Closed State = "closed"
)

// Actor is somebody as the forge saw them. The embedded forge knows names,
// e-mails and key fingerprints, a hosted one its own logins. The zero value is
// somebody of whom nothing is known.
type Actor struct {
	Name  string `json:"name,omitempty"`  // identity in roles.yaml, where the forge knows it
	Login string `json:"login,omitempty"` // account on a hosted forge
	Email string `json:"email,omitempty"`
	Key   string `json:"key,omitempty"` // SSH fingerprint, SHA256:…
}

// String returns the best name that is known.
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
	URL    string    `json:"url,omitempty"` // where a person looks at it
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
	// There is the commit by which the service says that it was merged there, while the
	// record knows of no merge. It is nobody's word for anything.
	There   tree.Hash `json:"-"`
	Opened  time.Time `json:"opened"`
	Updated time.Time `json:"updated"`
	// Reopened is when it was last reopened; zero when it never was. Approval is
	// asked for anew then.
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
	// among them is somebody whom nobody can name.
	Behind []Actor
	At     time.Time
	// Provenance is a record of where the content came from (package provenance), kept
	// beside the opening.
	Provenance []byte
}

// Filter narrows List; the zero value lists everything.
type Filter struct {
	State  State
	Author string // Actor.String of the author
}

// Push is one move of a pull request's branch.
type Push struct {
	// By is the zero Actor where nobody can tell: the branch was moved with plain
	// git and the forge does not know by whom.
	By Actor `json:"by"`
	// Behind are those of an Opening.
	Behind   []Actor   `json:"behind,omitempty"`
	Old, New tree.Hash `json:"-"`
	// Engine marks a commit that the engine computed (a learned entry, a rebase of
	// an unchanged intent): it makes nobody an author.
	Engine bool   `json:"engine,omitempty"`
	Note   string `json:"note,omitempty"`
	// Provenance is a record of where the content came from (package provenance); empty
	// where nobody made one.
	Provenance []byte `json:"-"`
	// At is zero where the forge does not know it either.
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
	// Record and Signature are the signed form; a hosted forge vouches for the
	// reviewer instead and leaves them empty.
	Record, Signature []byte
}

// SignedReviews counts those that count by their signature.
func SignedReviews(all []Review) int {
	n := 0
	for _, r := range all {
		if len(r.Record) > 0 {
			n++
		}
	}
	return n
}

// Status is what validation found for one head.
type Status struct {
	Head    tree.Hash
	Base    tree.Hash // tip of the base branch that the result was computed on
	Passed  bool
	Summary string
	Digest  string // of the report's canonical bytes
	Report  []byte // canonical bytes
	At      time.Time
	// Display is for people, where the forge shows things; it is recorded nowhere.
	Display Display
}

// Advice is a second opinion.
type Advice struct {
	// By asked for it.
	By Actor
	// Record says of what, of whom and what was answered (package advice).
	Record []byte
	At     time.Time
}

// Proof is what tests came to.
type Proof struct {
	// By ran them.
	By Actor
	// Record says of what, and what came of it (package proof).
	Record []byte
	At     time.Time
}

// Display is what a pull request's page shows about a report.
type Display struct {
	Markdown string
	// Labels begin with "assent/".
	Labels []string
	// Reviewers are the accounts that are asked to decide.
	Reviewers []string
	Notes     []Note
}

// Note is a finding at a place of the content.
type Note struct {
	Path          string
	Line          int    // from 1; 0 for the file as a whole
	Level         string // error, warning or note
	Title, Detail string
}

// Activity is the conversation of a pull request.
type Activity struct {
	// Service is the service that vouches for the accounts in it, as roles.yaml calls
	// it in logins; empty where accounts count for nothing.
	Service  string
	Pushes   []Push
	Reviews  []Review
	Comments []Comment
	Statuses []Status
	Advice   []Advice
	Proofs   []Proof
	Merges   []Announcement
	// Shown is what this account shows people of the last report; empty where it shows
	// nothing.
	Shown string
}

// Announcement is a merge that was about to happen, with the evidence for it. It
// counts when the base branch holds its commit.
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
	// Attestation is kept beside the merge as evidence of why it was allowed, and
	// Signature of it where somebody signed.
	Attestation, Signature []byte
	// Advice is how many second opinions were recorded when it was judged, and Reviews how
	// many signed reviews.
	Advice, Reviews int
}

// Closing ends a pull request.
type Closing struct {
	By   Actor
	Why  string // withdrawn, rejected or expired
	Note string
	At   time.Time
}
