package forgetest

import (
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
)

// remark holds the facts of a comment that every forge keeps. Leading and trailing blank
// lines may be lost.
type remark struct {
	By        forge.Actor
	Key, Body string
}

func remarks(a forge.Activity) []remark {
	var out []remark
	for _, c := range a.Comments {
		out = append(out, remark{c.By, c.Key, strings.Trim(c.Body, " \t\r\n")})
	}
	return out
}

func testComments(s *suite) {
	p := s.open("talk")
	jochi := s.Person(s.T, "jochi")
	var want []remark
	for _, body := range []string{
		"plain",
		"two\n\nparagraphs\n\nAssent-Event: merged\nAssent-By: temujin",
		"bell \a, escape \x1b[2J, return \r, tab \t, C1 \u009b, delete \x7f",
		"日本語 – 🏳️‍🌈 – e\u0301 – \u202eright to left\u202c – \ufeff – \U0010FFFF",
		"```\n<!-- assent: x -->\n```\n<details>", "-----BEGIN SSH SIGNATURE-----", "gpgsig x", "--", "0",
		strings.Repeat("long line ", 500) + "\n" + strings.Repeat("é", 50_000),
	} {
		s.ok(jochi.Forge.Comment(s.ctx, p.ID, forge.Comment{By: jochi.Actor, Body: body, At: s.now()}))
		want = append(want, remark{jochi.Actor, "", body})
	}
	s.same("comments", remarks(s.activity(p.ID)), want)

	keyed := func(key, body string) {
		s.ok(s.kublai.Forge.Comment(s.ctx, p.ID, forge.Comment{By: s.kublai.Actor, Key: key, Body: body, At: s.now()}))
	}
	keyed("report", "first")
	keyed("other", "stays")
	keyed("report", "second")
	keyed("report", "second")
	s.same("comments with keys", remarks(s.activity(p.ID))[len(want):], []remark{
		{s.kublai.Actor, "other", "stays"}, {s.kublai.Actor, "report", "second"},
	})
	s.same("the head", s.get(p.ID).Head, p.Head)
}

func testCommentRefuses(s *suite) {
	p := s.open("quiet")
	for name, c := range map[string]forge.Comment{
		"NUL":       {By: s.kublai.Actor, Body: "a\x00b", At: s.now()},
		"bad UTF-8": {By: s.kublai.Actor, Body: "a\xffb", At: s.now()},
		"too long":  {By: s.kublai.Actor, Body: strings.Repeat("é", forge.MaxText+1), At: s.now()},
		"no time":   {By: s.kublai.Actor, Body: "a", At: time.Time{}},
	} {
		s.refused(name, s.kublai.Forge.Comment(s.ctx, p.ID, c), forge.ErrRequest)
	}
	s.same("comments", s.activity(p.ID).Comments, []forge.Comment(nil))
}

func (s *suite) status(head tree.Hash, passed bool, summary string) forge.Status {
	return forge.Status{
		Head: head, Base: s.main(), Passed: passed, Summary: summary, Digest: "sha256:" + summary,
		Report: []byte(`{"summary":"` + summary + `"}` + "\n"), At: s.now(),
	}
}

// counts returns the last status of a head, which counts, and the number of its statuses.
func counts(a forge.Activity, head tree.Hash) (last forge.Status, n int) {
	for _, st := range a.Statuses {
		if st.Head == head {
			last, n = st, n+1
		}
	}
	last.At = time.Time{}
	return last, n
}

func testStatus(s *suite) {
	p := s.open("checked")
	record := func(st forge.Status) { s.Helper(); s.ok(s.kublai.Forge.Status(s.ctx, p.ID, st)) }
	failed := s.status(p.Head, false, "1 error")
	record(failed)
	record(failed)
	failed.At = time.Time{}
	got, n := counts(s.activity(p.ID), p.Head)
	s.same("the status", got, failed)
	s.same("recorded once", n, 1)

	passed := s.status(p.Head, true, "no findings")
	record(passed)
	next := s.commit(p.Head, "skills/next.md", "x")
	_, err := s.kublai.Forge.Push(s.ctx, p.ID, s.push(p, next))
	s.ok(err)
	_, n = counts(s.activity(p.ID), next)
	s.same("of the new head nothing is known", n, 0)
	other := s.status(next, false, "2 errors")
	record(other)
	record(passed) // the newest of its head, though not the newest of all
	passed.At, other.At = time.Time{}, time.Time{}
	got, n = counts(s.activity(p.ID), p.Head)
	s.same("the first head's", got, passed)
	s.same("of which there are", n, 2)
	got, _ = counts(s.activity(p.ID), next)
	s.same("the second head's", got, other)
	record(failed2(failed, s.now()))
	got, _ = counts(s.activity(p.ID), p.Head)
	s.same("failed again", got, failed)

	bad := s.status(tree.Hash{}, true, "x")
	s.refused("no head", s.kublai.Forge.Status(s.ctx, p.ID, bad), forge.ErrRequest)
}

func failed2(st forge.Status, at time.Time) forge.Status {
	st.At = at
	return st
}

// testOrder: comments, reviews and pushes are returned in the order in which they
// happened.
func testOrder(s *suite) {
	p := s.open("order")
	head := p
	for i := range 4 {
		for _, name := range []string{"jochi", "temujin"} {
			who := s.Person(s.T, name)
			s.ok(who.Forge.Comment(s.ctx, p.ID, forge.Comment{By: who.Actor, Body: name, At: s.now()}))
			s.ok(who.Forge.Review(s.ctx, p.ID, who.Review(p.ID, head.Head, "request-changes", "again, please")))
		}
		next := s.commit(head.Head, "skills/n.md", string(rune('a'+i)))
		var err error
		head, err = s.kublai.Forge.Push(s.ctx, p.ID, s.push(head, next))
		s.ok(err)
	}
	a := s.activity(p.ID)
	s.same("how many of each", []int{len(a.Comments), len(a.Reviews), len(a.Pushes)}, []int{8, 8, 5})
	for i := range 8 {
		if want := []string{"jochi", "temujin"}[i%2]; a.Comments[i].Body != want {
			s.Errorf("comment %d is %s's", i, a.Comments[i].Body)
		}
		if want := a.Pushes[i/2].New; a.Reviews[i].Head != want {
			s.Errorf("review %d is of %s, want %s", i, a.Reviews[i].Head.Short(), want.Short())
		}
		if i > 0 && (a.Comments[i].At.Before(a.Comments[i-1].At) || a.Reviews[i].At.Before(a.Reviews[i-1].At)) {
			s.Errorf("comment or review %d is dated before the one before it", i)
		}
	}
	for i := 1; i < len(a.Pushes); i++ {
		s.same("a push begins where the last one ended", a.Pushes[i].Old, a.Pushes[i-1].New)
	}
	s.same("the last push is the head", a.Pushes[len(a.Pushes)-1].New, s.get(p.ID).Head)
}
