package hosttest

import (
	"errors"

	"github.com/assent-dev/assent/engine/forge/host"
)

// testMerge: the service makes a requested merge once.
func testMerge(s *suite) {
	s.needs(Merging)
	r := s.open("csv")
	before := s.Tip(s.T, Base)
	for range 2 {
		queued, err := s.host.Merge(s.ctx, r.Number, host.Merge{Head: r.Head, Title: "Merge csv"})
		s.ok(err)
		s.same("queued", queued, false)
		s.until("the merge", func() string {
			if found := s.find(r.Branch); !found.Merged || found.Merge != s.Tip(s.T, Base) || found.Merge == before {
				return plain(found)
			}
			return ""
		})
	}
	s.same("open", s.find(r.Branch).Open, false)
}

// testMergeMoved: the head moved after the request was judged.
func testMergeMoved(s *suite) {
	s.needs(Merging)
	s.needs(Following)
	r := s.open("csv")
	before := s.Tip(s.T, Base)
	next := s.Commit(s.T, "skills/more.md", "more", r.Head)
	s.Push(s.T, Ada, r.Branch, next)
	for _, queue := range []bool{false, true} {
		if _, lacks := s.Lacks[Queueing]; queue && lacks {
			continue
		}
		if _, err := s.host.Merge(s.ctx, r.Number, host.Merge{Head: r.Head, Title: "Merge csv", Queue: queue}); !errors.Is(err, host.ErrMoved) {
			s.Errorf("a head that moved: %v", err)
		}
	}
	s.same("base", s.Tip(s.T, Base), before)
	s.same("merged", s.find(r.Branch).Merged, false)
}

// testMergeRefuses: a merge that main's protection forbids is refused.
func testMergeRefuses(s *suite) {
	s.needs(Merging)
	s.needs(Protecting)
	r := s.open("csv")
	s.Protect(s.T, Base)
	before := s.Tip(s.T, Base)
	_, err := s.as(Ada).Merge(s.ctx, r.Number, host.Merge{Head: r.Head, Title: "Merge csv"})
	s.denied("a merge without approval", err)
	_, err = s.host.Merge(s.ctx, r.Number+1000, host.Merge{Head: r.Head, Title: "Merge csv"})
	s.denied("a request that is not there", err)
	s.same("base", s.Tip(s.T, Base), before)
}

// testQueue: a queued merge waits until it is cancelled.
func testQueue(s *suite) {
	s.needs(Queueing)
	s.needs(Protecting)
	r := s.open("csv")
	s.Protect(s.T, Base)
	before := s.Tip(s.T, Base)
	for range 2 {
		for range 2 {
			queued, err := s.host.Merge(s.ctx, r.Number, host.Merge{Head: r.Head, Title: "Merge csv", Queue: true})
			s.ok(err)
			s.same("queued", queued, true)
		}
		for _, want := range []bool{true, false} {
			is, err := s.host.Queued(s.ctx, r.Number)
			s.ok(err)
			s.same("is queued", is, want)
			was, err := s.host.Unqueue(s.ctx, r.Number)
			s.ok(err)
			s.same("was queued", was, want)
		}
	}
	s.same("base", s.Tip(s.T, Base), before)
}
