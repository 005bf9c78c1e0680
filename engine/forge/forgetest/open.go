package forgetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
)

func testOpen(s *suite) {
	req := s.opening("fresh")
	req.Behind = []forge.Actor{{Name: "jochi", Login: "Jochi"}, {}}
	p, err := s.kublai.Forge.Open(s.ctx, req)
	s.ok(err)
	s.same("the opened pull request", p, forge.Pull{
		ID: req.ID, Title: req.Title, Body: req.Body, Branch: req.Branch, Base: "main", Head: req.Head,
		Author: s.kublai.Actor, State: forge.Open, Number: p.Number, URL: p.URL, Opened: p.Opened, Updated: p.Updated,
	})
	if p.Opened.IsZero() || p.Updated.Before(p.Opened) {
		s.Errorf("opened %s, updated %s", p.Opened, p.Updated)
	}
	s.same("what Get says", s.get(req.ID), p)
	s.same("the branch", s.Tip(s.T, req.Branch), req.Head)
	opened := s.activity(req.ID)
	s.same("pushes", pushes(opened), []push{{s.kublai.Actor, tree.Hash{}, req.Head, false}})
	s.same("who pushed it before", opened.Pushes[0].Behind, req.Behind)
	s.same("where the content came from", string(opened.Pushes[0].Provenance), string(req.Provenance))
}

// push holds the facts of a push that every forge reports.
type push struct {
	By       forge.Actor
	Old, New tree.Hash
	Engine   bool
}

func pushes(a forge.Activity) []push {
	var out []push
	for _, p := range a.Pushes {
		out = append(out, push{p.By, p.Old, p.New, p.Engine})
	}
	return out
}

func testOpenAgain(s *suite) {
	req := s.opening("twice")
	first, err := s.kublai.Forge.Open(s.ctx, req)
	s.ok(err)
	later := req
	later.Title, later.At = "Another title", s.now()
	again, err := s.kublai.Forge.Open(s.ctx, later)
	s.ok(err)
	s.same("opened again", again, first)
	other := req
	other.Head = s.commit(req.Head, "skills/other.md", "other")
	_, err = s.kublai.Forge.Open(s.ctx, other)
	s.refused("another head", err, forge.ErrExists)
	s.same("the branch", s.Tip(s.T, req.Branch), req.Head)

	moved, err := s.kublai.Forge.Push(s.ctx, req.ID, s.push(first, other.Head))
	s.ok(err)
	again, err = s.kublai.Forge.Open(s.ctx, req)
	s.ok(err)
	s.same("opened again after a push", again, moved)
	s.ok(s.kublai.Forge.Close(s.ctx, req.ID, s.closing("withdrawn")))
	again, err = s.kublai.Forge.Open(s.ctx, req)
	s.ok(err)
	s.same("opened again after closing", again.State, forge.Closed)
}

