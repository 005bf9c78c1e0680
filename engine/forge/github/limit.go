package github

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// limit reports a rate limit and the wait for its end. It also notes when the last free
// request is used up.
func (p *patient) limit(resp *http.Response, before int) (time.Duration, bool) {
	used := resp.Header.Get("X-RateLimit-Remaining") == "0"
	reset := p.reset(resp)
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		if r := resp.Header.Get("X-RateLimit-Resource"); used && (r == "" || r == "core") {
			p.extend(reset)
		}
		return 0, false
	}
	if after, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && after >= 0 {
		return clamp(time.Duration(min(after, 1<<20)) * time.Second), true
	}
	if used {
		return reset, true
	}
	if resp.StatusCode == http.StatusTooManyRequests || bytes.Contains(peek(resp), []byte("secondary rate limit")) {
		return clamp(limitFirst << before), true
	}
	return 0, false
}

// reset returns the time until the limit resets.
func (p *patient) reset(resp *http.Response) time.Duration {
	at, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil {
		return limitFirst
	}
	return clamp(time.Unix(at, 0).Sub(p.now()) + time.Second)
}

func clamp(d time.Duration) time.Duration { return min(max(d, time.Second), limitLast) }
