package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/hosttest"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// clock is a clock that only sleeping advances.
type clock struct {
	now   time.Time
	slept []time.Duration
}

func (c *clock) options(o *Options) {
	o.Now = func() time.Time { return c.now }
	o.Sleep = func(ctx context.Context, d time.Duration) error {
		c.slept, c.now = append(c.slept, d), c.now.Add(d)
		return ctx.Err()
	}
}

// script gives prepared answers in order and forwards further requests.
type script struct {
	answers []*canned
	next    http.RoundTripper
	asked   []string
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, req.Method+" "+req.URL.RequestURI())
	if len(s.answers) > 0 {
		r := s.answers[0]
		s.answers = s.answers[1:]
		if r != nil {
			return r.response(req), nil
		}
	}
	return s.next.RoundTrip(req)
}

// canned is a prepared answer.
type canned struct {
	status int
	body   string
	header http.Header
}

func reply(status int, body string, header ...string) *canned {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &canned{status, body, h}
}

func (c *canned) response(req *http.Request) *http.Response {
	return &http.Response{StatusCode: c.status, Status: http.StatusText(c.status), Header: c.header.Clone(),
		Body: io.NopCloser(strings.NewReader(c.body)), Request: req}
}

// scripted returns a client with prepared first answers.
func (s *service) scripted(t *testing.T, c *clock, answers ...*canned) (*Host, *script) {
	t.Helper()
	in := &script{answers: answers, next: http.DefaultTransport}
	return s.connect(t, hosttest.Engine, c.options, func(o *Options) {
		o.Transport = &checked{t: t, api: s.api, strip: "/api/v3", next: in}
	}), in
}

