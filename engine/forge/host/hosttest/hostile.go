package hosttest

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/assent-dev/assent/engine/forge/host"
)

// testBroken: a service that stays broken is given up after growing waits.
func testBroken(s *suite) {
	r := s.open("csv")
	for _, c := range s.calls() {
		n := &naps{}
		h := s.Connect(s.T, Engine, through(func(req *http.Request) (*http.Response, error) {
			return answer(req, http.StatusServiceUnavailable, nil, "<html>down</html>"), nil
		}), n.sleep)
		err := c.do(h, r)
		var d *host.Denied
		if err == nil || errors.As(err, &d) {
			s.Errorf("%s: %v; want a failure that is not a refusal", c.name, err)
		}
		if len(n.asked) < 2 || n.asked[len(n.asked)-1] <= n.asked[0] || n.asked[0] <= 0 {
			s.Errorf("%s: waited %v", c.name, n.asked)
		}
	}
}

// testEndless: endless or malformed answers are failures.
func testEndless(s *suite) {
	r := s.open("csv")
	for name, body := range map[string]func() io.Reader{
		"brackets without end": func() io.Reader { return endless("[") },
		"blanks without end":   func() io.Reader { return endless(" ") },
		"nothing":              func() io.Reader { return http.NoBody },
		"a page":               func() io.Reader { return io.LimitReader(endless("<p>"), 100) },
		"another kind":         func() io.Reader { return io.LimitReader(endless(`"`), 2) },
	} {
		for _, c := range s.calls() {
			h := s.Connect(s.T, Engine, through(func(req *http.Request) (*http.Response, error) {
				resp := answer(req, http.StatusOK, http.Header{"Content-Type": {"application/json"}}, "")
				resp.Body, resp.ContentLength = io.NopCloser(body()), -1
				return resp, nil
			}), hasty)
			if err := c.do(h, r); err == nil {
				s.Errorf("%s: an answer of %s was accepted", c.name, name)
			}
		}
	}
}

type endless string

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e[i%len(e)]
	}
	return len(p), nil
}

// testCancelled: a cancelled call returns soon.
func testCancelled(s *suite) {
	r := s.open("csv")
	for i := range s.calls() {
		ctx, cancel := context.WithCancel(s.ctx)
		short := *s
		short.ctx = ctx
		asked := 0
		h := s.Connect(s.T, Engine, through(func(req *http.Request) (*http.Response, error) {
			asked++
			cancel()
			return answer(req, http.StatusServiceUnavailable, nil, "down"), nil
		}), hasty)
		c := short.calls()[i]
		if err := c.do(h, r); !errors.Is(err, context.Canceled) {
			s.Errorf("%s: %v; want the context's error", c.name, err)
		}
		cancel()
		if asked > 1 {
			s.Errorf("%s asked %d times", c.name, asked)
		}
	}
}
