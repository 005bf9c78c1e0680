package hosttest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/forge/host"
)

func testLogin(s *suite) {
	s.same("name", s.host.Name(), s.Name)
	for _, who := range []string{Engine, Ada, Bob} {
		login, err := s.as(who).Login(s.ctx)
		s.ok(err)
		s.same("login", login, s.Login(who))
	}
}

func testCreate(s *suite) {
	branch, head := s.branch("csv")
	n := host.New{Branch: branch, Base: Base, Title: "Add CSV", Body: "Why: <b>it</b> is\n\n- needed\n"}
	r, err := s.host.Create(s.ctx, n)
	s.ok(err)
	if r.Number <= 0 || !strings.Contains(r.URL, fmt.Sprint(r.Number)) || r.Created.IsZero() || r.Updated.IsZero() {
		s.Errorf("number, address and times: %+v", r)
	}
	s.same("the request", plain(r), plain(host.Request{
		Branch: branch, Base: Base, Title: n.Title, Body: n.Body, Head: head, Author: s.Login(Engine), Open: true,
	}))
	s.same("found", plain(s.find(branch)), plain(r))

	if _, lacks := s.Lacks[Duplicates]; !lacks {
		again, err := s.as(Ada).Create(s.ctx, n)
		s.ok(err)
		s.same("created by another", again.Number, r.Number)
	}
	again, err := s.host.Create(s.ctx, n)
	s.ok(err)
	s.same("created again", again.Number, r.Number)
	all, err := s.host.List(s.ctx, "proposal/", false)
	s.ok(err)
	s.same("all", len(all), 1)
}

// plain leaves out the facts in which two answers about one request may differ.
func plain(r host.Request) string {
	return fmt.Sprintf("%s -> %s\n%q\n%q\n%s by %s %q open %v merged %v %s",
		r.Branch, r.Base, r.Title, strings.TrimSpace(r.Body), r.Head, r.Author, r.Labels, r.Open, r.Merged, r.Merge)
}

func testCreateRefuses(s *suite) {
	s.needs(Existence)
	_, err := s.host.Create(s.ctx, host.New{Branch: "proposal/nowhere-00000000", Base: Base, Title: "None"})
	s.denied("a branch that is not there", err)
	branch, _ := s.branch("csv")
	_, err = s.host.Create(s.ctx, host.New{Branch: branch, Base: "nowhere", Title: "None"})
	s.denied("a base that is not there", err)
}

func testFind(s *suite) {
	branch, _ := s.branch("csv")
	longer := branch + "-more"
	s.Push(s.T, Engine, longer, s.Tip(s.T, branch))
	for _, name := range []string{branch, longer, "proposal/nowhere-00000000"} {
		if r, err := s.host.Find(s.ctx, name, Base); !errors.Is(err, host.ErrNoRequest) {
			s.Errorf("%s: %+v, %v; want ErrNoRequest", name, r, err)
		}
	}
	first, err := s.host.Create(s.ctx, host.New{Branch: longer, Base: Base, Title: "Longer"})
	s.ok(err)
	if _, err := s.host.Find(s.ctx, branch, Base); !errors.Is(err, host.ErrNoRequest) {
		s.Errorf("the shorter name: %v; want ErrNoRequest", err)
	}
	s.ok(s.host.SetOpen(s.ctx, first.Number, false))
	s.same("the closed one", s.find(longer).Number, first.Number)
	second, err := s.host.Create(s.ctx, host.New{Branch: longer, Base: Base, Title: "Again"})
	s.ok(err)
	if second.Number == first.Number {
		s.Errorf("#%d is closed, and was the answer", first.Number)
	}
	s.same("the open one", s.find(longer).Number, second.Number)
	s.ok(s.host.SetOpen(s.ctx, second.Number, false))
	s.same("the newest closed one", s.find(longer).Number, second.Number)
}

// testFrom: a pull request from the same branch into another base does not change which
// one represents the branch.
func testFrom(s *suite) {
	first := s.open("csv")
	s.Push(s.T, Ada, "side", s.Tip(s.T, Base))
	beside, err := s.as(Ada).Create(s.ctx, host.New{Branch: first.Branch, Base: "side", Title: "Beside"})
	s.ok(err)
	if beside.Number == first.Number || beside.Base != "side" {
		s.Fatalf("%+v; want another one than #%d, into side", beside, first.Number)
	}
	s.open("other")
	from := func() (out []int) {
		s.Helper()
		all, err := s.host.From(s.ctx, first.Branch, first.Created.Add(-time.Hour))
		s.ok(err)
		for _, r := range all {
			out = append(out, r.Number)
		}
		return out
	}
	s.same("what stands", s.find(first.Branch).Number, first.Number)
	s.same("all", from(), []int{beside.Number, first.Number})
	s.ok(s.host.SetOpen(s.ctx, first.Number, false))
	s.same("the open one", s.find(first.Branch).Number, beside.Number)
	s.same("all, closed too", from(), []int{beside.Number, first.Number})
	again, err := s.host.Create(s.ctx, host.New{Branch: first.Branch, Base: Base, Title: "Again"})
	s.ok(err)
	s.same("what stands again", s.find(first.Branch).Number, again.Number)
	s.ok(s.as(Ada).SetOpen(s.ctx, beside.Number, false))
	s.ok(s.host.SetOpen(s.ctx, again.Number, false))
	s.same("the newest into the base", s.find(first.Branch).Number, again.Number)
	s.same("all three", from(), []int{again.Number, beside.Number, first.Number})
}

func testList(s *suite) {
	a, b, c := s.open("a"), s.open("b"), s.open("c")
	s.Push(s.T, Ada, "other", b.Head)
	_, err := s.as(Ada).Create(s.ctx, host.New{Branch: "other", Base: Base, Title: "Other"})
	s.ok(err)
	s.ok(s.host.SetOpen(s.ctx, b.Number, false))
	s.same("all", s.numbers("proposal/", false), []int{c.Number, b.Number, a.Number})
	s.same("open", s.numbers("proposal/", true), []int{c.Number, a.Number})
	s.same("one", s.numbers(b.Branch, false), []int{b.Number})
	s.same("none", s.numbers("nothing/", false), []int(nil))
}

func (s *suite) numbers(prefix string, onlyOpen bool) []int {
	s.Helper()
	list, err := s.host.List(s.ctx, prefix, onlyOpen)
	s.ok(err)
	var out []int
	for _, r := range list {
		out = append(out, r.Number)
	}
	return out
}

// testListLong: a list is read to its end.
func testListLong(s *suite) {
	head := s.Commit(s.T, "skills/long.md", "long", s.Tip(s.T, Base))
	var want []int
	for i := range s.Page + 2 {
		branch := fmt.Sprintf("proposal/long-%08d", i)
		s.Push(s.T, Engine, branch, head)
		r, err := s.host.Create(s.ctx, host.New{Branch: branch, Base: Base, Title: fmt.Sprint("Long ", i)})
		s.ok(err)
		want = append([]int{r.Number}, want...)
	}
	s.same("all", s.numbers("proposal/", true), want)
	s.same("the first", s.find("proposal/long-00000000").Number, want[len(want)-1])
}