// TestLimits: after a limit, any request waits as long as GitHub says and is sent once
// more. The headers or the text identify the limit.
func TestLimits(t *testing.T) {
	start := time.Now().Truncate(time.Second) // go-github would look at the real clock
	reset := func(after int64) string { return fmt.Sprint(start.Unix() + after) }
	const secondary = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`
	for _, c := range []struct {
		name    string
		answers []*canned
		want    []time.Duration
	}{
		{"none", nil, nil},
		{"primary", []*canned{reply(403, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(90))}, []time.Duration{91 * time.Second}},
		{"primary, by 429", []*canned{reply(429, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(90))}, []time.Duration{91 * time.Second}},
		{"primary, over already", []*canned{reply(403, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(-90))}, []time.Duration{time.Second}},
		{"primary, without a time", []*canned{reply(403, `{}`, "X-RateLimit-Remaining", "0")}, []time.Duration{time.Minute}},
		{"secondary", []*canned{reply(403, secondary, "Retry-After", "30")}, []time.Duration{30 * time.Second}},
		{"secondary, without a time", []*canned{reply(403, secondary), reply(403, secondary), reply(429, `{}`)}, []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute}},
		{"Retry-After goes first", []*canned{reply(403, secondary, "Retry-After", "5", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(900))}, []time.Duration{5 * time.Second}},
		{"a year", []*canned{reply(403, secondary, "Retry-After", "31536000")}, []time.Duration{limitLast}},
		{"the last free request", []*canned{nil, reply(201, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(60), "X-RateLimit-Resource", "core"), nil}, []time.Duration{61 * time.Second}},
		{"the last of another kind", []*canned{nil, reply(201, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(60), "X-RateLimit-Resource", "search"), nil}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t)
			number := s.open(t)
			at := &clock{now: start}
			h, in := s.scripted(t, at)
			if _, err := h.Login(t.Context()); err != nil {
				t.Fatal(err)
			}
			in.answers = c.answers
			for range 2 {
				if err := h.Comment(t.Context(), number, "report", "text"); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(c.want, at.slept); diff != "" {
				t.Errorf("slept (-want +got)\n%s", diff)
			}
		})
	}
}

// open creates a pull request and returns its number.
func (s *service) open(t *testing.T) int {
	t.Helper()
	s.mu.Lock()
	commit := s.store(s.refs["main"])
	branch := fmt.Sprintf("proposal/x-%08d", s.serial)
	s.mu.Unlock()
	s.push(hosttest.Engine, branch, commit)
	r, err := s.connect(t, hosttest.Engine).Create(t.Context(), host.New{Branch: branch, Base: "main", Title: "X"})
	if err != nil {
		t.Fatal(err)
	}
	return r.Number
}

// TestLimitsEnd: a wait never exceeds the deadline, and waits are limited in number.
func TestLimitsEnd(t *testing.T) {
	s := newService(t)
	at := &clock{now: time.Now()}
	h, _ := s.scripted(t, at, reply(403, `{}`, "Retry-After", "600"))
	ctx, cancel := context.WithDeadline(t.Context(), at.now.Add(5*time.Minute))
	defer cancel()
	_, err := h.Login(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "until ") || len(at.slept) > 0 {
		t.Errorf("%v after %v", err, at.slept)
	}
	var many []*canned
	for range 2 * limits {
		many = append(many, reply(403, `{}`, "Retry-After", "1"))
	}
	h, in := s.scripted(t, &clock{now: time.Now()}, many...)
	if _, err := h.Login(t.Context()); err == nil || !strings.Contains(err.Error(), "in a row") || len(in.asked) != limits+1 {
		t.Errorf("%v after %d requests", err, len(in.asked))
	}
}

// TestRepeated: temporary failures are retried if the request may be repeated. Otherwise
// the result is looked up before the request is sent again.
func TestRepeated(t *testing.T) {
	s := newService(t)
	number := s.open(t)
	at := &clock{now: time.Now()}
	h, in := s.scripted(t, at, reply(502, "<html>"), reply(500, ""), reply(504, ""), reply(503, ""))
	if _, err := h.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
	if diff := cmp.Diff(want, at.slept); diff != "" || len(in.asked) != 5 {
		t.Errorf("%v, slept (-want +got)\n%s", in.asked, diff)
	}
	in.asked, in.answers = nil, []*canned{reply(502, "")}
	if err := h.Comment(t.Context(), number, "", "said once"); err == nil {
		t.Error("a remark with a lost answer was reported as posted")
	}
	if len(in.asked) != 1 {
		t.Errorf("asked %q: the remark may exist twice", in.asked)
	}
}

// TestConditional: unchanged pages are not transferred again, each page by itself, and
// are never returned without revalidation.
func TestConditional(t *testing.T) {
	s := newService(t)
	number := s.open(t)
	by := s.connect(t, hosttest.Ada)
	for i := range perPage + 5 {
		if err := by.Comment(t.Context(), number, "", fmt.Sprint("Remark ", i)); err != nil {
			t.Fatal(err)
		}
	}
	h := s.connect(t, hosttest.Engine)
	read := func() (comments, asked, full int) {
		t.Helper()
		s.requests()
		before := s.full
		list, err := h.Comments(t.Context(), number)
		if err != nil {
			t.Fatal(err)
		}
		return len(list), len(s.requests()), s.full - before
	}
	if n, asked, full := read(); n != perPage+5 || asked != 3 || full != 3 { // including the login
		t.Errorf("%d comments by %d requests, %d with a body", n, asked, full)
	}
	if n, asked, full := read(); n != perPage+5 || asked != 2 || full != 0 {
		t.Errorf("%d comments by %d requests, %d with a body", n, asked, full)
	}
	if err := by.Comment(t.Context(), number, "", "One more"); err != nil {
		t.Fatal(err)
	}
	if n, asked, full := read(); n != perPage+6 || asked != 2 || full != 1 {
		t.Errorf("%d comments by %d requests, %d with a body", n, asked, full)
	}
}

// TestCacheBounded: the cache is bounded, evicts the least recently used, and skips large
// answers.
func TestCacheBounded(t *testing.T) {
	size := 10
	next := &script{}
	c := &cached{answers: newAnswers(), next: roundTrip(func(req *http.Request) (*http.Response, error) {
		next.asked = append(next.asked, req.URL.Path+req.Header.Get("If-None-Match"))
		return reply(200, strings.Repeat("x", size), "ETag", `"1"`).response(req), nil
	})}
	get := func(path string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodGet, "http://x/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	get("first")
	for i := range cacheEntries {
		get("first")
		get(fmt.Sprint(i))
	}
	if c.kept["http://x/first\n"] == nil || c.kept["http://x/0\n"] != nil || len(c.kept) != cacheEntries || len(c.order) != cacheEntries {
		t.Errorf("%d kept", len(c.kept))
	}
	size = cacheEntry
	for i := range 40 {
		get(fmt.Sprint("large", i))
	}
	if c.total > cacheTotal || len(c.order) != len(c.kept) {
		t.Errorf("%d bytes of %d kept", c.total, len(c.kept))
	}
	size++
	get("large39")
	if c.kept["http://x/large39\n"] != nil || len(c.order) != len(c.kept) {
		t.Error("an answer that is too large was kept")
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// acting lets the service act, and loses its answers to the first writes.
func acting(lose int) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil || req.Method == http.MethodGet || lose == 0 {
			return resp, err
		}
		lose--
		resp.Body.Close()
		return reply(http.StatusBadGateway, "<html>").response(req), nil
	})
}

// TestAnswerLost: a lost answer does not lead to a second creation.
func TestAnswerLost(t *testing.T) {
	s := newService(t)
	number := s.open(t)
	head := hash(t, s.pulls[number-1].head)
	at := &clock{now: time.Now()}
	h := s.connect(t, hosttest.Ada, at.options, func(o *Options) { o.Transport = acting(2) })
	if err := h.Review(t.Context(), number, host.Review{Decision: approve, Head: head}); err != nil {
		t.Error(err)
	}
	if err := h.Comment(t.Context(), number, "report", "text"); err != nil {
		t.Error(err)
	}
	posts := 0
	for _, asked := range s.requests() {
		if strings.HasPrefix(asked, "POST ") && (strings.HasSuffix(asked, "/reviews") || strings.HasSuffix(asked, "/comments")) {
			posts++
		}
	}
	if len(s.pulls[number-1].reviews) != 1 || len(s.comments) != 1 || posts != 2 {
		t.Errorf("%d reviews and %d comments by %d requests", len(s.pulls[number-1].reviews), len(s.comments), posts)
	}
}

// TestAnswerBounded: an endless answer is given up and not requested again.
func TestAnswerBounded(t *testing.T) {
	s := newService(t)
	asked := 0
	h := s.connect(t, hosttest.Engine, func(o *Options) {
		o.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
			asked++
			r := reply(http.StatusOK, "").response(req)
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"login":"engine"}`), blanks{}))
			return r, nil
		})
	})
	if _, err := h.Login(t.Context()); !errors.Is(err, rest.ErrTooLarge) || asked != 1 {
		t.Errorf("%v after %d requests", err, asked)
	}
}

