package forgetest

import (
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
)

func testReviews(s *suite) {
	p := s.open("reviewed")
	jochi, temujin := s.Person(s.T, "jochi"), s.Person(s.T, "temujin")
	var want []forge.Review
	file := func(who Person, head tree.Hash, d review.Decision, reason string) {
		s.Helper()
		r := who.Review(p.ID, head, d, reason)
		s.ok(who.Forge.Review(s.ctx, p.ID, r))
		if s.Signs {
			s.ok(who.Forge.Review(s.ctx, p.ID, r)) // a repetition
		}
		want = append(want, r)
	}
	file(jochi, p.Head, review.RequestChanges, "say what a delimiter is –\nplease")
	file(temujin, p.Head, review.Approve, "")
	next := s.commit(p.Head, "skills/next.md", "x")
	_, err := s.kublai.Forge.Push(s.ctx, p.ID, s.push(p, next))
	s.ok(err)
	file(jochi, next, review.Approve, "better")
	file(temujin, next, review.Reject, "not needed")

	got := s.activity(p.ID).Reviews
	if len(got) != len(want) {
		s.Fatalf("%d reviews, want %d", len(got), len(want))
	}
	for i := range got {
		got[i].At, want[i].At = time.Time{}, time.Time{}
		if got[i].Effective == "" { // a hosted forge knows only commits
			want[i].Effective = ""
		}
	}
	s.same("reviews", got, want)
	s.same("a review closes nothing", s.get(p.ID).State, forge.Open)
}

func testReviewRefuses(s *suite) {
	p := s.open("stale")
	jochi := s.Person(s.T, "jochi")
	next := s.commit(p.Head, "skills/next.md", "x")
	s.stale("a head that is not there yet", jochi.Forge.Review(s.ctx, p.ID, jochi.Review(p.ID, next, review.Approve, "")), next, p.Head)
	_, err := s.kublai.Forge.Push(s.ctx, p.ID, s.push(p, next))
	s.ok(err)
	s.stale("a head that moved", jochi.Forge.Review(s.ctx, p.ID, jochi.Review(p.ID, p.Head, review.Approve, "")), p.Head, next)
	for name, change := range map[string]func(*forge.Review){
		"no head":     func(r *forge.Review) { r.Head = tree.Hash{} },
		"no time":     func(r *forge.Review) { r.At = time.Time{} },
		"no decision": func(r *forge.Review) { r.Decision = "" },
		"a new one":   func(r *forge.Review) { r.Decision = "lgtm" },
		"NUL":         func(r *forge.Review) { r.Reason = "\x00" },
	} {
		r := jochi.Review(p.ID, next, review.Approve, "")
		change(&r)
		s.refused(name, jochi.Forge.Review(s.ctx, p.ID, r), forge.ErrRequest)
	}
	s.same("reviews", s.activity(p.ID).Reviews, []forge.Review(nil))
}

// testUnsigned: a forge with signed reviews refuses a review that differs from what its
// author signed.
func testUnsigned(s *suite) {
	if !s.Signs {
		s.Skip("this forge vouches for the accounts that review")
	}
	p, other := s.open("signed"), s.open("other")
	jochi, temujin := s.Person(s.T, "jochi"), s.Person(s.T, "temujin")
	for name, r := range map[string]forge.Review{
		"no record":         changed(jochi, p, func(r *forge.Review) { r.Record = nil }),
		"no signature":      changed(jochi, p, func(r *forge.Review) { r.Signature = nil }),
		"broken":            changed(jochi, p, func(r *forge.Review) { r.Signature[len(r.Signature)/2] ^= 1 }),
		"edited":            changed(jochi, p, func(r *forge.Review) { r.Record[len(r.Record)-3] ^= 1 }),
		"another decision":  changed(jochi, p, func(r *forge.Review) { r.Decision = string(review.Reject) }),
		"another reason":    changed(jochi, p, func(r *forge.Review) { r.Reason = "never said" }),
		"another content":   changed(jochi, p, func(r *forge.Review) { r.Effective = "sha256:00" }),
		"another's name":    changed(jochi, p, func(r *forge.Review) { r.By = temujin.Actor }),
		"another's key":     changed(jochi, p, func(r *forge.Review) { r.By.Key = temujin.Actor.Key }),
		"another's record":  changed(jochi, p, func(r *forge.Review) { r.Record = changed(temujin, p, nil).Record }),
		"another proposal":  changed(jochi, other, func(r *forge.Review) { r.Head = p.Head }),
		"another head":      changed(jochi, forge.Pull{ID: p.ID, Head: other.Head}, func(r *forge.Review) { r.Head = p.Head }),
		"nothing but words": {By: jochi.Actor, Decision: string(review.Approve), Head: p.Head, At: s.now()},
	} {
		s.refused(name, jochi.Forge.Review(s.ctx, p.ID, r), forge.ErrUnsigned)
	}
	s.same("reviews", s.activity(p.ID).Reviews, []forge.Review(nil))
}

func changed(who Person, p forge.Pull, change func(*forge.Review)) forge.Review {
	r := who.Review(p.ID, p.Head, review.Approve, "fine")
	if change != nil {
		change(&r)
	}
	return r
}
