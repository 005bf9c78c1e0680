package tool

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/sandbox/egress"
	"github.com/assent-dev/assent/engine/sandbox/redact"
)

const (
	// remoteProtocol is the version of the protocol that is spoken over HTTP.
	remoteProtocol = "2025-11-25"
	// farewell is how long the server may take to hear that a session ended.
	farewell = 2 * time.Second
	// receipt is how long the server may take to receive a message that is no request.
	receipt = 10 * time.Second
	// maxAsked is how many requests of its own the server may send in one answer. Each costs a request from here.
	maxAsked = 100
)

// errEnded is the cause of a remote that was ended from here.
var errEnded = errors.New("ended")

// remote is a conversation with a server at an address, by streamable HTTP. What is written to it is posted, and the
// answers are read from a pipe. The first failure ends it.
type remote struct {
	ctx     context.Context //nolint:containedctx // of all requests
	end     context.CancelCauseFunc
	client  http.Client
	url     string
	header  http.Header
	most    int64 // bytes of one answer
	answers *io.PipeWriter

	mu               sync.Mutex
	session, version string
}

// remote begins no conversation yet: it checks that the address may be reached, and prepares its secrets.
func (m machine) remote(ctx context.Context, j job) (served, error) {
	name := j.capability.Name
	spec, err := m.spec(j)
	if err != nil {
		return served{}, err
	}
	file, err := readServer(name, spec)
	if err != nil {
		return served{}, err
	}
	at, u := serverRemote{}, &url.URL{}
	if len(file.Remotes) > 0 {
		at = file.Remotes[0]
		u, err = url.Parse(at.URL)
	}
	port := "443"
	if err == nil && u.Scheme == "http" {
		port = "80"
	}
	if at.Type != "streamable-http" || err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return served{}, refuse(NotAvailable, `write remotes: [{"type": "streamable-http", "url": "https://host/path"}]`, "%s of %s names no address of a server", capability.ServerFile, name)
	}
	host := strings.ToLower(u.Hostname()) + ":" + cmp.Or(u.Port(), port)
	//defence:servers-at-declared-hosts
	if !slices.Contains(j.hosts, host) {
		return served{}, refuse(HostRefused, "add it to requires.hosts, and to sandbox.hosts in security.yaml", "%s is at %s, which it does not declare or the policy does not admit", name, host)
	}
	exit, err := egress.New([]string{host})
	if err != nil {
		return served{}, err //nolint:wrapcheck // the record has been checked
	}
	r := &remote{url: at.URL, header: http.Header{}, most: sandbox.Default().Output}
	for _, h := range at.Headers {
		rest := h.Value
		for _, secret := range j.capability.Record.Requires.Secrets {
			h.Value, rest = strings.ReplaceAll(h.Value, "{"+secret+"}", j.secrets[secret]), strings.ReplaceAll(rest, "{"+secret+"}", "")
		}
		if strings.Contains(rest, "{") {
			return served{}, refuse(NotAvailable, "name the secret in requires.secrets, and write {ITS_NAME} in the value", "the header %s of %s has no value", h.Name, name)
		}
		r.header.Set(h.Name, h.Value)
	}
	for _, secret := range slices.Sorted(maps.Keys(j.secrets)) {
		if len(strings.TrimSpace(j.secrets[secret])) < redact.Shortest {
			return served{}, refuse(NotAvailable, "use a longer one", "the secret %s is shorter than %d bytes and could not be kept out of the output", secret, redact.Shortest)
		}
	}
	local, _ := netip.ParseAddr(u.Hostname())
	//defence:secrets-go-by-https
	if u.Scheme == "http" && len(j.secrets) > 0 && !local.IsLoopback() {
		return served{}, refuse(NotAvailable, "use https", "%s has secrets, which are not sent over http", name)
	}
	transport := exit.Transport()
	transport.DisableKeepAlives, transport.ResponseHeaderTimeout = false, 0 // a call has a time of its own
	r.client.Transport = transport
	//defence:servers-redirect-nowhere
	r.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r.ctx, r.end = context.WithCancelCause(context.WithoutCancel(ctx))
	from, to := io.Pipe()
	r.answers = to
	return served{p: r, from: from, to: r}, nil
}

// Write posts a message. It waits for the answer of the server only if the message is no request.
func (r *remote) Write(message []byte) (int, error) {
	var head envelope
	_ = json.Unmarshal(message, &head) // the library wrote it
	message = bytes.Clone(message)
	if head.Method != "" && head.ID != nil {
		go r.post(message, head.ID)
	} else {
		r.post(message, nil)
	}
	return len(message), nil
}

// envelope has the parts of a message that matter for its transport.
type envelope struct {
	ID     json.RawMessage
	Method string
	Result struct{ ProtocolVersion string }
}

