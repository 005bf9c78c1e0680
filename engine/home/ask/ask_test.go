package ask_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/home/ask"
)

var form = ask.Form{Instructions: "judge", Most: 100}

// asks sends a question without a practical time limit.
func asks(a ask.Asker, question any) (string, error) {
	answer, err := a.Ask(context.Background(), time.Hour, question)
	return string(answer), err
}

// TestProgram: the answer is bounded, and errors name no folder of this machine.
func TestProgram(t *testing.T) {
	program := func(script string) ask.Asker { return form.Program([]string{"/bin/sh", "-c", script}) }
	here, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := asks(program("cat; pwd -P"), "a $(id) `b`"); err != nil || got != "\"a $(id) `b`\""+here+"\n" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := asks(program("head -c 100000 /dev/zero"), 1); err != nil || len(got) != form.Most+1 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, endless := range []string{"yes", "yes | cat", "trap '' PIPE; while :; do echo x; done 2>/dev/null", "yes & yes"} {
		if got, err := asks(program(endless), 1); err != nil || len(got) != form.Most+1 {
			t.Errorf("%s: %d bytes, %v", endless, len(got), err)
		}
	}
	if _, err := asks(program("head -c 100000 /dev/zero | tr '\\0' x >&2; exit 3"), 1); err == nil || len(err.Error()) > 300 || !strings.Contains(err.Error(), "exit status 3): xxx") {
		t.Error(err)
	}
	if _, err := asks(form.Program([]string{"/no/such/folder/ask"}), 1); err == nil || strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
	if _, err := asks(program("cat"), make(chan int)); err == nil {
		t.Error("a question that is not JSON is sent")
	}
}

// TestNoAnswer: a command that does not answer is not waited for, nor are its children.
func TestNoAnswer(t *testing.T) {
	for name, a := range map[string]ask.Asker{
		"a program":  form.Program([]string{"/bin/sh", "-c", "exec tail -f /dev/null"}),
		"its child":  form.Program([]string{"/bin/sh", "-c", "sleep 3 & wait"}),
		"in a shell": form.Command("exec tail -f /dev/null"),
	} {
		if _, err := a.Ask(context.Background(), time.Millisecond, 1); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer came within 1ms") {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := form.Command("cat").Ask(ctx, time.Hour, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestEndpoint: the key goes to the configured address only, and the answer is bounded.
func TestEndpoint(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s is asked, with %q", r.URL, r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	var body string
	var status int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Header.Get("Authorization") != "" {
			t.Error("a header is sent without a key")
		}
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	for _, c := range []struct {
		status     int
		body, want string
	}{
		{http.StatusOK, `{"choices":[{"message":{"content":"yes"}},{"message":{"content":"no"}}]}`, ""},
		{http.StatusFound, "", "302"},
		{http.StatusTemporaryRedirect, "", "307"},
		{http.StatusOK, `{"choices":[]}`, "no choice"},
		{http.StatusOK, `yes`, "read the answer"},
		{http.StatusOK, `{"choices":[{"message":{"content":"` + strings.Repeat("x", 70_000) + `"}}]}`, "more than"},
	} {
		status, body = c.status, c.body
		got, err := asks(form.Endpoint(server.URL, "m", ""), "data-")
		if c.want == "" && (err != nil || got != "yes") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d %.40s: %q, %v", c.status, c.body, got, err)
		}
	}
}
