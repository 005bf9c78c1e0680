package host

import (
	"context"
	"errors"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Host is what is asked of a service that shows pull requests, for one repository,
// by one account. Implementations translate and decide nothing. They wait and try
// again where the service asks for it (rate limits) or fails for a moment (5xx, a
// broken connection), as long as the context allows, and only with calls that may be
// repeated; they read lists to the end. All of them run the suite in package hosttest.
//
// Branches are short names, such as proposal/parse-csv-k3v9q2mt.
type Host interface {
	// Name is how roles.yaml calls the service in `logins`: github or gitea.
	Name() string
	// Login is the account that the token belongs to.
	Login(ctx context.Context) (string, error)
	// Find returns the pull request that stands for branch, in this same repository: of the
	// open ones the newest into base, else the newest of them; else of the closed ones the
	// newest into base.
	// ErrNoRequest when there is none.
	Find(ctx context.Context, branch, base string) (Request, error)
	// From returns all pull requests from branch that were opened since then, newest first,
	// open or not, into whatever base. Earlier ones may be among them.
	From(ctx context.Context, branch string, since time.Time) ([]Request, error)
	// List returns the pull requests from branches with that prefix, newest first.
	List(ctx context.Context, prefix string, onlyOpen bool) ([]Request, error)
	// Create opens a pull request for a branch that exists; when an open one into the same
	// base is there already, that is the answer.
	Create(ctx context.Context, n New) (Request, error)
	// Describe sets title and body; what is equal already is not written.
	Describe(ctx context.Context, number int, title, body string) error
	// SetOpen closes a pull request or opens it again; it may be so already. Opening
	// again needs the branch.
	SetOpen(ctx context.Context, number int, open bool) error
	// MarkMerged tells the service that a pull request was merged by a commit that is
	// on the base branch now. Services that see it by themselves only confirm it.
	// Where the service cannot show it as merged, it is closed instead, with a comment
	// that names the commit.
	MarkMerged(ctx context.Context, number int, commit tree.Hash) error
	// Merge asks the service to merge a pull request, at that head and no other, by a merge
	// commit of its own. With m.Queue it is to do so when what it waits for is there, and
	// queued says that it will. One that is queued stays so, and one that is merged, also
	// by somebody else, is no error. ErrMoved where it is at another head.
	Merge(ctx context.Context, number int, m Merge) (queued bool, err error)
	// Queued tells whether a pull request is to be merged later, whoever asked for that.
	Queued(ctx context.Context, number int) (bool, error)
	// Unqueue takes back that a pull request is to be merged later, whoever asked for that;
	// was says that it was to be.
	Unqueue(ctx context.Context, number int) (was bool, err error)
	// Reviews lists decisions in the order in which they were given. Those that the
	// service calls pending or comments are left out.
	Reviews(ctx context.Context, number int) ([]Review, error)
	// Review decides in the name of the token's account, on that head.
	Review(ctx context.Context, number int, r Review) error
	// AskReviewers requests reviews; accounts that were asked already or cannot be
	// asked (the author, no collaborator) are passed over.
	AskReviewers(ctx context.Context, number int, logins []string) error
	// Pushes lists who moved a branch, oldest first, as far as the service still knows.
	// ErrUnknown when it cannot tell or the token may not ask.
	Pushes(ctx context.Context, branch string) ([]Push, error)
	// Comments lists the conversation, oldest first, with our own keys (see Comment).
	Comments(ctx context.Context, number int) ([]Comment, error)
	// Comment adds a remark. One with a key replaces the account's earlier one with
	// that key; the key is kept in a marker in the body that readers do not see.
	Comment(ctx context.Context, number int, key, body string) error
	// Label makes the labels with the prefix `assent/` those given, creating what the
	// repository lacks, and leaves all others alone.
	Label(ctx context.Context, number int, labels []string) error
	// Check publishes the outcome of validation on a commit under CheckName.
	Check(ctx context.Context, c Check) error
	// Protection tells what the service refuses on a branch; ErrUnknown when the token
	// may not ask.
	Protection(ctx context.Context, branch string) (Protection, error)
	// Lacks tells which rights this login lacks of those that the engine needs. ErrUnknown
	// where the service does not tell. It changes nothing there.
	Lacks(ctx context.Context) ([]Lack, error)
}

// Lack is a right that a login does not have.
type Lack struct {
	// Right is what the service calls it, such as write:issue; For is what does not work
	// without it, and Fix how it is given.
	Right, For, Fix string
}

// CheckName is the context of the commit status, and the name of the check run,
// that a repository's protection requires.
const CheckName = "assent"

// CommentMark begins a comment that an engine wrote, by whichever account: pages do not
// show it, and anybody can write it.
const CommentMark = "<!-- assent:"

// LabelPrefix is that of the labels which the engine owns.
const LabelPrefix = "assent/"

// The answers that are no failure.
var (
	ErrNoRequest = errors.New("no pull request for this branch")
	ErrUnknown   = errors.New("the service does not tell")
	ErrMoved     = errors.New("the pull request is at another head on the service")
)

// Away says that the service was not reached or failed for the moment, more often than one
// tries again: nothing was refused.
type Away struct{ Err error }

// Error says what was tried, and what came back.
func (a *Away) Error() string { return a.Err.Error() }

// Unwrap is the failure itself.
func (a *Away) Unwrap() error { return a.Err }

// Denied says that the service refused for good: what it said, and what to do.
type Denied struct {
	// Doing is what was tried, such as "open a pull request".
	Doing string
	// Status is the HTTP status, such as 401, 403, 404, 409, 422.
	Status int
	// Said is the service's own sentence, untrusted.
	Said string
	// Fix is what to do about it: which scope the token lacks, which setting to change.
	Fix string
}

// Error says all of it in one sentence.
func (d *Denied) Error() string {
	s := d.Doing + ": the service refused: " + d.Said
	if d.Fix != "" {
		s += " (" + d.Fix + ")"
	}
	return s
}

// Request is a pull request as the service shows it.
type Request struct {
	Number      int
	URL         string
	Branch      string // of the head
	Base        string
	Title, Body string
	Head        tree.Hash // as the service shows it, which may lag behind the branch
	Author      string    // login
	Labels      []string
	Open        bool
	// Merged says that the service shows it as merged, and Merge by which commit.
	Merged           bool
	Merge            tree.Hash
	Created, Updated time.Time
}

// New asks for a pull request.
type New struct {
	Branch, Base string
	Title, Body  string
}

// Merge asks for a merge of exactly this head, under a title of one line.
type Merge struct {
	Head  tree.Hash
	Title string
	Queue bool
}

// Review is one account's decision.
type Review struct {
	Login    string
	Decision string // approve, request-changes, or revoke for one that was dismissed
	Body     string
	Head     tree.Hash
	At       time.Time
}

// Push is one move of a branch; Login is empty where the service shows nobody.
type Push struct {
	Login    string
	Old, New tree.Hash
	At       time.Time
}

// Comment is a remark in the conversation.
type Comment struct {
	Login, Key, Body string
	At               time.Time
}

// Check is the outcome of validation of one commit.
type Check struct {
	Head tree.Hash
	// State is pending, success or failure.
	State string
	// Summary is one line, Text Markdown of any length.
	Summary, Text string
	URL           string
	// Notes are findings in files. A service without room for them drops them: they
	// stand in the comment too.
	Notes []Note
}

// Note is a finding at a place.
type Note struct {
	Path          string
	Line          int    // from 1; 0 for the file as a whole
	Level         string // error, warning or note
	Title, Detail string
}

// Protection is what a service holds back on a branch.
type Protection struct {
	Protected bool
	// Push lists who may push to it directly; PushAll says that everybody with write
	// access may.
	Push    []string
	PushAll bool
	// Checks are the required status contexts, Approvals how many approvals it wants.
	Checks    []string
	Approvals int
	// CheckFrom is the one whose CheckName counts; empty where it counts from everybody who
	// may write one, or the service does not tell them apart.
	CheckFrom string
	// AnySource says that it counts from everybody although the service could tell them apart.
	AnySource bool
	// ForcePush and Delete say that history can be rewritten or the branch removed.
	ForcePush, Delete bool
	// Squash says that the merge button can leave other commits than merges.
	Squash bool
	// ManualMerge says that the service shows a merge that was pushed as merged.
	ManualMerge bool
}
