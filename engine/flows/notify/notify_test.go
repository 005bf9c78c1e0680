package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/flows/notice"
	"github.com/assent-dev/assent/engine/flows/notify"
)

const secret = "a secret of many characters"

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hook answers with the given statuses in turn, repeating the last, and keeps the requests.
type hook struct {
	*httptest.Server
	statuses []int
	mu       sync.Mutex
	bodies   []string
	signed   []bool
}

func newHook(t *testing.T, statuses ...int) *hook {
	h := &hook{statuses: statuses}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.bodies = append(h.bodies, string(body))
		h.signed = append(h.signed, r.Header.Get("X-Assent-Signature-256") == "sha256="+hex.EncodeToString(mac.Sum(nil)) && r.Header.Get("X-Assent-Event") != "")
		status := h.statuses[min(len(h.bodies), len(h.statuses))-1]
		if status == http.StatusFound {
			w.Header().Set("Location", h.URL+"/elsewhere")
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) target(t *testing.T) notice.Target {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	ok(t, os.WriteFile(file, []byte(secret+"\n"), 0o600))
	return notice.Target{Name: "hook", URL: h.URL + "/token-in-the-path", SecretFile: file, Timeout: 10 * time.Second}
}

func waiting(id string, people ...string) notice.Notice {
	n := notice.Notice{V: notice.Version, Event: notice.Waiting, Workspace: "w", Proposal: id, Head: "h", Goal: "$(touch /tmp/x) `y`", For: []notice.Person{}}
	for _, p := range people {
		n.For = append(n.For, notice.Person{Name: p})
	}
	return n
}

func TestWebhook(t *testing.T) {
	for _, tc := range []struct {
		name     string
		statuses []int
		came     int
		want     string
	}{
		{"taken", []int{204}, 1, ""},
		{"taken the second time", []int{503, 200}, 2, ""},
		{"busy", []int{429, 200}, 2, ""},
		{"broken", []int{500}, 3, "answers 500"},
		{"wrong", []int{404}, 1, "answers 404"},
		{"elsewhere", []int{302}, 1, "answers 302"}, // the signature is not sent to another server
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := newHook(t, tc.statuses...)
			err := notify.Send(t.Context(), h.target(t), waiting("a", "ada"))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			if len(h.bodies) != tc.came {
				t.Errorf("%d requests, want %d", len(h.bodies), tc.came)
			}
			var n notice.Notice
			if err := json.Unmarshal([]byte(h.bodies[0]), &n); err != nil || n.Proposal != "a" || !h.signed[0] {
				t.Errorf("signed %v: %s", h.signed[0], h.bodies[0])
			}
		})
	}
}

// An address may contain a secret, and is never printed.
func TestAddressStaysUnsaid(t *testing.T) {
	h := newHook(t, 200)
	target := h.target(t)
	h.Close()
	if err := notify.Send(t.Context(), target, waiting("a")); err == nil || strings.Contains(err.Error(), "token-in-the-path") {
		t.Error(err)
	}
}

// Each person gets one notice for each head, from any number of concurrent processes; a
// person added later gets their own.
func TestOnce(t *testing.T) {
	h := newHook(t, 200)
	targets := []notice.Target{h.target(t)}
	dir := t.TempDir()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	box := notify.Box{Dir: dir, Now: func() time.Time { return now }}
	var all sync.WaitGroup
	var told atomic.Int32
	for range 16 {
		all.Go(func() {
			done, err := box.Tell(context.Background(), targets, []notice.Notice{waiting("a", "ada", "bob")}, false)
			if err != nil {
				t.Error(err)
			}
			told.Add(int32(len(done)))
		})
	}
	all.Wait()
	if told.Load() != 1 || len(h.bodies) != 1 {
		t.Errorf("told %d times, %d requests", told.Load(), len(h.bodies))
	}
	_, err := box.Tell(t.Context(), targets, []notice.Notice{waiting("a", "ada", "eve")}, false)
	ok(t, err)
	if len(h.bodies) != 2 || strings.Contains(h.bodies[1], "ada") || !strings.Contains(h.bodies[1], "eve") {
		t.Errorf("%q", h.bodies)
	}
	moved := waiting("a", "ada")
	moved.Head = "another"
	_, err = box.Tell(t.Context(), targets, []notice.Notice{moved}, false)
	ok(t, err)
	if len(h.bodies) != 3 {
		t.Errorf("a new head told nobody: %q", h.bodies)
	}
}

