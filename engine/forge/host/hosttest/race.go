package hosttest

import (
	"sync"

	"github.com/assent-dev/assent/engine/forge/host"
)

// testRace: several engines that do the same at once have the effect of one.
func testRace(s *suite) {
	s.needs(Duplicates)
	branch, head := s.branch("race")
	n := host.New{Branch: branch, Base: Base, Title: "Race", Body: "Why"}
	s.atOnce(func(h host.Host) error { _, err := h.Create(s.ctx, n); return err })
	r, err := s.host.Create(s.ctx, n)
	s.ok(err)
	s.same("open", s.numbers(branch, true), []int{r.Number})
	s.same("found", s.find(branch).Number, r.Number)
	s.atOnce(func(h host.Host) error { return h.Comment(s.ctx, r.Number, "report", "text") })
	s.atOnce(func(h host.Host) error {
		return h.Label(s.ctx, r.Number, []string{"assent/waiting", "assent/race"})
	})
	s.atOnce(func(h host.Host) error { return h.Describe(s.ctx, r.Number, "Raced", "again") })
	if _, lacks := s.Lacks[Checks]; !lacks {
		s.atOnce(func(h host.Host) error {
			return h.Check(s.ctx, host.Check{Head: head, State: "success", Summary: "passed"})
		})
	}
	// Another call resolves duplicates that two calls made at the same moment.
	s.ok(s.host.Comment(s.ctx, r.Number, "report", "text"))
	s.ok(s.host.Label(s.ctx, r.Number, []string{"assent/waiting", "assent/race"}))
	r = s.find(branch)
	s.same("title", r.Title, "Raced")
	s.same("labels", len(r.Labels), 2)
	s.same("comments", s.comments(r.Number), []string{remark(s.Login(Engine), "report", "text")})
	s.atOnce(func(h host.Host) error { return h.SetOpen(s.ctx, r.Number, false) })
	s.same("open", s.find(branch).Open, false)
	s.ok(s.host.SetOpen(s.ctx, r.Number, true))
	commit := s.merge(r)
	s.atOnce(func(h host.Host) error { return h.MarkMerged(s.ctx, r.Number, commit) })
	s.merged(r, commit)
}

// atOnce calls do from four goroutines: half of them share one host, as in a daemon.
func (s *suite) atOnce(do func(h host.Host) error) {
	s.Helper()
	hosts := make([]host.Host, 4)
	for i := range hosts {
		if hosts[i] = s.host; i%2 == 1 {
			hosts[i] = s.as(Engine)
		}
	}
	errs := make([]error, len(hosts))
	var all sync.WaitGroup
	for i := range hosts {
		all.Go(func() { errs[i] = do(hosts[i]) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			s.Error(err)
		}
	}
}