// TestListsAreBounded: large pages, or pages of many entries, end a list before it fills
// memory.
func TestListsAreBounded(t *testing.T) {
	s := newService(t)
	asked := 0
	var fill func(id int) string
	h := s.connect(t, hosttest.Engine, func(o *Options) {
		o.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "/user") {
				return reply(http.StatusOK, `{"login":"engine"}`).response(req), nil
			}
			asked++
			r := reply(http.StatusOK, fill(asked*10_000)).response(req)
			r.Header.Set("Link", fmt.Sprintf(`<https://api.github.com/x?page=%d&after=x>; rel="next"`, asked+1))
			return r, nil
		})
	})
	h.maxList = 1 << 20
	for shape, of := range map[string]func(id int) string{
		"large pages": func(id int) string {
			return fmt.Sprintf(`[{"id":%d,"number":%d,"body":"%s"}]`, id, id, strings.Repeat("x", 300<<10))
		},
		"many entries": func(id int) string {
			var entries []string
			for n := range 300 {
				entries = append(entries, fmt.Sprintf(`{"id":%d,"number":%d}`, id+n, id+n))
			}
			return "[" + strings.Join(entries, ",") + "]"
		},
	} {
		for name, read := range map[string]func() error{
			"List":     func() error { _, err := h.List(t.Context(), "", false); return err },
			"Reviews":  func() error { _, err := h.Reviews(t.Context(), 1); return err },
			"Comments": func() error { _, err := h.Comments(t.Context(), 1); return err },
			"Label":    func() error { return h.Label(t.Context(), 1, []string{host.LabelPrefix + "x"}) },
			"Rules":    func() error { _, _, err := h.rules(t.Context(), "main"); return err },
			"Pushes":   func() error { _, err := h.Pushes(t.Context(), "b"); return err },
		} {
			asked, fill = 0, of
			if err := read(); !errors.Is(err, rest.ErrTooLarge) || !strings.Contains(err.Error(), h.usual.BaseURL.Host) || asked > 5 {
				t.Errorf("%s of %s: %v after %d pages", name, shape, err, asked)
			}
		}
	}
}

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
