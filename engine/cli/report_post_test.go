package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/cli"
	"github.com/assent-dev/assent/engine/cli/console"
)

// wall is the part of GitHub's API that a report needs; it records all requests.
type wall struct {
	head     string
	statuses []map[string]any
	comments []map[string]any
	alerts   []map[string]any
	scanning bool // switched on
}

func (w *wall) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	const repo = "/api/v3/repos/someone/agents/"
	path := strings.TrimPrefix(r.URL.Path, repo)
	var in map[string]any
	if r.Method != http.MethodGet {
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
	}
	answer := func(v any) {
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(v)
	}
	switch {
	case r.Header.Get("Authorization") != "Bearer t0ken":
		http.Error(rw, `{"message":"Bad credentials"}`, http.StatusUnauthorized)
	case r.URL.Path == "/api/v3/user":
		answer(map[string]any{"login": "bot"})
	case path == "pulls":
		answer([]any{map[string]any{
			"number": 7, "state": "open", "base": map[string]any{"ref": "main", "repo": map[string]any{"full_name": "someone/agents"}},
			"head": map[string]any{"ref": "feature", "sha": w.head, "repo": map[string]any{"full_name": "someone/agents"}},
			"user": map[string]any{"login": "ada"},
		}})
	case strings.HasSuffix(path, "/statuses") && r.Method == http.MethodGet:
		answer(w.statuses)
	case strings.HasPrefix(path, "statuses/"):
		w.statuses = append(w.statuses, in)
		rw.WriteHeader(http.StatusCreated)
		answer(in)
	case path == "code-scanning/sarifs" && !w.scanning:
		http.Error(rw, `{"message":"Code scanning is not enabled for this repository"}`, http.StatusForbidden)
	case path == "code-scanning/sarifs":
		w.alerts = append(w.alerts, in)
		rw.WriteHeader(http.StatusAccepted)
		answer(map[string]any{"id": "a1"})
	case path == "issues/7/comments" && r.Method == http.MethodGet:
		answer(w.comments)
	case path == "issues/7/comments":
		in["id"], in["user"] = len(w.comments)+1, map[string]any{"login": "bot"}
		w.comments = append(w.comments, in)
		rw.WriteHeader(http.StatusCreated)
		answer(in)
	default:
		http.Error(rw, fmt.Sprintf(`{"message":"nothing at %s %s"}`, r.Method, r.URL), http.StatusNotFound)
	}
}

func TestReportPost(t *testing.T) {
	const head = "0123456789abcdef0123456789abcdef01234567"
	w := &wall{head: head}
	server := httptest.NewServer(w)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "report.json")
	const report = `{"v":1,"engine":"0.0.0","base":"","result":"","passed":true,"files":[],
		"diagnostics":[{"rule":"a-rule","severity":"error","file":"a.md","line":2,"column":0,"message":"@all look"}]}`
	if err := os.WriteFile(file, []byte(report), 0o600); err != nil {
		t.Fatal(err)
	}
	const refused = -1 // any code but 0
	env := map[string]string{"GITHUB_SERVER_URL": server.URL, "GITHUB_REPOSITORY": "someone/agents", "ASSENT_TOKEN": "t0ken", "GITHUB_RUN_ID": "11"}
	run := func(want int, args ...string) string {
		t.Helper()
		var out, complaints bytes.Buffer
		code := cli.Run(context.Background(), args, console.World{In: strings.NewReader(""), Out: &out, Err: &complaints, Getenv: func(name string) string { return env[name] }})
		if code != want && (want != refused || code == 0) {
			t.Fatalf("%s ended with %d, want %d\n%s%s", args, code, want, &out, &complaints)
		}
		return out.String() + complaints.String()
	}

	if said := run(0, "report", "post", file, "--head", head, "--branch", "feature", "--dry-run"); !strings.Contains(said, "failure") || len(w.statuses)+len(w.comments) > 0 {
		t.Errorf("a dry run says %q", said)
	}
	if said := run(0, "report", "post", file, "--head", head, "--branch", "feature"); !strings.Contains(said, "#7") {
		t.Errorf("it says %q", said)
	}
	if len(w.statuses) != 1 || w.statuses[0]["context"] != "assent" || w.statuses[0]["state"] != "failure" || w.statuses[0]["target_url"] != server.URL+"/someone/agents/actions/runs/11" {
		t.Errorf("statuses: %v", w.statuses)
	}
	if len(w.comments) != 1 || !strings.Contains(w.comments[0]["body"].(string), "`@all look` (`a-rule`)") {
		t.Errorf("comments: %v", w.comments)
	}
	if said := run(0, "report", "post", file, "--head", head, "--branch", "feature", "--code-scanning"); !strings.Contains(said, "code scanning is switched off") || !strings.Contains(said, "published failure") {
		t.Errorf("without code scanning: %q", said)
	}
	w.scanning = true
	if said := run(0, "report", "post", file, "--head", head, "--branch", "feature", "--code-scanning"); !strings.Contains(said, "code scanning: uploaded") {
		t.Errorf("with code scanning: %q", said)
	}
	if len(w.alerts) != 1 || w.alerts[0]["commit_sha"] != head || w.alerts[0]["ref"] != "refs/pull/7/head" {
		t.Errorf("alerts: %v", w.alerts)
	}
	w.head = strings.Repeat("9", 40)
	if said := run(0, "report", "post", file, "--head", head, "--branch", "feature"); !strings.Contains(said, "another commit by now") || len(w.comments) != 1 {
		t.Errorf("a branch that moved: %q", said)
	}
	if said := run(0, "report", "post", file, "--head", head, "--branch", "feature", "--code-scanning"); !strings.Contains(said, "no pull request to show") || len(w.alerts) != 1 {
		t.Errorf("a branch that moved: %q", said)
	}

	run(2, "report", "post", file, "--head", "main")
	run(2, "report", "post", file+"x", "--head", head)
	env["ASSENT_TOKEN"] = "0ldt0ken"
	if said := run(refused, "report", "post", file, "--head", head); strings.Contains(said, "0ldt0ken") {
		t.Errorf("a token is shown: %q", said)
	}
	env["ASSENT_TOKEN"] = ""
	run(2, "report", "post", file, "--head", head)
	env["GITHUB_TOKEN"], env["GITHUB_REPOSITORY"] = "t0ken", "agents"
	run(2, "report", "post", file, "--head", head)
}
