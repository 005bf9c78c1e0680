package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/forge/rest"
)

// Numbers and lengths of waits.
const (
	failures   = 5                // attempts in temporary failures: 1+2+4+8 s
	limits     = 8                // waits for limits in a row
	pauseFirst = time.Second      // after a failure, doubled each time
	limitFirst = time.Minute      // if a limit names no time, doubled each time
	limitLast  = 65 * time.Minute // primary limits end within the hour
)

// repeats says which requests may be sent again after a lost answer.
type repeats int

const (
	byMethod repeats = iota // all except POST
	always
	never
)

func (r repeats) allow(method string) bool {
	return r == always || r == byMethod && method != http.MethodPost
}

// patient retries requests after temporary refusals. After a rate limit it retries any
// request, since GitHub did not carry it out; after other failures only repeatable ones.
// If a wait would exceed the context's deadline, it fails at once.
//
// Rules: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
// and https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
type patient struct {
	next  http.RoundTripper
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error
	*hold
	repeats repeats
	// impatient ends a request at the first failure or limit.
	impatient bool
}

// hold is the end of an account's current rate limit.
type hold struct {
	mu    sync.Mutex
	until time.Time // no request is sent earlier
}

func (p *patient) RoundTrip(req *http.Request) (*http.Response, error) {
	limited, failed := 0, 0
	for {
		if err := p.pause(req.Context()); err != nil {
			return nil, err
		}
		try, err := again(req)
		if err != nil {
			return nil, err
		}
		resp, err := p.next.RoundTrip(try)
		pause, isLimit := time.Duration(0), false
		if err == nil {
			pause, isLimit = p.limit(resp, limited)
		}
		switch {
		case isLimit && p.impatient:
			return nil, errors.New("GitHub limits the requests of this account")
		case isLimit && limited == limits:
			return nil, fmt.Errorf("GitHub limits the requests of this account, for the %dth time in a row", limits+1)
		case isLimit:
			limited++
			p.extend(pause)
		case !broken(resp, err) || !p.repeats.allow(req.Method) || p.impatient || failed+1 == failures:
			hideLimits(resp)
			return resp, err
		default:
			if err := p.wait(req.Context(), pauseFirst<<failed); err != nil {
				return nil, err
			}
			failed++
		}
	}
}

// again returns a copy of the request with a new reader of its body.
func again(req *http.Request) (*http.Request, error) {
	try := req.Clone(req.Context())
	if req.Body == nil || req.Body == http.NoBody {
		return try, nil
	}
	if req.GetBody == nil {
		return nil, errors.New("the body of the request can be read only once")
	}
	var err error
	try.Body, err = req.GetBody()
	return try, err
}

// broken reports whether the failure is temporary.
func broken(resp *http.Response, err error) bool {
	if err != nil {
		return !errors.Is(err, rest.ErrTooLarge) && !isAnswer(err)
	}
	switch resp.StatusCode {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

func (p *patient) extend(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.now().Add(d); at.After(p.until) {
		p.until = at
	}
}

// pause waits, in whole seconds, until the limit ends.
func (p *patient) pause(ctx context.Context) error {
	p.mu.Lock()
	until := p.until
	p.mu.Unlock()
	d := until.Sub(p.now())
	if d <= 0 {
		return ctx.Err()
	}
	if err := p.wait(ctx, (d + time.Second - 1).Truncate(time.Second)); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until.Equal(until) {
		p.until = time.Time{}
	}
	return nil
}

func (p *patient) wait(ctx context.Context, d time.Duration) error {
	if end, ok := ctx.Deadline(); ok && end.Sub(p.now()) < d {
		return fmt.Errorf("GitHub asks to wait until %s, which is after the deadline: %w",
			p.now().Add(d).UTC().Format(time.RFC3339), context.DeadlineExceeded)
	}
	return p.sleep(ctx, d)
}

// hideLimits removes the headers by which go-github would refuse later calls, by a clock
// of its own.
func hideLimits(resp *http.Response) {
	if resp == nil {
		return
	}
	for name := range resp.Header {
		if strings.HasPrefix(name, "X-Ratelimit-") {
			resp.Header.Del(name)
		}
	}
}

// peek reads the body, which is in memory, and restores it.
func peek(resp *http.Response) []byte {
	body, _ := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return body
}