func testOpenRefuses(s *suite) {
	good := s.opening("good")
	taken := s.opening("taken")
	s.Move(s.T, taken.Branch, s.commit(s.main(), "skills/x.md", "somebody else's"))
	_, err := s.kublai.Forge.Open(s.ctx, taken)
	s.stale("a branch of that name is elsewhere", err, taken.Head, s.Tip(s.T, taken.Branch))

	for name, change := range map[string]func(*forge.Opening){
		"no id":              func(o *forge.Opening) { o.ID = "" },
		"a path as id":       func(o *forge.Opening) { o.ID = "../heads/main" },
		"a folder in the id": func(o *forge.Opening) { o.ID = "a/" + o.ID },
		"a line in the id":   func(o *forge.Opening) { o.ID = "a\n" + o.ID },
		"a lock as id":       func(o *forge.Opening) { o.ID += ".lock" },
		"an option as id":    func(o *forge.Opening) { o.ID = "-" + o.ID },
		"the base as branch": func(o *forge.Opening) { o.Branch = o.Base },
		"another's branch":   func(o *forge.Opening) { o.Branch = taken.Branch },
		"an odd base":        func(o *forge.Opening) { o.Base = "ma in" },
		"no base":            func(o *forge.Opening) { o.Base = "" },
		"no title":           func(o *forge.Opening) { o.Title = " \n\x00\u200b" },
		"no head":            func(o *forge.Opening) { o.Head = tree.Hash{} },
		"no time":            func(o *forge.Opening) { o.At = time.Time{} },
		"NUL in the body":    func(o *forge.Opening) { o.Body = "a\x00b" },
		"bad UTF-8":          func(o *forge.Opening) { o.Body = "a\xffb" },
		"a body too long":    func(o *forge.Opening) { o.Body = strings.Repeat("x", forge.MaxText+1) },
	} {
		req := good
		change(&req)
		if req.ID != good.ID && req.ID != "" {
			req.Branch = forge.BranchPrefix + req.ID
		}
		_, err := s.kublai.Forge.Open(s.ctx, req)
		s.refused(name, err, forge.ErrRequest)
	}
	missing := good
	missing.Head = tree.BlobHash([]byte("no such commit"))
	if _, err := s.kublai.Forge.Open(s.ctx, missing); err == nil {
		s.Error("a head that does not exist: accepted")
	}
	all, err := s.kublai.Forge.List(s.ctx, forge.Filter{})
	s.ok(err)
	s.same("nothing was opened", all, []forge.Pull(nil))
	s.same("no branch either", s.Tip(s.T, good.Branch), tree.Hash{})
}

func testHostileTitles(s *suite) {
	for i, title := range []string{
		"'; rm -rf / #", "$(id)`id`", "a\nAssent-Proposal: other\n\nb", "\x1b]0;owned\x07red\x1b[31m", "::set-output name=x::y",
		"<script>alert(1)</script>", "café 日本語 🏳️‍🌈", "abc\u202etxt.exe", strings.Repeat("long ", 200), "closes #1, @everyone", "--title", "${{ github.token }}",
	} {
		req := s.opening(fmt.Sprintf("title-%d", i))
		req.Title = title
		p, err := s.kublai.Forge.Open(s.ctx, req)
		s.ok(err)
		s.same("the title", p.Title, forge.CleanTitle(title))
		s.same("the head", p.Head, req.Head)
		m := s.merge(p)
		m.Title = title
		commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
		s.ok(err)
		c, err := s.Repo.Commit(commit)
		s.ok(err)
		s.same("the merge's subject", c.Subject(), forge.CleanTitle(title))
		s.same("its trailer", c.Trailer("Assent-Proposal"), p.ID)
	}
}

func testNotFound(s *suite) {
	p := s.open("there")
	head := p.Head
	for _, id := range []string{"not-there-00000000", "", "x", "../pulls/" + p.ID, p.ID + "/", "HEAD", "a\nb", "\xff", strings.Repeat("a", 5000), p.ID + ".lock"} {
		missing := p
		missing.ID = id
		for what, err := range s.everything(missing, head) {
			s.refused(fmt.Sprintf("%s %.30q", what, id), err, forge.ErrNotFound)
		}
	}
	s.same("the one that is there", s.get(p.ID), p)
}

// everything calls each method that takes an id.
func (s *suite) everything(p forge.Pull, to tree.Hash) map[string]error {
	out := s.changes(p, to)
	f := s.kublai.Forge
	_, out["get"] = f.Get(s.ctx, p.ID)
	_, out["activity"] = f.Activity(s.ctx, p.ID)
	_, out["reopen"] = f.Reopen(s.ctx, p.ID, s.kublai.Actor, s.now())
	out["comment"] = f.Comment(s.ctx, p.ID, forge.Comment{By: s.kublai.Actor, Body: "hello", At: s.now()})
	_, out["merge"] = f.Merge(s.ctx, p.ID, s.merge(forge.Pull{ID: "not-there-00000000", Head: p.Head}))
	return out
}

