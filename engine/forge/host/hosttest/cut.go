package hosttest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/forge/host"
)

// writing is one method that changes something, with its caller and its requirements.
type writing struct {
	name  string
	who   string
	needs Feature
	// begin creates the pull request that do works on.
	begin func() host.Request
	do    func(context.Context, host.Host, host.Request) error
}

func (s *suite) writings() []writing {
	fresh := func() host.Request { return s.open("cut") }
	branch := func() host.Request {
		name, head := s.branch("cut")
		return host.Request{Branch: name, Head: head}
	}
	return []writing{
		{"Create", Engine, Duplicates, branch, func(ctx context.Context, h host.Host, r host.Request) error {
			_, err := h.Create(ctx, host.New{Branch: r.Branch, Base: Base, Title: "Cut", Body: "Why"})
			return err
		}},
		{"Describe", Engine, "", fresh, func(ctx context.Context, h host.Host, r host.Request) error {
			return h.Describe(ctx, r.Number, "Described", "again")
		}},
		{"Close", Engine, "", fresh, func(ctx context.Context, h host.Host, r host.Request) error {
			return h.SetOpen(ctx, r.Number, false)
		}},
		{"Reopen", Engine, "", func() host.Request {
			r := s.open("cut")
			s.SetOpen(s.T, Engine, r.Number, false)
			return r
		}, func(ctx context.Context, h host.Host, r host.Request) error { return h.SetOpen(ctx, r.Number, true) }},
		{"MarkMerged", Engine, "", func() host.Request {
			r := s.open("cut")
			r.Merge = s.merge(r)
			return r
		}, func(ctx context.Context, h host.Host, r host.Request) error {
			return h.MarkMerged(ctx, r.Number, r.Merge)
		}},
		{"Merge", Engine, Merging, fresh, func(ctx context.Context, h host.Host, r host.Request) error {
			_, err := h.Merge(ctx, r.Number, host.Merge{Head: r.Head, Title: "Cut"})
			return err
		}},
		{"Review", Ada, Decisions, fresh, func(ctx context.Context, h host.Host, r host.Request) error {
			return h.Review(ctx, r.Number, host.Review{Decision: requestChanges, Body: "Cut", Head: r.Head})
		}},
		{"AskReviewers", Engine, Asking, fresh, func(ctx context.Context, h host.Host, r host.Request) error {
			return h.AskReviewers(ctx, r.Number, []string{s.Login(Ada), s.Login(Bob)})
		}},
		{"Comment", Engine, "", fresh, func(ctx context.Context, h host.Host, r host.Request) error {
			return h.Comment(ctx, r.Number, "report", "Cut")
		}},
		{"Label", Engine, "", fresh, func(ctx context.Context, h host.Host, r host.Request) error {
			return h.Label(ctx, r.Number, []string{"assent/cut", "assent/waiting"})
		}},
		{"Check", Engine, Checks, fresh, func(ctx context.Context, h host.Host, r host.Request) error {
			return h.Check(ctx, host.Check{Head: r.Head, State: "success", Summary: "Cut"})
		}},
	}
}

// testCut interrupts each write at each of its requests. The call itself recovers from a
// failed connection, and another call from a killed process.
func testCut(s *suite) {
	for _, w := range s.writings() {
		s.Run(w.name, func(t *testing.T) {
			c := *s
			c.T = t
			c.needs(w.needs)
			(&cutting{&c, w}).run()
		})
		s.serial += 1000
	}
}

// cutting interrupts one write.
type cutting struct {
	*suite
	w writing
}

func (s *cutting) run() {
	w := s.w
	plain := w.begin()
	p := &proxy{at: -1}
	s.ok(w.do(s.ctx, s.Connect(s.T, w.who, p, hasty), plain))
	want := s.view(plain)
	for at, method := range p.seen {
		faults := []fault{lost, dropped, hidden, twice, orphaned}
		if method == http.MethodGet { // it changed nothing
			faults = []fault{dropped}
		}
		for _, f := range faults {
			s.at(at, f, want)
		}
	}
	if len(p.seen) == 0 {
		s.Errorf("%s sent no request through the proxy", w.name)
	}
}

