package hosttest

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

// The names of decisions in package host.
const (
	approve        = "approve"
	requestChanges = "request-changes"
	revoke         = "revoke"
)

func (s *suite) review(who string, r host.Request, decision, body string) {
	s.Helper()
	s.ok(s.as(who).Review(s.ctx, r.Number, host.Review{Decision: decision, Body: body, Head: r.Head}))
}

// reviews returns the shown facts of each decision except its time, which must exist.
func (s *suite) reviews(number int) []string {
	s.Helper()
	list, err := s.host.Reviews(s.ctx, number)
	s.ok(err)
	var out []string
	for _, r := range list {
		if r.At.IsZero() {
			s.Errorf("a review without a time: %+v", r)
		}
		out = append(out, decided(r.Login, r.Decision, r.Body, r.Head))
	}
	return out
}

func decided(login, decision, body string, head tree.Hash) string {
	return fmt.Sprintf("%s %s %q %s", login, decision, body, head.Short())
}

func testReviews(s *suite) {
	s.needs(Decisions)
	r := s.open("csv")
	s.same("none", s.reviews(r.Number), []string(nil))
	s.review(Ada, r, requestChanges, "No <!-- assent --> tests")
	s.Remark(s.T, Bob, r.Number, "approve")
	s.review(Bob, r, approve, "")
	want := []string{
		decided(s.Login(Ada), requestChanges, "No <!-- assent --> tests", r.Head),
		decided(s.Login(Bob), approve, "", r.Head),
	}
	s.same("reviews", s.reviews(r.Number), want)

	s.needs(Following)
	// A decision stays attached to its head, and a newer one does not replace it.
	next := r
	next.Head = s.Commit(s.T, "skills/tests.md", "tests", r.Head)
	s.Push(s.T, Engine, r.Branch, next.Head)
	s.until("the head", func() string {
		if found := s.find(r.Branch); found.Head != next.Head {
			return plain(found)
		}
		return ""
	})
	s.review(Ada, next, approve, "Now it has")
	s.same("reviews", s.reviews(r.Number), append(want, decided(s.Login(Ada), approve, "Now it has", next.Head)))
}

func testReviewAgain(s *suite) {
	s.needs(Decisions)
	r := s.open("csv")
	for range 2 {
		s.review(Ada, r, approve, "Good")
	}
	s.same("reviews", s.reviews(r.Number), []string{decided(s.Login(Ada), approve, "Good", r.Head)})
	s.review(Ada, r, requestChanges, "No")
	s.review(Ada, r, approve, "Good")
	s.same("reviews", len(s.reviews(r.Number)), 3)
}

func testReviewRefuses(s *suite) {
	s.needs(Decisions)
	r := s.open("csv")
	s.denied("what is not there", s.as(Ada).Review(s.ctx, r.Number+1000, host.Review{Decision: approve, Head: r.Head}))
	if err := s.as(Ada).Review(s.ctx, r.Number, host.Review{Decision: "maybe", Head: r.Head}); err == nil {
		s.Error("an unknown decision was accepted")
	}
	s.needs(SelfApproval)
	for _, decision := range []string{approve, requestChanges} {
		s.denied("the author's own", s.host.Review(s.ctx, r.Number, host.Review{Decision: decision, Body: "mine", Head: r.Head}))
	}
	s.same("reviews", s.reviews(r.Number), []string(nil))
}

// counting returns each account's last decision unless it was revoked.
func (s *suite) counting(number int) []string {
	s.Helper()
	list, err := s.host.Reviews(s.ctx, number)
	s.ok(err)
	last := map[string]host.Review{}
	for _, r := range list {
		last[r.Login] = r
	}
	var out []string
	for login, r := range last {
		if r.Decision != revoke {
			out = append(out, decided(login, r.Decision, r.Body, r.Head))
		}
	}
	slices.Sort(out)
	return out
}

func testRevoke(s *suite) {
	s.needs(Decisions)
	s.needs(Revoking)
	r := s.open("csv")
	s.review(Ada, r, requestChanges, "No")
	s.review(Ada, r, approve, "Yes")
	s.review(Bob, r, approve, "Yes")
	for range 2 {
		s.review(Ada, r, revoke, "Second thoughts")
		s.same("what counts", s.counting(r.Number), []string{decided(s.Login(Bob), approve, "Yes", r.Head)})
	}
	s.review(Ada, r, approve, "Yes")
	s.same("what counts", len(s.counting(r.Number)), 2)
}

func testDismiss(s *suite) {
	s.needs(Decisions)
	s.needs(Dismissing)
	r := s.open("csv")
	s.review(Ada, r, approve, "Yes")
	s.review(Bob, r, approve, "Yes")
	s.Dismiss(s.T, r.Number, s.Login(Ada))
	s.same("reviews", s.reviews(r.Number), []string{
		decided(s.Login(Ada), revoke, "Yes", r.Head), decided(s.Login(Bob), approve, "Yes", r.Head),
	})
	s.review(Ada, r, approve, "Yes")
	s.same("what counts", len(s.counting(r.Number)), 2)
}

// testAskReviewers: an account that cannot be asked does not prevent asking others.
func testAskReviewers(s *suite) {
	s.needs(Asking)
	r := s.open("csv")
	ask := func(logins ...string) {
		s.Helper()
		s.ok(s.host.AskReviewers(s.ctx, r.Number, logins))
	}
	asked := func() []string {
		got := s.Asked(s.T, r.Number)
		slices.Sort(got)
		return got
	}
	ask()
	s.same("asked", len(asked()), 0)
	ask("nobody-is-called-so", s.Login(Engine), s.Login(Ada))
	s.same("asked", asked(), []string{s.Login(Ada)})
	ask(s.Login(Ada), s.Login(Bob))
	both := []string{s.Login(Ada), s.Login(Bob)}
	slices.Sort(both)
	s.same("asked", asked(), both)
	s.same("writes of what is so", s.writes(func(h host.Host) {
		s.ok(h.AskReviewers(s.ctx, r.Number, []string{s.Login(Bob), s.Login(Ada)}))
	}), 0)
}