// changes calls each method that requires an open pull request, except Merge.
func (s *suite) changes(p forge.Pull, to tree.Hash) map[string]error {
	out := map[string]error{}
	jochi := s.Person(s.T, "jochi")
	_, out["push"] = s.kublai.Forge.Push(s.ctx, p.ID, s.push(p, to))
	out["review"] = jochi.Forge.Review(s.ctx, p.ID, jochi.Review("any-00000000", p.Head, "approve", ""))
	if forge.IsID(p.ID) {
		out["review"] = jochi.Forge.Review(s.ctx, p.ID, jochi.Review(p.ID, p.Head, "approve", ""))
	}
	out["status"] = s.kublai.Forge.Status(s.ctx, p.ID, s.status(p.Head, true, "fine"))
	out["close"] = s.kublai.Forge.Close(s.ctx, p.ID, s.closing("expired"))
	return out
}

func testList(s *suite) {
	f := s.kublai.Forge
	jochi := s.Person(s.T, "jochi")
	empty, err := f.List(s.ctx, forge.Filter{})
	s.ok(err)
	s.same("an empty forge", empty, []forge.Pull(nil))

	var want []string // newest first
	const many = 35   // more than a page of a hosted forge
	for i := range many {
		req := s.opening(fmt.Sprintf("n%02d", i))
		if i == 3 {
			req.Author = jochi.Actor
			_, err = jochi.Forge.Open(s.ctx, req)
		} else {
			_, err = f.Open(s.ctx, req)
		}
		s.ok(err)
		want = append([]string{req.ID}, want...)
	}
	at := func(i int) string { return want[many-1-i] }
	s.ok(f.Close(s.ctx, at(1), s.closing("withdrawn")))
	_, err = f.Merge(s.ctx, at(2), s.merge(s.get(at(2))))
	s.ok(err)
	s.ok(f.Comment(s.ctx, at(1), forge.Comment{By: s.kublai.Actor, Body: "after closing", At: s.now()}))
	s.ok(f.Comment(s.ctx, at(2), forge.Comment{By: s.kublai.Actor, Body: "after merging", At: s.now()}))

	s.same("all", s.ids(forge.Filter{}), want)
	s.same("closed", s.ids(forge.Filter{State: forge.Closed}), []string{at(1)})
	s.same("merged", s.ids(forge.Filter{State: forge.Merged}), []string{at(2)})
	s.same("jochi's", s.ids(forge.Filter{Author: jochi.Actor.String()}), []string{at(3)})
	s.same("nobody's", s.ids(forge.Filter{Author: "nobody-at-all"}), []string(nil))
	s.same("jochi's closed ones", s.ids(forge.Filter{State: forge.Closed, Author: jochi.Actor.String()}), []string(nil))
	var open []string
	for _, id := range want {
		if id != at(1) && id != at(2) {
			open = append(open, id)
		}
	}
	s.same("open", s.ids(forge.Filter{State: forge.Open}), open)
	_, err = f.Reopen(s.ctx, at(1), s.kublai.Actor, s.now())
	s.ok(err)
	s.same("closed, after reopening", s.ids(forge.Filter{State: forge.Closed}), []string(nil))

	listed, err := f.List(s.ctx, forge.Filter{Author: jochi.Actor.String()})
	s.ok(err)
	shown := s.get(at(3))
	shown.Body = ""
	if diff := cmp.Diff(shown, listed[0]); diff != "" {
		s.Errorf("List and Get differ in more than the body\n%s", diff)
	}
}

func (s *suite) ids(filter forge.Filter) []string {
	s.Helper()
	pulls, err := s.kublai.Forge.List(s.ctx, filter)
	s.ok(err)
	var out []string
	for _, p := range pulls {
		out = append(out, p.ID)
	}
	return out
}
