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
)

// maxAnswer is more than a page of fifty of the longest entries needs.
const maxAnswer = 32 << 20

var errTooLong = errors.New("the answer is longer than any honest one")

// bounded is a transport whose answers end, and soon for who only looks.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	end := func() {}
	if host.Glancing(req.Context()) {
		ctx, cancel := context.WithTimeout(req.Context(), host.Patience)
		req, end = req.WithContext(ctx), cancel
	}
	resp, err := b.RoundTripper.RoundTrip(req)
	if err != nil || resp.Body == nil {
		end()
		return resp, err
	}
	resp.Body = &boundedBody{resp.Body, maxAnswer, end}
	return resp, nil
}

type boundedBody struct {
	io.ReadCloser
	left int
	end  func()
}

// Close gives up what is left of the answer.
func (b *boundedBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// busy says that asking again may help.
type busy struct {
	error
	status int           // that the server answered, 0 for none
	after  time.Duration // that the server asked for; 0 for none
	more   int           // attempts beyond the usual ones
}

func (b *busy) Unwrap() error { return b.error }

// attempts is how often something is tried that fails for a moment: with the waits
// between them, for half a minute to a minute.
const (
	attempts  = 8
	firstWait = 250 * time.Millisecond
	maxWait   = 15 * time.Second
	// maxAsked is how long a server may make us wait by its own word.
	maxAsked = 10 * time.Minute
)

// repeat does something until it is done, refused, or has failed too often. It has to
// ask how things are each time.
func (h *Host) repeat(ctx context.Context, once func() error) error {
	for n := 1; ; n++ {
		err := once()
		var b *busy
		if err == nil || !errors.As(err, &b) {
			return err
		}
		if host.Glancing(ctx) {
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
		if err := h.Sleep(ctx, wait); err != nil {
			return fmt.Errorf("%w; last: %w", err, b.error)
		}
	}
}

// given is what is told when trying is given up.
func given(err error) error {
	var d *host.Denied
	if errors.As(err, &d) || errors.Is(err, host.ErrMoved) {
		return err // an answer, which did not become another one
	}
	return &host.Away{Err: err}
}

// ask makes one request and says which kind of failure it was: *busy, *host.Denied, or
// another error that asking again does not mend.
func (h *Host) ask(ctx context.Context, doing string, call func(*sdk.Client) (*sdk.Response, error)) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	c, err := h.api(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	resp, err := call(c)
	if ended := ctx.Err(); ended != nil && err != nil {
		return fmt.Errorf("%s: %w", doing, ended)
	}
	switch {
	case errors.Is(err, errTooLong):
		return fmt.Errorf("%s: %w", doing, err)
	case resp == nil || resp.Response == nil:
		return fmt.Errorf("%s: %w", doing, transient(err))
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusRequestTimeout:
		return &busy{error: fmt.Errorf("%s: %s answered %d", doing, h.URL, resp.StatusCode), status: resp.StatusCode, after: retryAfter(resp.Header)}
	case resp.StatusCode >= 300:
		return h.denied(doing, resp.StatusCode, resp.Header, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: %w", doing, transient(err))
	case err != nil:
		return fmt.Errorf("%s: what %s answered is not understood: %w", doing, h.URL, err)
	}
	return nil
}

// transient wraps a failure of the connection; what no second attempt mends stays as it is.
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

// retryAfter is how long a server wants not to be asked, 0 if it does not say.
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
