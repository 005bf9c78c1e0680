package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/assent-dev/assent/engine/forge/host"
)

// Bounds of one request: 100 pull requests with bodies of 64 KiB have room.
const (
	maxAnswer = 32 << 20
	maxTime   = time.Minute
)

var errTooLarge = errors.New("the answer is larger than 32 MiB")

// bounded reads each answer whole, within a minute, so that a connection that breaks
// in the middle counts as no answer.
type bounded struct{ next http.RoundTripper }

func (b *bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	longest := maxTime
	if host.Glancing(req.Context()) {
		longest = host.Patience
	}
	ctx, cancel := context.WithTimeout(req.Context(), longest)
	defer cancel()
	resp, err := b.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > maxAnswer {
		return nil, errTooLarge
	}
	if whole := resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusCreated; whole && len(bytes.TrimSpace(body)) == 0 {
		return nil, errors.New("the answer is empty")
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
