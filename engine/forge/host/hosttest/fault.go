package hosttest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// fault is a failure of one request.
type fault string

const (
	lost     fault = "the connection breaks before the request arrives"
	dropped  fault = "the connection breaks after the service acted"
	hidden   fault = "a proxy answers 502 after the service acted"
	twice    fault = "a proxy sends the request twice"
	orphaned fault = "the process dies after the service acted"
)

// proxy makes one request fail, and records all methods.
type proxy struct {
	mu   sync.Mutex
	seen []string // methods
	at   int      // index of the failing request, from 0
	what fault
	die  context.CancelFunc // of the caller
}

var errFault = errors.New("the connection broke")

func (p *proxy) RoundTrip(req *http.Request) (*http.Response, error) {
	p.mu.Lock()
	here := len(p.seen) == p.at
	p.seen = append(p.seen, req.Method)
	p.mu.Unlock()
	if !here {
		return http.DefaultTransport.RoundTrip(req)
	}
	switch p.what {
	case lost:
		return nil, errFault
	case twice:
		if err := drain(http.DefaultTransport.RoundTrip(again(req))); err != nil {
			return nil, err
		}
		return http.DefaultTransport.RoundTrip(req)
	}
	// The service acts even if the caller is gone.
	if err := drain(http.DefaultTransport.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))); err != nil {
		return nil, err
	}
	switch p.what {
	case orphaned:
		p.die()
		return nil, context.Canceled
	case hidden:
		return answer(req, http.StatusBadGateway, nil, "<html>bad gateway</html>"), nil
	}
	return nil, errFault
}

// again returns a copy of the request with a body of its own.
func again(req *http.Request) *http.Request {
	copied := req.Clone(req.Context())
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			copied.Body = body
		}
	}
	return copied
}

func drain(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// answer returns a response that does not come from the service.
func answer(req *http.Request, status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = http.Header{"Content-Type": {"text/html"}}
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}

// through is a transport made of a function.
type through func(*http.Request) (*http.Response, error)

func (f through) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