func (s *cutting) at(at int, f fault, want string) {
	s.Helper()
	w := s.w
	name := fmt.Sprintf("request %d: %s", at+1, f)
	r := w.begin()
	ctx, die := context.WithCancel(s.ctx)
	defer die()
	p := &proxy{at: at, what: f, die: die}
	err := w.do(ctx, s.Connect(s.T, w.who, p, hasty), r)
	switch died := f == orphaned && len(p.seen) > at; {
	case died != (err != nil):
		s.Errorf("%s: %v", name, err)
	case died && !errors.Is(err, context.Canceled):
		s.Errorf("%s: %v; want the context's error", name, err)
	}
	s.ok(w.do(s.ctx, s.as(w.who), r))
	if diff := cmp.Diff(want, s.view(r)); diff != "" {
		s.Errorf("%s (-want +got)\n%s", name, diff)
	}
}

// view returns everything visible of a pull request, except what differs between any two.
func (s *cutting) view(of host.Request) string {
	s.Helper()
	if s.w.name == "MarkMerged" {
		s.merged(of, of.Merge)
	}
	all, err := s.host.List(s.ctx, of.Branch, false)
	s.ok(err)
	if len(all) == 0 {
		return "no request"
	}
	r := all[0]
	text := fmt.Sprintf("%q\n%q\nopen %v merged %v labels %q\nrequests %d\ncomments %q\nreviews %q\n",
		r.Title, r.Body, r.Open, r.Merged, r.Labels, len(all), s.comments(r.Number), s.counting(r.Number))
	if _, lacks := s.Lacks[Asking]; !lacks {
		asked := s.Asked(s.T, r.Number)
		slices.Sort(asked)
		text += fmt.Sprintf("asked %q\n", asked)
	}
	if states := s.shown(r); len(states) > 0 {
		text += "check " + states[len(states)-1] + "\n"
	}
	for _, h := range []string{of.Head.String(), of.Head.Short(), of.Merge.String()} {
		text = strings.ReplaceAll(text, h, "COMMIT")
	}
	return text
}

func (s *suite) shown(r host.Request) []string {
	if _, lacks := s.Lacks[Checks]; lacks {
		return nil
	}
	return s.Checks(s.T, r.Head)
}

// testBusy: a busy service is asked again no earlier than it permits.
func testBusy(s *suite) {
	r := s.open("csv")
	n := &naps{}
	turned := map[string]bool{}
	h := s.Connect(s.T, Engine, through(func(req *http.Request) (*http.Response, error) {
		if id := req.Method + req.URL.Path; !turned[id] {
			turned[id] = true
			return answer(req, http.StatusTooManyRequests, http.Header{"Retry-After": {"7"}, "Content-Type": {"application/json"}}, `{"message":"too many requests"}`), nil
		}
		return http.DefaultTransport.RoundTrip(req)
	}), n.sleep)
	s.ok(h.Comment(s.ctx, r.Number, "report", "text"))
	s.same("comments", s.comments(r.Number), []string{remark(s.Login(Engine), "report", "text")})
	if len(n.asked) == 0 || len(n.asked) != len(turned) {
		s.Errorf("%d requests were turned away, and it waited %v", len(turned), n.asked)
	}
	for _, d := range n.asked {
		if d.Seconds() < 7 {
			s.Errorf("waited %s; the service asked for 7 s", d)
		}
	}
}

// testGlance: an impatient Host reports at once that the service is away, busy or silent.
func testGlance(s *suite) {
	r := s.open("csv")
	for _, status := range []int{http.StatusBadGateway, http.StatusTooManyRequests} {
		n := &naps{}
		asked := 0
		h := s.Connect(s.T, Engine, through(func(req *http.Request) (*http.Response, error) {
			asked++
			return answer(req, status, http.Header{"Retry-After": {"7"}, "Content-Type": {"application/json"}}, `{"message":"not now"}`), nil
		}), n.sleep)
		if _, err := h.Impatient().Find(s.ctx, r.Branch, r.Base); err == nil || asked != 1 || len(n.asked) > 0 {
			s.Errorf("answers of %d: %v, asked %d times, waited %v", status, err, asked, n.asked)
		}
	}
	bounded := false
	h := s.Connect(s.T, Engine, through(func(req *http.Request) (*http.Response, error) {
		end, ok := req.Context().Deadline()
		bounded = ok && time.Until(end) <= host.Patience
		return nil, errors.New("it says nothing")
	}), (&naps{}).sleep)
	if _, err := h.Impatient().Find(s.ctx, r.Branch, r.Base); err == nil || !bounded {
		s.Errorf("silence: %v, bounded %v", err, bounded)
	}
}