// A failed delivery is remembered, and retried with delays until it is accepted.
func TestTriedAgain(t *testing.T) {
	h := newHook(t, 404, 404, 200)
	targets := []notice.Target{h.target(t)}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	box := notify.Box{Dir: t.TempDir(), Now: func() time.Time { return now }}
	for _, tc := range []struct {
		after    time.Duration
		notices  []notice.Notice
		requests int
		failures int
	}{
		{0, []notice.Notice{waiting("a", "ada", "bob")}, 1, 1},
		{time.Second, []notice.Notice{waiting("a", "ada", "bob")}, 1, 1},
		{5 * time.Minute, nil, 2, 1},
		{time.Minute, nil, 2, 1},
		{10 * time.Minute, nil, 3, 0},
		{10 * time.Hour, []notice.Notice{waiting("a", "ada", "bob")}, 3, 0},
	} {
		now = now.Add(tc.after)
		_, err := box.Tell(t.Context(), targets, tc.notices, false)
		ok(t, err)
		failed, err := box.Failures()
		ok(t, err)
		if len(h.bodies) != tc.requests || len(failed) != tc.failures {
			t.Errorf("%s: %d requests, %d failures; want %d and %d", tc.after, len(h.bodies), len(failed), tc.requests, tc.failures)
		}
	}
	if !strings.Contains(h.bodies[2], "ada") || !strings.Contains(h.bodies[2], "bob") {
		t.Errorf("sent again: %s", h.bodies[2])
	}
}

// A claim by a killed process expires.
func TestAbandoned(t *testing.T) {
	h := newHook(t, 200)
	targets := []notice.Target{h.target(t)}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	box := notify.Box{Dir: dir, Now: func() time.Time { return now }}
	n := waiting("a", "ada")
	entry, err := json.Marshal(map[string]any{"v": 1, "entries": map[string]any{n.Key(targets[0], "ada"): map[string]any{"state": "claimed", "at": now}}})
	ok(t, err)
	ok(t, os.WriteFile(filepath.Join(dir, "notified.json"), entry, 0o600))
	for _, want := range []int{0, 1} {
		_, err := box.Tell(t.Context(), targets, []notice.Notice{n}, false)
		ok(t, err)
		if len(h.bodies) != want {
			t.Errorf("at %s: %d requests, want %d", now, len(h.bodies), want)
		}
		now = now.Add(6 * time.Minute)
	}
}

// With a damaged memory no notice is sent, rather than all again.
func TestDamagedMemory(t *testing.T) {
	h := newHook(t, 200)
	dir := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(dir, "notified.json"), []byte("{"), 0o600))
	box := notify.Box{Dir: dir, Now: time.Now}
	for _, dry := range []bool{false, true} {
		if _, err := box.Tell(t.Context(), []notice.Target{h.target(t)}, []notice.Notice{waiting("a", "ada")}, dry); err == nil || len(h.bodies) > 0 {
			t.Errorf("%v, %d requests", err, len(h.bodies))
		}
	}
}

// A command that does not end is killed; processes that inherit its output are not waited
// for.
func TestCommandEnds(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the target is a shell script")
	}
	target := notice.Target{Name: "slow", Command: []string{"/bin/sh", "-c", "sleep 600 & sleep 600"}, Timeout: 50 * time.Millisecond}
	if err := notify.Send(t.Context(), target, waiting("a")); err == nil || !strings.Contains(err.Error(), "did not end within") {
		t.Error(err)
	}
}

func TestWants(t *testing.T) {
	n := waiting("a", "ada")
	for _, tc := range []struct {
		target notice.Target
		want   bool
	}{
		{notice.Target{}, true},
		{notice.Target{For: []string{"ada", "bob"}}, true},
		{notice.Target{For: []string{"bob"}}, false},
		{notice.Target{Events: []string{notice.Merged}}, false},
		{notice.Target{Workspaces: []string{"w"}}, true},
		{notice.Target{Workspaces: []string{"other"}}, false},
	} {
		if got := tc.target.Wants(n); got != tc.want {
			t.Errorf("%+v: %v", tc.target, got)
		}
	}
}

// A notification command gets none of the engine's logins.
func TestCommandGetsNoSecrets(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the target is a shell script")
	}
	for _, name := range []string{"ASSENT_TOKEN", "ASSENT_GIT_PASSWORD", "ASSENT_WEBHOOK_SECRET", "GITHUB_TOKEN", "GH_TOKEN", "GIT_CONFIG_VALUE_0"} {
		t.Setenv(name, "hush-hush")
	}
	t.Setenv("ASSENT_AGENT", "scout")
	t.Setenv("OTHERS", "stay")
	file := filepath.Join(t.TempDir(), "env")
	ok(t, notify.Send(t.Context(), notice.Target{Name: "env", Command: []string{"/bin/sh", "-c", `env > "$0"`, file}, Timeout: 10 * time.Second}, waiting("a")))
	text, err := os.ReadFile(file)
	ok(t, err)
	if strings.Contains(string(text), "hush-hush") || !strings.Contains(string(text), "OTHERS=stay") || !strings.Contains(string(text), "ASSENT_AGENT=scout") || !strings.Contains(string(text), "ASSENT_PROPOSAL=a") {
		t.Errorf("%s", text)
	}
}
