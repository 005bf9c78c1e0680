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

	"github.com/assent-dev/assent/engine/forge/host"
)

// How often and how long it is waited.
const (
	failures   = 5                // tries while the service fails for a moment: 1+2+4+8 s
	limits     = 8                // waits for limits in a row
	pauseFirst = time.Second      // after a failure, doubled each time
	limitFirst = time.Minute      // where a limit names no time, doubled each time
	limitLast  = 65 * time.Minute // primary limits end within the hour
)

type repeatKey struct{}

// repeatable marks the calls of a context as harmless when done twice, whatever
// their method.
func repeatable(ctx context.Context) context.Context {
	return context.WithValue(ctx, repeatKey{}, true)
}

// once marks them as not to be done twice.
func once(ctx context.Context) context.Context { return context.WithValue(ctx, repeatKey{}, false) }

// mayRepeat tells whether a request whose answer was lost can be sent again.
func mayRepeat(req *http.Request) bool {
	if marked, ok := req.Context().Value(repeatKey{}).(bool); ok {
		return marked
	}
	return req.Method != http.MethodPost
}

// patient sends a request again after what passes: rate limits, for any request,
// since a limited one was not carried out; failures of the moment only for those that
// may be repeated. It waits no longer than the context allows, and says so at once
// instead of sleeping in vain.
//
// Rules: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
// and https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
type patient struct {
	next  http.RoundTripper
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error

	mu    sync.Mutex
	until time.Time // nothing is sent before
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
		glance := host.Glancing(req.Context())
		switch {
		case isLimit && glance:
			return nil, errors.New("GitHub limits the requests of this account")
		case isLimit && limited == limits:
			return nil, fmt.Errorf("GitHub limits the requests of this account, for the %dth time in a row", limits+1)
		case isLimit:
			limited++
			p.hold(pause)
		case !broken(resp, err) || !mayRepeat(req) || glance || failed+1 == failures:
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

// again is the request with its body anew.
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

// broken tells a failure of the moment from an answer.
func broken(resp *http.Response, err error) bool {
	if err != nil {
		return !errors.Is(err, errTooLarge) && !isAnswer(err)
	}
	switch resp.StatusCode {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

func (p *patient) hold(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.now().Add(d); at.After(p.until) {
		p.until = at
	}
}

// pause waits, in whole seconds, until requests are free again.
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
		return fmt.Errorf("GitHub asks to wait until %s, which is too late here: %w",
			p.now().Add(d).UTC().Format(time.RFC3339), context.DeadlineExceeded)
	}
	return p.sleep(ctx, d)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hideLimits takes from the answer what go-github would refuse later calls by, on a
// clock of its own.
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

// peek reads the body, which bounded has brought into memory, and puts it back.
func peek(resp *http.Response) []byte {
	body, _ := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return body
}
