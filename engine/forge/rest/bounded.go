package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxAnswer bounds an answer: a page of 100 pull requests with bodies of 64 KiB fits.
const maxAnswer = 32 << 20

// usualTime bounds a request with its answer.
const usualTime = time.Minute

// maxValues bounds the JSON values of an answer, each of which can decode to a large struct.
// A pull request has some 400.
const maxValues = 500_000

// ErrTooLarge is an answer, or a list of answers, that exceeds its bound.
var ErrTooLarge = errors.New("the answer is too large")

// Bounded is a transport that reads each answer completely, so that a connection that breaks
// in the middle counts as no answer. Its answers have at most 32 MiB, counted after
// decompression, and their ContentLength is that of the body.
type Bounded struct {
	Next http.RoundTripper
	// Time bounds a request with its answer; 0 is a minute.
	Time time.Duration
	// NotEmpty treats empty answers of status 200 and 201 as failures.
	NotEmpty bool
}

// RoundTrip implements http.RoundTripper.
func (b Bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	longest := b.Time
	if longest == 0 {
		longest = usualTime
	}
	ctx, cancel := context.WithTimeout(req.Context(), longest)
	defer cancel()
	resp, err := b.Next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("%w: more than %d MiB", ErrTooLarge, maxAnswer>>20)
	}
	if values(body) > maxValues {
		return nil, fmt.Errorf("%w: more than %d values", ErrTooLarge, maxValues)
	}
	full := resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusCreated
	if b.NotEmpty && full && len(bytes.TrimSpace(body)) == 0 {
		return nil, errors.New("the answer is empty")
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// values counts the separators and the objects of a JSON text, outside its strings.
func values(body []byte) (n int) {
	quoted := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '{' || c == '['):
			n++
		}
	}
	return n
}

// Client sends requests by a transport and follows no redirection, which could lead a token
// elsewhere or turn a POST into a GET.
func Client(t http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Sleep waits for d, or until the context ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
