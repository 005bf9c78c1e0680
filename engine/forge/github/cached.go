package github

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"sync"
)

// Bounds of the answers kept for conditional requests.
const (
	cacheEntries = 256
	cacheEntry   = 1 << 20
	cacheTotal   = 16 << 20
)

// cached sends the ETag of a kept answer. It returns the kept answer only after GitHub
// confirmed it for this request, which does not count against the rate limit. It comes
// before the credential: one client is one account.
type cached struct {
	next http.RoundTripper
	*answers
}

// answers are the cached answers of one account.
type answers struct {
	mu    sync.Mutex
	kept  map[string]*answer
	order []string // least recently used first
	total int
}

// answer is the answer of one address, with its ETag.
type answer struct {
	etag   string
	header http.Header
	body   []byte
}

func newAnswers() *answers { return &answers{kept: map[string]*answer{}} }

func (c *cached) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return c.next.RoundTrip(req)
	}
	key := req.URL.String() + "\n" + req.Header.Get("Accept")
	known := c.get(key)
	if known != nil {
		req = req.Clone(req.Context())
		req.Header.Set("If-None-Match", known.etag)
	}
	resp, err := c.next.RoundTrip(req)
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusNotModified && known != nil:
		return known.response(resp), nil
	case resp.StatusCode == http.StatusOK && resp.Header.Get("Etag") != "":
		c.put(key, &answer{etag: resp.Header.Get("Etag"), header: resp.Header.Clone(), body: peek(resp)})
	}
	return resp, nil
}

// response returns the cached answer with the limits of the fresh one.
func (a *answer) response(fresh *http.Response) *http.Response {
	r := *fresh
	r.StatusCode, r.Status = http.StatusOK, "200 OK"
	r.Header = a.header.Clone()
	maps.Copy(r.Header, fresh.Header)
	for _, name := range []string{"Link", "Content-Type", "Content-Length"} {
		r.Header.Del(name)
		if v := a.header.Values(name); len(v) > 0 {
			r.Header[name] = v
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(a.body)), int64(len(a.body))
	return &r
}

func (c *answers) get(key string) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.kept[key]
	if found != nil {
		c.touch(key)
	}
	return found
}

func (c *answers) put(key string, a *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.kept[key]; old != nil {
		c.total -= len(old.body)
		delete(c.kept, key)
	}
	c.touch(key)
	if len(a.body) > cacheEntry {
		c.order = c.order[:len(c.order)-1]
		return
	}
	c.kept[key] = a
	c.total += len(a.body)
	for len(c.order) > cacheEntries || c.total > cacheTotal {
		c.total -= len(c.kept[c.order[0]].body)
		delete(c.kept, c.order[0])
		c.order = c.order[1:]
	}
}

// touch makes a key the most recently used.
func (c *answers) touch(key string) {
	for i, k := range c.order {
		if k == key {
			c.order = append(c.order[:i], c.order[i+1:]...)
			break
		}
	}
	c.order = append(c.order, key)
}
