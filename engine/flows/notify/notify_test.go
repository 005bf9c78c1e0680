package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
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
			done, err := box.Tell(context.Background(), targets, []notice.Notice{waiting("a", "ada", "bob")}, notify.How{})
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
	_, err := box.Tell(t.Context(), targets, []notice.Notice{waiting("a", "ada", "eve")}, notify.How{})
	ok(t, err)
	if len(h.bodies) != 2 || strings.Contains(h.bodies[1], "ada") || !strings.Contains(h.bodies[1], "eve") {
		t.Errorf("%q", h.bodies)
	}
	moved := waiting("a", "ada")
	moved.Head = "another"
	_, err = box.Tell(t.Context(), targets, []notice.Notice{moved}, notify.How{})
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
		_, err := box.Tell(t.Context(), targets, tc.notices, notify.How{})
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
		_, err := box.Tell(t.Context(), targets, []notice.Notice{n}, notify.How{})
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
		if _, err := box.Tell(t.Context(), []notice.Target{h.target(t)}, []notice.Notice{waiting("a", "ada")}, notify.How{Dry: dry}); err == nil || len(h.bodies) > 0 {
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

// A target that takes nothing is tried a few times, not once for each notice, and less and less often.
// What it missed is kept, and told once it takes notices again.
func TestOutage(t *testing.T) {
	h := newHook(t, 404)
	other := newHook(t, 200)
	targets := []notice.Target{h.target(t), other.target(t)}
	targets[1].Name = "other"
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	now := began
	box := notify.Box{Dir: t.TempDir(), Now: func() time.Time { return now }}
	flood := func(from, to int) []notice.Notice {
		var out []notice.Notice
		for i := from; i < to; i++ {
			out = append(out, waiting(fmt.Sprintf("p%03d", i), "ada"))
		}
		return out
	}
	tell := func(notices []notice.Notice, how notify.How, requests, kept int, next time.Duration) {
		t.Helper()
		before := len(h.bodies)
		_, err := box.Tell(t.Context(), targets, notices, how)
		ok(t, err)
		outages, err := box.Outages(targets)
		ok(t, err)
		if got := len(h.bodies) - before; got != requests {
			t.Errorf("%d requests, want %d", got, requests)
		}
		switch {
		case kept == 0 && len(outages) > 0 || kept > 0 && len(outages) != 1:
			t.Errorf("%+v", outages)
		case kept > 0 && (outages[0].Target != "hook" || outages[0].Notices != kept || !outages[0].Next.Equal(now.Add(next)) || !strings.Contains(outages[0].Error, "404")):
			t.Errorf("%+v, want %d notices, and %s", outages[0], kept, now.Add(next))
		}
	}
	tell(flood(0, 100), notify.How{}, 2, 100, time.Minute)
	tell(flood(0, 200), notify.How{}, 0, 200, time.Minute) // not due
	for _, delay := range []int{1, 2, 4, 8, 16, 32, 60, 60, 60} {
		now = now.Add(time.Duration(delay) * time.Minute)
		tell(nil, notify.How{}, 2, 200, time.Duration(min(2*delay, 60))*time.Minute)
	}
	now = now.Add(time.Second)
	tell(nil, notify.How{Now: true}, 2, 200, time.Hour)
	h.statuses = append(slices.Repeat([]int{404}, len(h.bodies)), 200)
	now = now.Add(time.Second)
	tell(nil, notify.How{}, 0, 200, time.Hour-time.Second)
	tell(nil, notify.How{Now: true}, 200, 0, 0)
	told := map[string]bool{}
	for _, body := range h.bodies[len(h.bodies)-200:] {
		told[body] = true
	}
	if len(told) != 200 || len(other.bodies) != 200 {
		t.Errorf("%d of 200 notices came, and %d to the other target", len(told), len(other.bodies))
	}
	tell(flood(0, 201), notify.How{}, 1, 0, 0)
}

// A notice that is refused for good holds up no other.
func TestRefusedNotice(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the target is a shell script")
	}
	file := filepath.Join(t.TempDir(), "told")
	target := notice.Target{Name: "picky", Command: []string{"/bin/sh", "-c", `test "$ASSENT_PROPOSAL" != bad && echo "$ASSENT_PROPOSAL" >> "$0"`, file}, Timeout: 10 * time.Second}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	box := notify.Box{Dir: t.TempDir(), Now: func() time.Time { return now }}
	for i, n := range []string{"bad", "b", "c"} {
		_, err := box.Tell(t.Context(), []notice.Target{target}, []notice.Notice{waiting(n, "ada")}, notify.How{})
		ok(t, err)
		now = now.Add(time.Hour)
		text, _ := os.ReadFile(file)
		if got := strings.Fields(string(text)); len(got) != i {
			t.Errorf("after %s: %q", n, got)
		}
	}
}

// A retry whose process was killed is sent by another, though nothing waits any more, and
// all tries of one notice have one id.
func TestKilledRetry(t *testing.T) {
	var ids []string
	dir := t.TempDir()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ids = append(ids, r.Header.Get("X-Assent-Delivery")); len(ids) < 3 {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(h.Close)
	target := (&hook{Server: h}).target(t)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	box := notify.Box{Dir: dir, Now: func() time.Time { return now }}
	n := waiting("a", "ada", "bob")
	n.Round = "1"
	_, err := box.Tell(t.Context(), []notice.Target{target}, []notice.Notice{n}, notify.How{})
	ok(t, err)
	file := filepath.Join(dir, "notified.json")
	now = now.Add(time.Hour)
	killed := strings.ReplaceAll(read(t, file), `"state":"failed"`, `"state":"claimed"`)
	ok(t, os.WriteFile(file, []byte(killed), 0o600))
	for range 2 {
		_, err = box.Tell(t.Context(), []notice.Target{target}, []notice.Notice{n}, notify.How{})
		ok(t, err)
		now = now.Add(time.Hour)
	}
	if len(ids) != 3 || ids[0] != ids[1] || ids[1] != ids[2] {
		t.Errorf("%q", ids)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	ok(t, err)
	return string(text)
}
