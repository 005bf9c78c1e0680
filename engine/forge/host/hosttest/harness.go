package hosttest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

// The accounts of a harness. All but Stranger may push to the repository; only Engine
// administers it.
const (
	Engine   = "engine"
	Ada      = "ada"
	Bob      = "bob"
	Stranger = "stranger" // has an account and no rights here; the repository is readable
)

// Base is the branch that merges go to. A fresh repository has one commit on it.
const Base = "main"

// Harness is one service with a repository for its exclusive use. Functions that act by
// hand do so as one account, without the implementation under test.
type Harness struct {
	// Name is the expected Host.Name.
	Name string
	// Page is the service's largest page of a list.
	Page int
	// Connect returns the service for an account, over a transport (nil: a plain one). It
	// waits by sleep, which the suite shortens.
	Connect func(t *testing.T, who string, via http.RoundTripper, sleep Sleep) host.Host
	// Elsewhere does so for a repository that does not exist.
	Elsewhere func(t *testing.T) host.Host
	// Narrow does so for Engine with a token that may only read code.
	Narrow func(t *testing.T) host.Host
	// Login returns the service's name of an account.
	Login func(who string) string

	// Commit stores a commit: the tree of the first parent with one file changed.
	Commit func(t *testing.T, path, content string, parents ...tree.Hash) tree.Hash
	// Push force-pushes a stored commit to a branch; zero deletes the branch.
	Push func(t *testing.T, who, branch string, to tree.Hash)
	// Tip returns the tip of a branch, zero if there is none.
	Tip func(t *testing.T, branch string) tree.Hash

	// SetOpen closes or reopens a pull request by hand.
	SetOpen func(t *testing.T, who string, number int, open bool)
	// Edit sets title and body by hand.
	Edit func(t *testing.T, who string, number int, title, body string)
	// Say adds a comment by hand. Raw returns the full texts of all comments, with
	// markers.
	Say func(t *testing.T, who string, number int, body string)
	Raw func(t *testing.T, number int) []string
	// Remark adds a review by hand that makes no decision.
	Remark func(t *testing.T, who string, number int, body string)
	// Dismiss dismisses an account's decisions, as an administrator does.
	Dismiss func(t *testing.T, number int, login string)
	// Tag creates and adds a label by hand.
	Tag func(t *testing.T, number int, label string)
	// Asked lists the accounts whose review is requested.
	Asked func(t *testing.T, number int) []string
	// Checks lists the states published on a commit under host.CheckName, oldest first.
	Checks func(t *testing.T, head tree.Hash) []string
	// Protect lets only Engine push to a branch, and requires the check and one approval.
	Protect func(t *testing.T, branch string)
	// Revoke invalidates an account's tokens.
	Revoke func(t *testing.T, who string)

	// Lacks lists features that the service lacks, with the reasons.
	Lacks map[Feature]string
}

// Sleep waits, or returns the context's error.
type Sleep func(context.Context, time.Duration) error

// Feature is a capability that a service, or an imitation of it, may lack.
type Feature string

// The features that a harness may lack.
const (
	Merges       Feature = "a pushed merge is shown as merged"
	ClosedMerges Feature = "one that was closed by hand is shown as merged"
	Merging      Feature = "the service makes merges"
	Queueing     Feature = "the service merges when the checks have passed"
	Decisions    Feature = "reviews"
	SelfApproval Feature = "an author's own approval is refused"
	Revoking     Feature = "somebody takes their own decision back"
	Dismissing   Feature = "an administrator dismisses a decision"
	Asking       Feature = "reviews are asked for"
	Pushers      Feature = "who pushed"
	Checks       Feature = "commit statuses or check runs"
	Duplicates   Feature = "a second pull request for a branch is refused"
	Existence    Feature = "a branch that is not there is refused"
	Branches     Feature = "branches are deleted and moved"
	Following    Feature = "the shown head follows the branch"
	Protecting   Feature = "branch protection"
	Scopes       Feature = "tokens with scopes"
	Rights       Feature = "accounts without rights"
	Revocation   Feature = "tokens are revoked"
)

// Run runs the suite. fresh is called once for each test and cleans up through t.
func Run(t *testing.T, fresh func(t *testing.T) Harness) {
	for _, c := range []struct {
		name string
		test func(*suite)
	}{
		{"Login", testLogin},
		{"Create", testCreate}, {"CreateRefuses", testCreateRefuses}, {"Find", testFind}, {"From", testFrom}, {"List", testList}, {"ListLong", testListLong},
		{"Describe", testDescribe}, {"HostileTexts", testHostileTexts}, {"EditedByHand", testEditedByHand},
		{"SetOpen", testSetOpen}, {"SetOpenWithoutBranch", testSetOpenWithoutBranch}, {"Follow", testFollow},
		{"MarkMerged", testMarkMerged}, {"MarkMergedLate", testMarkMergedLate}, {"MarkMergedClosed", testMarkMergedClosed}, {"MarkMergedRefuses", testMarkMergedRefuses},
		{"Merge", testMerge}, {"MergeMoved", testMergeMoved}, {"MergeRefuses", testMergeRefuses}, {"Queue", testQueue},
		{"Reviews", testReviews}, {"ReviewAgain", testReviewAgain}, {"ReviewRefuses", testReviewRefuses}, {"Revoke", testRevoke}, {"Dismiss", testDismiss},
		{"AskReviewers", testAskReviewers},
		{"Pushes", testPushes}, {"PushesRefuses", testPushesRefuses},
		{"Comments", testComments}, {"CommentsLong", testCommentsLong}, {"CommentKey", testCommentKey}, {"CommentImitated", testCommentImitated},
		{"Label", testLabel}, {"Check", testCheck}, {"Protection", testProtection},
		{"Revoked", testRevoked}, {"Narrow", testNarrow}, {"Elsewhere", testElsewhere}, {"Stranger", testStranger},
		{"Cut", testCut}, {"Busy", testBusy}, {"Glance", testGlance}, {"Broken", testBroken}, {"Endless", testEndless}, {"Cancelled", testCancelled},
		{"Race", testRace},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(newSuite(t, fresh)) })
	}
}
