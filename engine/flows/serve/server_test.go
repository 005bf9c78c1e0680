package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/webhook"
)

const secret = "0123456789abcdef"

// served is a daemon that listens; its passes are good and do nothing.
type served struct {
	*testing.T
	*Daemon
	address string
	log     *lines
}

type lines struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

func start(t *testing.T, change func(*Settings)) served {
	t.Helper()
	log := &lines{}
	s := Settings{
		Make: func(context.Context) (Outcome, error) { return Outcome{}, nil },
		Poll: MinPoll * 3600, Settle: MinSettle, Secrets: webhook.Secrets{[]byte(secret)}, Log: slog.New(slog.NewJSONHandler(log, nil)),
	}
	if change != nil {
		change(&s)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := New(s)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return served{t, d, listener.Addr().String(), log}
}

// ask sends a request and returns status and body of the answer.
func (s served) ask(method, path, body string, header map[string]string) (int, string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	if host := header["Host"]; host != "" {
		r.Host = host
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func signed256(key, body string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func (s served) deliver(key, id, body string) int {
	s.Helper()
	code, _ := s.ask(http.MethodPost, "/webhook", body, map[string]string{"X-GitHub-Delivery": id, "X-Hub-Signature-256": signed256(key, body)})
	return code
}

// A delivery wakes one pass, regardless of its body; forged, repeated and malformed ones
// wake none.
func TestDeliveries(t *testing.T) {
	passes := make(chan int, 100)
	s := start(t, func(s *Settings) {
		n := 0
		s.Make = func(context.Context) (Outcome, error) { n++; passes <- n; return Outcome{}, nil }
	})
	<-passes // the first
	for i, c := range []struct {
		key, id, body string
		code          int
	}{
		{"another secret!!", "1", "{}", http.StatusForbidden},
		{secret, "", "{}", http.StatusBadRequest},
		{secret, "1", "this is not JSON", http.StatusAccepted},
		{secret, "1", "this is not JSON", http.StatusOK},
		{secret, "1", "{}", http.StatusOK},
		{secret, "2", "this is not JSON", http.StatusOK},
		{secret, "3", "", http.StatusAccepted},
	} {
		if got := s.deliver(c.key, c.id, c.body); got != c.code {
			t.Errorf("%d: answered %d, want %d", i, got, c.code)
		}
		if c.code == http.StatusAccepted {
			<-passes
		}
	}
	if code, _ := s.ask(http.MethodGet, "/webhook", "", nil); code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", code)
	}
	select {
	case n := <-passes:
		t.Errorf("pass %d was woken by what is no new delivery", n)
	default:
	}
	_, metrics := s.ask(http.MethodGet, "/metrics", "", nil)
	for _, want := range []string{
		`assent_webhook_deliveries_total{result="accepted"} 2`, `assent_webhook_deliveries_total{result="repeated"} 3`,
		`assent_webhook_deliveries_total{result="forged"} 1`, `assent_webhook_deliveries_total{result="malformed"} 1`,
	} {
		if !strings.Contains(metrics, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(s.log.text(), secret) || strings.Contains(metrics, secret) {
		t.Error("the secret is shown")
	}
}

// Deliveries that never end hold up neither others nor the daemon's own answers: the oldest gives way.
func TestDeliveriesAtOnce(t *testing.T) {
	s := start(t, nil)
	var senders []*bufio.Reader
	for range atOnce {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		sender := bufio.NewReader(conn)
		fmt.Fprintf(conn, "POST /webhook HTTP/1.1\r\nHost: localhost\r\nX-GitHub-Delivery: 1\r\nX-Hub-Signature-256: %s\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n", signed256(secret, ""))
		if answer, err := sender.ReadString('\n'); err != nil || !strings.Contains(answer, "100 Continue") { // it is being read
			t.Fatalf("%q, %v", answer, err)
		}
		senders = append(senders, sender)
	}
	if code := s.deliver(secret, "2", "{}"); code != http.StatusAccepted {
		t.Errorf("one more: %d", code)
	}
	if _, err := senders[0].ReadString('\n'); err != nil { // the empty line after 100 Continue
		t.Fatal(err)
	}
	if answer, err := senders[0].ReadString('\n'); err != nil || !strings.Contains(answer, " 503 ") {
		t.Errorf("the oldest: %q, %v", answer, err)
	}
	if code, _ := s.ask(http.MethodGet, "/livez", "", nil); code != http.StatusOK {
		t.Errorf("livez: %d", code)
	}
}

func TestTooLarge(t *testing.T) {
	s := start(t, nil)
	if code := s.deliver(secret, "1", strings.Repeat("a", webhook.MaxBody+1)); code != http.StatusRequestEntityTooLarge {
		t.Errorf("answered %d", code)
	}
}

// Without a secret no delivery is accepted.
func TestNoSecret(t *testing.T) {
	s := start(t, func(s *Settings) { s.Secrets = nil })
	if code := s.deliver("", "1", "{}"); code != http.StatusNotFound {
		t.Errorf("answered %d", code)
	}
}

func TestHostHeader(t *testing.T) {
	s := start(t, func(s *Settings) { s.Hosts = []string{"assent.example.org"} })
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8466": 200, "LOCALHOST.": 200, "127.0.0.1": 200, "127.0.0.1:1": 200, "[::1]:8466": 200, "192.0.2.7": 200,
		"assent.example.org": 200, "Assent.Example.Org:443": 200,
		"evil.example": 421, "evil.example:8466": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421, "xassent.example.org": 421,
	} {
		for _, path := range []string{"/livez", "/metrics"} {
			if code, _ := s.ask(http.MethodGet, path, "", map[string]string{"Host": host}); code != want {
				t.Errorf("%s by %s: %d, want %d", path, host, code, want)
			}
		}
	}
	if code, _ := s.ask(http.MethodPost, "/webhook", "{}", map[string]string{"Host": "evil.example", "X-GitHub-Delivery": "1", "X-Hub-Signature-256": signed256(secret, "{}")}); code != 421 {
		t.Errorf("a delivery by another name: %d", code)
	}
}

// TestOrigin: what a page of another origin sends reaches no agent, whatever token it has. Other clients send no origin.
func TestOrigin(t *testing.T) {
	s := start(t, func(s *Settings) {
		s.Hosts = []string{"assent.example.org"}
		s.MCP = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	})
	for origin, want := range map[string]int{
		"": 202, "http://" + s.address: 202, "https://assent.example.org": 202, "https://Assent.Example.Org:8443": 202,
		"null": 403, "http://evil.example": 403, "http://127.0.0.1": 403, "http://127.0.0.1:1": 403, "http://localhost:1": 403, "http://" + s.address + ".evil.example": 403,
		"https://assent.example.org.evil.example": 403, "https://xassent.example.org": 403, "http://" + s.address + "@evil.example": 403, "://": 403, "file://": 403, s.address: 403, "assent.example.org": 403,
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions} {
			header := map[string]string{"Authorization": "Bearer token"}
			if origin != "" {
				header["Origin"] = origin
			}
			if code, _ := s.ask(method, "/mcp", "{}", header); code != want {
				t.Errorf("%s of %q: %d, want %d", method, origin, code, want)
			}
		}
	}
}

// A client that sends no end of headers is not listened to, and each request has an
// end in time.
func TestHeadersAreBounded(t *testing.T) {
	s := start(t, nil)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		fmt.Fprintf(conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Long: %s", strings.Repeat("a", 2*maxHeaders))
	}()
	if answer, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(answer, " 431 ") {
		t.Errorf("answered %q, %v", answer, err)
	}
	if server := s.server(); server.ReadHeaderTimeout <= 0 || server.ReadTimeout <= 0 || server.WriteTimeout <= 0 || server.IdleTimeout <= 0 {
		t.Error("a limit is missing")
	}
}

// The results of a pass are counted and logged.
func TestWhatIsTold(t *testing.T) {
	made := make(chan struct{}, 10)
	s := start(t, func(s *Settings) {
		n := 0
		s.Make = func(context.Context) (Outcome, error) {
			defer func() { made <- struct{}{} }()
			var out Outcome
			out.Results = []reconcile.Result{
				{Action: "merge", Subject: "a-00000000", Outcome: reconcile.Merged}, {Action: "inbox", Subject: "inbox/x", Outcome: reconcile.Left, Reason: "nobody knows"},
			}
			out.Open = []reconcile.Pull{{State: proposal.Waiting}, {State: proposal.Waiting}, {State: proposal.Approved}}
			out.Damaged = []*forge.Damaged{{ID: "b-00000000", Where: "refs/x", Err: io.ErrUnexpectedEOF}}
			if n++; n > 1 {
				return out, io.ErrClosedPipe
			}
			return out, nil
		}
	})
	<-made
	s.until(func() bool {
		_, text := s.ask(http.MethodGet, "/metrics", "", nil)
		return strings.Contains(text, `assent_passes_total{result="ok"} 1`)
	})
	code, text := s.ask(http.MethodGet, "/healthz", "", nil)
	var c condition
	if err := json.Unmarshal([]byte(text), &c); err != nil || code != http.StatusOK || !c.Ready || c.LastGood == nil {
		t.Errorf("%d %s %v", code, text, err)
	}
	_, text = s.ask(http.MethodGet, "/metrics", "", nil)
	for _, want := range []string{
		`assent_actions_total{action="merge",outcome="merged"} 1`, `assent_actions_total{action="inbox",outcome="left"} 1`,
		`assent_open_proposals{state="waiting"} 2`, `assent_open_proposals{state="approved"} 1`, `assent_open_proposals{state="refused"} 0`,
		`assent_reviews_waiting 2`, `assent_damaged_proposals 1`, `assent_failures_in_a_row 0`, `assent_pass_duration_seconds_count 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	s.Wake()
	<-made
	s.until(func() bool {
		_, text := s.ask(http.MethodGet, "/metrics", "", nil)
		return strings.Contains(text, `assent_passes_total{result="failed"} 1`)
	})
	if code, text := s.ask(http.MethodGet, "/healthz", "", nil); code != http.StatusServiceUnavailable || !strings.Contains(text, "the last pass failed") {
		t.Errorf("%d %s", code, text)
	}
	log := s.log.text()
	for _, want := range []string{`"msg":"damaged proposal"`, `"outcome":"left","reason":"nobody knows"`, `"level":"ERROR","msg":"pass failed"`, io.ErrClosedPipe.Error()} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %s:\n%s", want, log)
		}
	}
}

// until asks again and again; the test's own end bounds it.
func (s served) until(is func() bool) {
	s.Helper()
	for !is() {
		if s.Context().Err() != nil {
			s.Fatal("it never came")
		}
	}
}
