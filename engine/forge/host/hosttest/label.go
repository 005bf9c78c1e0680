package hosttest

import (
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/forge/host"
)

func testLabel(s *suite) {
	r := s.open("csv")
	s.Tag(s.T, r.Number, "bug")
	label := func(labels ...string) []string {
		s.Helper()
		s.ok(s.host.Label(s.ctx, r.Number, labels))
		got := slices.Clone(s.find(r.Branch).Labels)
		slices.Sort(got)
		return got
	}
	s.same("two", label("assent/risk-high", "assent/waiting"), []string{"assent/risk-high", "assent/waiting", "bug"})
	s.same("writes of what is so", s.writes(func(h host.Host) {
		s.ok(h.Label(s.ctx, r.Number, []string{"assent/waiting", "assent/risk-high"}))
	}), 0)
	s.same("another", label("assent/risk-high", "assent/approved"), []string{"assent/approved", "assent/risk-high", "bug"})
	s.same("none", label(), []string{"bug"})

	other := s.open("other")
	s.ok(s.as(Ada).Label(s.ctx, other.Number, []string{"assent/risk-high"}))
	s.same("by another account", s.find(other.Branch).Labels, []string{"assent/risk-high"})
	s.denied("what is not there", s.host.Label(s.ctx, other.Number+1000, []string{"assent/risk-high"}))
}

func testCheck(s *suite) {
	s.needs(Checks)
	r := s.open("csv")
	c := host.Check{Head: r.Head, State: "pending", Summary: "is being read", URL: r.URL}
	check := func(state, summary string) {
		s.Helper()
		c.State, c.Summary = state, summary
		c.Notes = []host.Note{{Path: "skills/csv-1.md", Line: 1, Level: "error", Title: "scan/pipe", Detail: "downloads"}, {Path: "SOUL.md", Level: "note"}}
		s.ok(s.host.Check(s.ctx, c))
	}
	last := func() string {
		states := s.Checks(s.T, r.Head)
		if len(states) == 0 {
			return ""
		}
		return states[len(states)-1]
	}
	for _, state := range []string{"pending", "failure", "pending", "success"} {
		check(state, "one `line` that is "+state+": 日本語")
		s.same("the state", last(), state)
	}
	number := len(s.Checks(s.T, r.Head))
	check(c.State, c.Summary)
	s.same("published again", len(s.Checks(s.T, r.Head)), number)
	named := c
	named.Name, named.State, named.Summary = "spelling", "failure", "look failed"
	s.ok(s.host.Check(s.ctx, named))
	s.same("validation beside a required check", last(), c.State)
	s.same("the validation's states", len(s.Checks(s.T, r.Head)), number)
	c.Head = s.Commit(s.T, "nowhere.md", "never pushed", r.Head)
	c.Head[0] ^= 0xff
	s.denied("a commit that is not there", s.host.Check(s.ctx, c))
}

func testProtection(s *suite) {
	s.needs(Protecting)
	before, err := s.host.Protection(s.ctx, Base)
	s.ok(err)
	s.same("protected", before.Protected, false)
	s.Protect(s.T, Base)
	p, err := s.host.Protection(s.ctx, Base)
	s.ok(err)
	s.same("protected", p.Protected, true)
	s.same("who may push", p.Push, []string{s.Login(Engine)})
	s.same("everybody", p.PushAll, false)
	s.same("checks", p.Checks, []string{host.CheckName})
	s.same("approvals", p.Approvals, 1)
	s.same("rewriting and removing", []bool{p.ForcePush, p.Delete}, []bool{false, false})
	other, err := s.host.Protection(s.ctx, "other")
	s.ok(err)
	s.same("another branch", other.Protected, false)
	if _, lacks := s.Lacks[Rights]; !lacks {
		if _, err := s.as(Ada).Protection(s.ctx, Base); !errors.Is(err, host.ErrUnknown) {
			s.Errorf("who may not ask: %v; want ErrUnknown", err)
		}
	}
}
