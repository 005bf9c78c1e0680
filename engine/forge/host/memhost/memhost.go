// Package memhost is a service in memory, for tests: the smallest host.Host that package
// hosttest accepts. Its user supplies the branches.
package memhost

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

// Server holds pull requests.
type Server struct {
	// Tip returns the tip of a branch, zero without one.
	Tip func(branch string) tree.Hash
	// Merging makes the commit of a merge and moves the base to it; nil refuses merges.
	Merging func(r host.Request, title string) (tree.Hash, error)
	// Waiting keeps queued merges waiting until Pass.
	Waiting bool
	// Fail, if not nil, is called before each write. The write returns its error.
	Fail func(call string) error

	mu       sync.Mutex
	requests []*request
	checks   []host.Check
	clock    time.Time
}

type request struct {
	host.Request
	reviews  []host.Review
	comments []host.Comment
	asked    []string
	queued   *host.Merge
}

// New returns an empty service.
func New(tip func(string) tree.Hash) *Server {
	return &Server{Tip: tip, clock: time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)}
}

// As returns the service as one account uses it.
func (s *Server) As(login string) host.Host { return account{s, login} }

// Checks returns the published outcomes, oldest first.
func (s *Server) Checks() []host.Check {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.checks)
}

type account struct {
	*Server
	login string
}

var _ host.Host = account{}

func (a account) Name() string                          { return "gitea" }
func (a account) Impatient() host.Host                  { return a }
func (a account) Login(context.Context) (string, error) { return a.login, nil }
func (s *Server) now() time.Time                        { s.clock = s.clock.Add(time.Second); return s.clock }
func denied(doing string, status int, said string) error {
	return &host.Denied{Doing: doing, Status: status, Said: said}
}
func newest(a, b *request) int { return cmp.Compare(b.Number, a.Number) }

func (s *Server) view(r *request) host.Request {
	out := r.Request
	if at := s.Tip(out.Branch); out.Open && !at.IsZero() {
		out.Head = at
	}
	out.Labels = slices.Clone(out.Labels)
	return out
}

// write begins a call that changes something.
func (s *Server) write(call string, number int) (*request, error) {
	if s.Fail != nil {
		if err := s.Fail(call); err != nil {
			return nil, err
		}
	}
	for _, r := range s.requests {
		if r.Number == number {
			r.Updated = s.now()
			return r, nil
		}
	}
	return nil, denied(call, 404, "no such pull request")
}

// List implements host.Host.
func (s *Server) List(_ context.Context, prefix string, onlyOpen bool) ([]host.Request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []host.Request
	for _, r := range slices.SortedFunc(slices.Values(s.requests), newest) {
		if strings.HasPrefix(r.Branch, prefix) && (r.Open || !onlyOpen) {
			out = append(out, s.view(r))
		}
	}
	return out, nil
}

func (a account) Find(ctx context.Context, branch, base string) (host.Request, error) {
	found, err := a.From(ctx, branch, time.Time{})
	if r, ok := host.Standing(found, base); ok {
		return r, err
	}
	return host.Request{}, host.ErrNoRequest
}

// From implements host.Host.
func (s *Server) From(ctx context.Context, branch string, _ time.Time) ([]host.Request, error) {
	all, err := s.List(ctx, branch, false)
	return slices.DeleteFunc(all, func(r host.Request) bool { return r.Branch != branch }), err
}

func (a account) Create(ctx context.Context, n host.New) (host.Request, error) {
	if r, err := a.Find(ctx, n.Branch, n.Base); err == nil && r.Open && r.Base == n.Base {
		return r, nil
	}
	return a.Beside(a.login, n)
}

// Beside opens a pull request even if there is one, as real services may do for
// simultaneous requests.
func (s *Server) Beside(login string, n host.New) (host.Request, error) {
	a := account{s, login}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Fail != nil {
		if err := a.Fail("create"); err != nil {
			return host.Request{}, err
		}
	}
	at := a.Tip(n.Branch)
	if at.IsZero() {
		return host.Request{}, denied("open a pull request", 422, "no such branch")
	}
	now := a.now()
	r := &request{Request: host.Request{Number: len(a.requests) + 1, URL: "http://service.invalid/pulls/" + n.Branch, Branch: n.Branch, Base: n.Base,
		Title: n.Title, Body: n.Body, Head: at, Author: a.login, Open: true, Created: now, Updated: now}}
	a.requests = append(a.requests, r)
	return a.view(r), nil
}

// Retarget changes the base, as people may on the page.
func (s *Server) Retarget(number int, base string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.write("retarget", number)
	if err == nil {
		r.Base = base
	}
	return err
}

func (a account) change(call string, number int, do func(*request) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, err := a.write(call, number)
	if err != nil {
		return err
	}
	return do(r)
}

