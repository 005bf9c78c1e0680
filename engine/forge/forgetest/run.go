package forgetest

import (
	"errors"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
)

// Run runs the suite. newForge is called once for each test and cleans up through t.
func Run(t *testing.T, newForge func(t *testing.T) Harness) {
	for _, c := range []struct {
		name string
		test func(*suite)
	}{
		{"Open", testOpen}, {"OpenAgain", testOpenAgain}, {"OpenRefuses", testOpenRefuses}, {"HostileTitles", testHostileTitles},
		{"NotFound", testNotFound}, {"List", testList},
		{"Push", testPush}, {"PushRefuses", testPushRefuses}, {"PushByHand", testPushByHand},
		{"Comments", testComments}, {"CommentRefuses", testCommentRefuses},
		{"Reviews", testReviews}, {"ReviewRefuses", testReviewRefuses}, {"Unsigned", testUnsigned},
		{"Status", testStatus}, {"Advise", testAdvise}, {"Prove", testProve},
		{"Merge", testMerge}, {"MergeAgain", testMergeAgain}, {"MergeStale", testMergeStale}, {"MergeRefuses", testMergeRefuses}, {"Merged", testMerged},
		{"MergeMade", testMergeMade}, {"MergeMadeRefuses", testMergeMadeRefuses},
		{"Close", testClose}, {"Closed", testClosed}, {"Reopen", testReopen}, {"ReopenRefuses", testReopenRefuses},
		{"Order", testOrder},
		{"RacingMerges", testRacingMerges}, {"RacingMergesOfOne", testRacingMergesOfOne}, {"RacingPushes", testRacingPushes}, {"RacingOpenings", testRacingOpenings}, {"RacingTalk", testRacingTalk},
		{"CutOpen", testCutOpen}, {"CutPush", testCutPush}, {"CutMergeAnnounced", testCutMergeAnnounced}, {"CutMergeReviewed", testCutMergeReviewed}, {"CutMergeSuperseded", testCutMergeSuperseded},
		{"CutMergeMoved", testCutMergeMoved}, {"CutClose", testCutClose}, {"CutReopen", testCutReopen},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(newSuite(t, newForge)) })
	}
}

// refused checks that got is the error want.
func (s *suite) refused(what string, got, want error) {
	s.Helper()
	if !errors.Is(got, want) {
		s.Errorf("%s: %v; want %v", what, got, want)
	}
}

// stale checks that err is an ErrStale with these commits.
func (s *suite) stale(what string, err error, want, got tree.Hash) {
	s.Helper()
	var e *forge.ErrStale
	if !errors.As(err, &e) {
		s.Errorf("%s: %v; want ErrStale", what, err)
		return
	}
	if e.Want != want || e.Got != got || e.Ref == "" {
		s.Errorf("%s: %v; want %s and %s", what, err, want.Short(), got.Short())
	}
}
