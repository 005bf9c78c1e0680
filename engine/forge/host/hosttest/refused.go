package hosttest

import (
	"net/http"
	"time"

	"github.com/assent-dev/assent/engine/forge/host"
)

// call is one method with arguments that fit a pull request.
type call struct {
	name string
	do   func(h host.Host, r host.Request) error
}

// calls returns all methods except Name and those that are never refused.
func (s *suite) calls() []call {
	merge := s.Tip(s.T, Base)
	return []call{
		{"Login", func(h host.Host, _ host.Request) error { _, err := h.Login(s.ctx); return err }},
		{"Find", func(h host.Host, r host.Request) error { _, err := h.Find(s.ctx, r.Branch, r.Base); return err }},
		{"From", func(h host.Host, r host.Request) error { _, err := h.From(s.ctx, r.Branch, time.Time{}); return err }},
		{"List", func(h host.Host, _ host.Request) error { _, err := h.List(s.ctx, "proposal/", false); return err }},
		{"Create", func(h host.Host, r host.Request) error {
			_, err := h.Create(s.ctx, host.New{Branch: r.Branch, Base: Base, Title: "x"})
			return err
		}},
		{"Describe", func(h host.Host, r host.Request) error { return h.Describe(s.ctx, r.Number, "Other", "text") }},
		{"SetOpen", func(h host.Host, r host.Request) error { return h.SetOpen(s.ctx, r.Number, false) }},
		{"MarkMerged", func(h host.Host, r host.Request) error { return h.MarkMerged(s.ctx, r.Number, merge) }},
		{"Reviews", func(h host.Host, r host.Request) error { _, err := h.Reviews(s.ctx, r.Number); return err }},
		{"Review", func(h host.Host, r host.Request) error {
			return h.Review(s.ctx, r.Number, host.Review{Decision: approve, Head: r.Head})
		}},
		{"AskReviewers", func(h host.Host, r host.Request) error {
			return h.AskReviewers(s.ctx, r.Number, []string{s.Login(Ada)})
		}},
		{"Comments", func(h host.Host, r host.Request) error { _, err := h.Comments(s.ctx, r.Number); return err }},
		{"Comment", func(h host.Host, r host.Request) error { return h.Comment(s.ctx, r.Number, "report", "text") }},
		{"Label", func(h host.Host, r host.Request) error {
			return h.Label(s.ctx, r.Number, []string{"assent/waiting"})
		}},
		{"Check", func(h host.Host, r host.Request) error {
			return h.Check(s.ctx, host.Check{Head: r.Head, State: "success", Summary: "passed"})
		}},
	}
}

func testRevoked(s *suite) {
	s.needs(Revocation)
	r := s.open("csv")
	h := s.host
	s.Revoke(s.T, Engine)
	for _, c := range s.calls() {
		s.advised(c.name, c.do(h, r), http.StatusUnauthorized, "token")
	}
}

// testNarrow: with an insufficient token, each call names the missing scope.
func testNarrow(s *suite) {
	s.needs(Scopes)
	r := s.open("csv")
	narrow := s.Narrow(s.T)
	for _, c := range s.calls() {
		switch c.name {
		case "Find", "From", "List", "Reviews": // readable with that token
		case "Create": // it exists
		default:
			s.advised(c.name, c.do(narrow, r), http.StatusForbidden, "scope")
		}
	}
	s.same("the request", plain(s.find(r.Branch)), plain(r))
}

func testElsewhere(s *suite) {
	r := s.open("csv")
	h := s.Elsewhere(s.T)
	for _, c := range s.calls() {
		if c.name != "Login" {
			s.advised(c.name, c.do(h, r), http.StatusNotFound)
		}
	}
}

// testStranger: an account without rights changes nothing.
func testStranger(s *suite) {
	s.needs(Rights)
	r := s.open("csv")
	h := s.as(Stranger)
	for _, c := range s.calls() {
		switch c.name {
		case "Describe", "SetOpen", "MarkMerged", "AskReviewers", "Label", "Check":
			s.denied(c.name, c.do(h, r))
		}
	}
	s.same("the request", plain(s.find(r.Branch)), plain(r))
}