func (a account) Describe(_ context.Context, number int, title, body string) error {
	return a.change("describe", number, func(r *request) error { r.Title, r.Body = title, body; return nil })
}

func (a account) SetOpen(_ context.Context, number int, open bool) error {
	return a.change("set open", number, func(r *request) error {
		switch {
		case r.Merged && open:
			return denied("reopen", 422, "it is merged")
		case open && a.Tip(r.Branch).IsZero():
			return denied("reopen", 422, "its branch is gone")
		case !open:
			r.Request = a.view(r)
		}
		r.Open = open
		return nil
	})
}

func (a account) MarkMerged(_ context.Context, number int, commit tree.Hash) error {
	return a.change("mark merged", number, func(r *request) error {
		r.Request = a.view(r)
		r.Open, r.Merged, r.Merge = false, true, commit
		return nil
	})
}

// Merge implements host.Host.
func (a account) Merge(_ context.Context, number int, m host.Merge) (queued bool, err error) {
	err = a.change("merge", number, func(r *request) error {
		switch {
		case r.Merged:
			return nil
		case !r.Open:
			return denied("merge", 405, "it is closed")
		case a.view(r).Head != m.Head:
			return host.ErrMoved
		case m.Queue && a.Waiting:
			r.queued, queued = &m, true
			return nil
		}
		return a.merge(r, m)
	})
	return queued, err
}

func (s *Server) merge(r *request, m host.Merge) error {
	if s.Merging == nil {
		return denied("merge", 405, "not allowed to merge")
	}
	seen := s.view(r)
	commit, err := s.Merging(seen, m.Title)
	if err != nil {
		return err
	}
	r.Request, r.queued = seen, nil
	r.Open, r.Merged, r.Merge = false, true, commit
	return nil
}

// Pass makes the queued merges, as when their checks succeed.
func (s *Server) Pass() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.queued != nil && r.Open {
			if err := s.merge(r, *r.queued); err != nil {
				return err
			}
		}
	}
	return nil
}

// Queued implements host.Host.
func (a account) Queued(_ context.Context, number int) (queued bool, err error) {
	err = a.read(number, func(r *request) { queued = r.queued != nil })
	return queued, err
}

// Unqueue implements host.Host.
func (a account) Unqueue(_ context.Context, number int) (was bool, err error) {
	err = a.change("unqueue", number, func(r *request) error {
		was, r.queued = r.queued != nil, nil
		return nil
	})
	return was, err
}

func (a account) read(number int, do func(*request)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.requests {
		if r.Number == number {
			do(r)
			return nil
		}
	}
	return denied("read", 404, "no such pull request")
}

func (a account) Reviews(_ context.Context, number int) (out []host.Review, err error) {
	err = a.read(number, func(r *request) { out = slices.Clone(r.reviews) })
	return out, err
}

func (a account) Review(_ context.Context, number int, v host.Review) error {
	return a.change("review", number, func(r *request) error {
		if r.Author == a.login && v.Decision == "approve" {
			return denied("approve", 422, "approve your own pull request is not allowed")
		}
		v.Login, v.At = a.login, a.now()
		r.reviews = append(r.reviews, v)
		return nil
	})
}

func (a account) AskReviewers(_ context.Context, number int, logins []string) error {
	return a.change("ask reviewers", number, func(r *request) error { r.asked = append(r.asked, logins...); return nil })
}

func (a account) Pushes(context.Context, string) ([]host.Push, error) { return nil, host.ErrUnknown }

func (a account) Comments(_ context.Context, number int) (out []host.Comment, err error) {
	err = a.read(number, func(r *request) { out = slices.Clone(r.comments) })
	return out, err
}

func (a account) Comment(_ context.Context, number int, key, body string) error {
	return a.change("comment", number, func(r *request) error {
		c := host.Comment{Login: a.login, Key: key, Body: body, At: a.now()}
		for i, old := range r.comments {
			if key != "" && old.Key == key && old.Login == a.login {
				r.comments[i] = c
				return nil
			}
		}
		r.comments = append(r.comments, c)
		return nil
	})
}

func (a account) Label(_ context.Context, number int, labels []string) error {
	return a.change("label", number, func(r *request) error {
		r.Labels = slices.DeleteFunc(r.Labels, func(l string) bool { return strings.HasPrefix(l, host.LabelPrefix) })
		r.Labels = append(r.Labels, labels...)
		return nil
	})
}

func (a account) Check(_ context.Context, c host.Check) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Fail != nil {
		if err := a.Fail("check"); err != nil {
			return err
		}
	}
	a.checks = append(a.checks, c)
	return nil
}

func (a account) Lacks(context.Context) ([]host.Lack, error) { return nil, nil }

func (a account) Protection(context.Context, string) (host.Protection, error) {
	return host.Protection{}, host.ErrUnknown
}
