package host

import (
	"context"
	"errors"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Host is a service that shows pull requests, for one repository and one account.
// Implementations translate and decide nothing. They repeat calls that a rate limit or a
// temporary failure (5xx, a broken connection) refused, if the call is repeatable and the
// context allows it, and they read lists to the end. All run the suite in package hosttest.
//
// Branches are short names, such as proposal/parse-csv-k3v9q2mt.
type Host interface {
	// Name is the service's key of `logins` in roles.yaml: github or gitea.
	Name() string
	// Impatient returns this service for callers that only display and can go on without an
	// answer: a request that fails, is limited or takes longer than Patience is Away at once.
	Impatient() Host
	// Login is the account of the token.
	Login(ctx context.Context) (string, error)
	// Find returns the pull request that represents branch, within this repository: the
	// newest open one into base, else the newest open one, else the newest closed one into
	// base; ErrNoRequest without one.
	Find(ctx context.Context, branch, base string) (Request, error)
	// From returns all pull requests from branch since a time, newest first, in any state and
	// into any base. Earlier ones may be among them.
	From(ctx context.Context, branch string, since time.Time) ([]Request, error)
	// List returns the pull requests from branches with a prefix, newest first.
	List(ctx context.Context, prefix string, onlyOpen bool) ([]Request, error)
	// Create opens a pull request for an existing branch, or returns the open one into the
	// same base.
	Create(ctx context.Context, n New) (Request, error)
	// Describe sets title and body if they differ.
	Describe(ctx context.Context, number int, title, body string) error
	// SetOpen closes a pull request or reopens it, which needs the branch. The present state
	// is accepted.
	SetOpen(ctx context.Context, number int, open bool) error
	// MarkMerged tells the service which commit of the base branch merged a pull request.
	// Services that detect merges only confirm it. If the service cannot show the merge,
	// the pull request is closed with a comment that names the commit.
	MarkMerged(ctx context.Context, number int, commit tree.Hash) error
	// Merge asks the service to merge a pull request at exactly m.Head, by a merge commit of
	// its own. With m.Queue the service waits for its own conditions, and queued reports that
	// it will merge. A queued or merged pull request is no error; another head is ErrMoved.
	Merge(ctx context.Context, number int, m Merge) (queued bool, err error)
	// Queued reports whether a pull request is to be merged later, at anyone's request.
	Queued(ctx context.Context, number int) (bool, error)
	// Unqueue cancels a later merge, and reports whether there was one.
	Unqueue(ctx context.Context, number int) (was bool, err error)
	// Reviews lists decisions, oldest first, without pending reviews and comments.
	Reviews(ctx context.Context, number int) ([]Review, error)
	// Review decides as the token's account, on r.Head.
	Review(ctx context.Context, number int, r Review) error
	// AskReviewers requests reviews. It skips accounts that were asked before or cannot be
	// asked (the author, no collaborator).
	AskReviewers(ctx context.Context, number int, logins []string) error
	// Pushes lists the moves of a branch, oldest first, as far as the service knows them;
	// ErrUnknown if it does not tell or the token may not ask.
	Pushes(ctx context.Context, branch string) ([]Push, error)
	// Comments lists the conversation, oldest first, with the keys of our own (see Comment).
	Comments(ctx context.Context, number int) ([]Comment, error)
	// Comment adds a remark. One with a key replaces the account's earlier one with that key,
	// which an invisible marker in the body holds.
	Comment(ctx context.Context, number int, key, body string) error
	// Label replaces the labels with the prefix `assent/`, creating missing ones, and leaves
	// all others.
	Label(ctx context.Context, number int, labels []string) error
	// Check publishes an outcome on a commit under its Context.
	Check(ctx context.Context, c Check) error
	// Protection is the protection of a branch; ErrUnknown if the token may not ask.
	Protection(ctx context.Context, branch string) (Protection, error)
	// Lacks lists the rights that the engine needs and this login lacks; ErrUnknown if the
	// service does not tell. It changes nothing.
	Lacks(ctx context.Context) ([]Lack, error)
}

// Lack is a right that a login does not have.
type Lack struct {
	// Right is the service's name for it, such as write:issue; For is its purpose, and Fix
	// says how to grant it.
	Right, For, Fix string
}

// Patience bounds a request of an Impatient service.
const Patience = 3 * time.Second

// CheckName is the context of the commit status, and the name of the check run, that
// protection requires.
const CheckName = "assent"

// CommentMark begins a comment of an engine, by any account. Pages do not show it, and it
// proves nothing.
const CommentMark = "<!-- assent:"

// LabelPrefix begins the labels that the engine owns.
const LabelPrefix = "assent/"

// Answers that are no failure.
var (
	ErrNoRequest = errors.New("no pull request for this branch")
	ErrUnknown   = errors.New("the service does not tell")
	ErrMoved     = errors.New("the pull request is at another head on the service")
)

// Away reports that the service could not be reached or failed temporarily, also when
// repeated. Nothing was refused.
type Away struct{ Err error }

// Error implements error.
func (a *Away) Error() string { return a.Err.Error() }

// Unwrap returns the failure.
func (a *Away) Unwrap() error { return a.Err }

// Denied is a refusal that a repetition does not change, with what to do about it.
type Denied struct {
	// Doing is the attempted action, such as "open a pull request".
	Doing string
	// Status is the HTTP status, such as 401, 403, 404, 409, 422.
	Status int
	// Said is the service's own sentence, untrusted.
	Said string
	// Fix names the scope that the token lacks, or the setting to change.
	Fix string
}

// Error implements error.
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
	Head        tree.Hash // by the service, which may lag behind the branch
	Author      string    // login
	Labels      []string
	Open        bool
	// Merged is its state on the service, and Merge the commit.
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

// Push is one move of a branch; Login is empty if the service names no account.
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

// Check is the outcome of validation of one commit, or of a required check.
type Check struct {
	Head tree.Hash
	// Name is that of a required check; empty for validation.
	Name string `json:",omitempty"`
	// State is pending, success or failure.
	State string
	// Summary is one line, Text Markdown of any length.
	Summary, Text string
	URL           string
	// Notes are findings in files. A service without a place for them drops them: the comment
	// has them too.
	Notes []Note
}

// Context is the name under which a service shows the outcome.
func (c Check) Context() string {
	if c.Name == "" {
		return CheckName
	}
	return CheckName + "/" + c.Name
}

// Note is a finding at a place in a file.
type Note struct {
	Path          string
	Line          int    // from 1; 0 for the file as a whole
	Level         string // error, warning or note
	Title, Detail string
}

// Protection is the protection of a branch by a service.
type Protection struct {
	Protected bool
	// Push lists the accounts that may push to it directly; PushAll admits everybody with
	// write access.
	Push    []string
	PushAll bool
	// Checks are the required status contexts, Approvals the number of required approvals.
	Checks    []string
	Approvals int
	// CheckFrom is the only source whose CheckName counts; empty if every writer's counts, or
	// the service does not distinguish them.
	CheckFrom string
	// AnySource reports that every writer's counts although the service could distinguish them.
	AnySource bool
	// ForcePush and Delete report that the branch can be rewritten or removed.
	ForcePush, Delete bool
	// Squash reports that the merge button can make other commits than merges.
	Squash bool
	// ManualMerge reports that the service shows a pushed merge as merged.
	ManualMerge bool
}