// post sends a message, and passes on what answers the request with this id.
func (r *remote) post(message []byte, id json.RawMessage) {
	ctx := r.ctx
	if id == nil {
		within, cancel := context.WithTimeout(ctx, receipt)
		defer cancel()
		ctx = within
	}
	res, err := r.send(ctx, http.MethodPost, bytes.NewReader(message))
	if err != nil {
		kind := NotAvailable
		if errors.As(err, new(*egress.Refused)) {
			kind = HostRefused
		}
		if failed := (*url.Error)(nil); errors.As(err, &failed) {
			err = failed.Err
		}
		r.fail(refuse(kind, "", "cannot reach the server: %v", err))
		return
	}
	defer func() { _ = res.Body.Close() }() // nothing more is read
	limited := &io.LimitedReader{R: res.Body, N: math.MaxInt64}
	//defence:answers-of-servers-are-bounded
	limited.N = r.most
	switch body, media := bufio.NewReader(limited), strings.TrimSpace(strings.Split(res.Header.Get("Content-Type"), ";")[0]); {
	case res.StatusCode == http.StatusNotFound && r.note("", ""):
		err = refuse(NotAvailable, "call again: that begins another session, without its state", "the server has ended the session")
	case res.StatusCode/100 == 3:
		err = refuse(Failed, "redirects are not followed: write the final address into "+capability.ServerFile, "the server answered HTTP %d", res.StatusCode)
	case res.StatusCode/100 != 2:
		err = refuse(Failed, "", "the server answered HTTP %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	case id == nil:
	case media == "text/event-stream":
		err = r.events(body, id)
	case media == "application/json":
		var data []byte
		if data, err = io.ReadAll(body); err == nil {
			_, err = r.pass(data, id)
		}
	default:
		err = refuse(Crashed, "", "the server sent %.40q, not JSON or a stream of events", media)
	}
	if limited.N <= 0 {
		err = refuse(TooMuchOutput, "", "an answer of the server has more than %d bytes", r.most)
	}
	if err != nil {
		r.fail(err)
	}
}

// send makes a request.
func (r *remote) send(ctx context.Context, method string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.url, body)
	if err != nil {
		return nil, err
	}
	req.Header = r.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	r.setHeaders(req.Header)
	res, err := r.client.Do(req)
	if err == nil {
		r.note(res.Header.Get(sessionHeader), "")
	}
	return res, err //nolint:wrapcheck // post says what it was
}

const sessionHeader = "Mcp-Session-Id"

// note keeps the first session and version that the server names, and reports whether there is a session.
func (r *remote) note(session, version string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session, r.version = cmp.Or(r.session, session), cmp.Or(r.version, version)
	return r.session != ""
}

// setHeaders adds the session and version to the header of a request.
func (r *remote) setHeaders(h http.Header) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != "" {
		h.Set(sessionHeader, r.session)
	}
	if r.version != "" {
		h.Set("Mcp-Protocol-Version", r.version)
	}
}

// events passes on the messages of a stream of events, up to the answer of the request.
func (r *remote) events(body *bufio.Reader, id json.RawMessage) error {
	var data []byte
	asked := 0
	for {
		line, err := body.ReadBytes('\n')
		line = bytes.TrimRight(line, "\r\n")
		if part, is := bytes.CutPrefix(line, []byte("data:")); is {
			data = append(data, bytes.TrimSpace(part)...)
		} else if len(line) == 0 && len(data) > 0 { // an event without data only marks a place
			var head envelope
			if json.Unmarshal(data, &head) == nil && head.Method != "" && head.ID != nil {
				asked++
			}
			if asked > maxAsked {
				return refuse(TooMuchOutput, "", "the server sent more than %d requests of its own in one answer", maxAsked)
			}
			if done, err := r.pass(data, id); done || err != nil {
				return err
			}
			data = nil
		}
		if err != nil {
			return refuse(Crashed, "", "the server ended before it answered")
		}
	}
}

// pass hands over a message, and reports whether it answers the request.
func (r *remote) pass(data []byte, id json.RawMessage) (bool, error) {
	var message bytes.Buffer
	var head envelope
	if err := errors.Join(json.Compact(&message, data), json.Unmarshal(data, &head)); err != nil {
		return false, refuse(Crashed, "", "the server's answer is not a JSON-RPC message")
	}
	r.note("", head.Result.ProtocolVersion)
	message.WriteByte('\n')
	_, err := r.answers.Write(message.Bytes())
	return head.Method == "" && bytes.Equal(head.ID, id), err //nolint:wrapcheck // it was ended
}

// fail ends the conversation with the first reason.
func (r *remote) fail(why error) {
	r.end(why)
	_ = r.answers.CloseWithError(context.Cause(r.ctx)) // always nil
}

// failure is why the conversation failed; nil if it was ended from here.
func (r *remote) failure() error {
	if err := context.Cause(r.ctx); !errors.Is(err, errEnded) {
		return err
	}
	return nil
}

// Close implements io.Closer.
func (r *remote) Close() error { r.Kill(); return nil }

// Kill implements peer.
func (r *remote) Kill() { r.fail(errEnded) }

// Ended implements peer.
func (r *remote) Ended() bool { return r.ctx.Err() != nil }

// Wait implements peer: it tells the server that the session ended.
func (r *remote) Wait() sandbox.Result {
	if r.note("", "") {
		ctx, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		if res, err := r.send(ctx, http.MethodDelete, nil); err == nil {
			_ = res.Body.Close()
		}
	}
	r.client.CloseIdleConnections()
	return sandbox.Result{Ended: sandbox.Cancelled}
}
