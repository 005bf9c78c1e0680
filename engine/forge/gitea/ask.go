package gitea

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// busy is a temporary failure, which a retry may resolve.
type busy struct {
	error
	status int           // of the answer, 0 without one
	after  time.Duration // requested by the server; 0 for none
	more   int           // retries beyond the usual number
}

func (b *busy) Unwrap() error { return b.error }

// attempts bounds the tries after temporary failures. With the waits between them they
// take 30 to 60 seconds.
const (
	attempts  = 8
	firstWait = 250 * time.Millisecond
	maxWait   = 15 * time.Second
	// maxAsked bounds a wait that the server requests.
	maxAsked = 10 * time.Minute
)

// repeat calls once until it succeeds, is refused, or has failed too often. Each call
// must first read the current state, so that no write happens twice.
func (s *server) repeat(ctx context.Context, once func() error) error {
	for n := 1; ; n++ {
		err := once()
		var b *busy
		if err == nil || !errors.As(err, &b) {
			return err
		}
		if s.impatient {
			return given(b.error)
		}
		if n >= attempts+b.more || b.after > maxAsked {
			return given(fmt.Errorf("%w (tried %d times)", b.error, n))
		}
		wait := min(firstWait<<(n-1), maxWait)
		wait = max(b.after, wait/2+rand.N(wait/2+1)) + rand.N(firstWait)
		if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
			return given(fmt.Errorf("%w (no time is left to wait %s)", b.error, wait.Round(time.Second)))
		}
		if err := s.Sleep(ctx, wait); err != nil {
			return fmt.Errorf("%w; last: %w", err, b.error)
		}
	}
}

// given returns the error after the last attempt.
func given(err error) error {
	var d *host.Denied
	if errors.As(err, &d) || errors.Is(err, host.ErrMoved) {
		return err // the answer did not change
	}
	return &host.Away{Err: err}
}

// ask makes one request. A failure is a *busy, a *host.Denied, or an error that a retry
// cannot resolve.
func (s *server) ask(ctx context.Context, doing string, call func(*sdk.Client) (*sdk.Response, error)) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	c, err := s.api(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	resp, err := call(c)
	if ended := ctx.Err(); ended != nil && err != nil {
		return fmt.Errorf("%s: %w", doing, ended)
	}
	switch {
	case errors.Is(err, rest.ErrTooLarge):
		return fmt.Errorf("%s: %w", doing, err)
	case resp == nil || resp.Response == nil:
		return fmt.Errorf("%s: %w", doing, transient(err))
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusRequestTimeout:
		return &busy{error: fmt.Errorf("%s: %s answered %d", doing, s.URL, resp.StatusCode), status: resp.StatusCode, after: retryAfter(resp.Header)}
	case resp.StatusCode >= 300:
		return s.denied(doing, resp.StatusCode, resp.Header, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: %w", doing, transient(err))
	case err != nil:
		return fmt.Errorf("%s: the answer of %s cannot be read: %w", doing, s.URL, err)
	}
	return nil
}

// transient turns a failure of the connection into a *busy; other errors pass unchanged.
func transient(err error) error {
	var address *url.Error
	var untrusted *x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	if !errors.As(err, &address) && !errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &untrusted) || errors.As(err, &name) || errors.As(err, &invalid) {
		return err
	}
	return &busy{error: err}
}

// retryAfter returns the wait that a server requests, 0 without one.
func retryAfter(header http.Header) time.Duration {
	s := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(s); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 1<<30)) * time.Second
	}
	if at, err := http.ParseTime(s); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
