package ask_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/scan"
)

func files() []scan.File {
	return []scan.File{{Path: "a/SKILL.md", Mode: tree.Regular, Content: []byte("# Count\n")}, {Path: "a/x.png", Mode: tree.Regular, Content: []byte("\x00")}}
}

func second(by ask.Asker) diag.List {
	return ask.OpinionFindings(context.Background(), by, files(), diag.List{{Rule: "sudo", Severity: diag.Note}})
}

// TestOpinionAnswers: an answer adds its findings; anything else escalates.
func TestOpinionAnswers(t *testing.T) {
	const failed = "warning opinion-failed "
	for answer, want := range map[string]string{
		`{"verdict":"pass","reason":"","findings":[]}`: "",
		`{"verdict":"pass"}`:                           "",
		`{"verdict":"block","reason":"it steals"}`:     "error opinion ",
		`{"verdict":"escalate","reason":"odd"}`:        "warning opinion ",
		`{"verdict":"pass","findings":[{"file":"a/SKILL.md","line":1,"severity":"warning","message":"odd"}]}`: "warning opinion a/SKILL.md:1",
		`{"verdict":"pass","findings":[{"file":"../other","line":1,"severity":"note","message":"odd"}]}`:      "note opinion ",
		``:                                       failed,
		`pass`:                                   failed,
		`{}`:                                     failed,
		`{"verdict":"fine"}`:                     failed,
		`{"verdict":"pass","waive":"x"}`:         failed,
		`{"verdict":"pass"} {"verdict":"block"}`: failed,
		"```json\n{\"verdict\":\"pass\"}\n```":   failed,
		`{"verdict":"pass","reason":"` + strings.Repeat("x", 70_000) + `"}`:                                      failed,
		`{"verdict":"pass","findings":[` + strings.Repeat(`{"severity":"note"},`, 100) + `{"severity":"note"}]}`: failed,
	} {
		var got []string
		for _, d := range second(func(context.Context, []byte) ([]byte, error) { return []byte(answer), nil }) {
			got = append(got, d.Severity.String()+" "+d.Rule+" "+d.Pos.String())
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%.60s: got %q, want %q", answer, got, want)
		}
	}
}

// TestOpinionCommand: a real command gets the files, and its failures escalate.
func TestOpinionCommand(t *testing.T) {
	for line, want := range map[string]string{
		`grep -q '"path":"a/SKILL.md","content":"# Count' && echo '{"verdict":"block","reason":"seen"}'`: "opinion",
		`grep -q '"left_out":."a/x.png"' && echo '{"verdict":"escalate"}'`:                               "opinion",
		`exit 3`:                   "opinion-failed",
		`echo`:                     "opinion-failed",
		`yes`:                      "opinion-failed",
		`no-such-command-anywhere`: "opinion-failed",
	} {
		if line == "yes" {
			line = "head -c 200000 /dev/zero"
		}
		found := second(ask.OpinionForm().Command(line))
		if len(found) != 1 || found[0].Rule != want {
			t.Errorf("%s: %v", line, found)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if found := ask.OpinionFindings(ctx, ask.OpinionForm().Command(`echo '{"verdict":"pass"}'`), files(), nil); len(found) != 1 {
		t.Errorf("ended: %v", found)
	}
}

// TestNoLogins: a helper gets no credentials of the engine, because it reads text by others.
func TestNoLogins(t *testing.T) {
	for _, name := range []string{"ASSENT_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "ASSENT_GIT_PASSWORD"} {
		t.Setenv(name, "the login")
	}
	t.Setenv("HARMLESS", "here")
	const look = `env | grep -q '=the login$' && exit 3; test "$HARMLESS" = here && echo '{"verdict":"pass"}'`
	for name, by := range map[string]ask.Asker{"command line": ask.OpinionForm().Command(look), "opinion.yaml": ask.OpinionForm().Program([]string{"/bin/sh", "-c", look})} {
		if found := second(by); len(found) != 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestOpinionEndpoint: with a server that has OpenAI's API; the question is fenced.
func TestOpinionEndpoint(t *testing.T) {
	status, content := http.StatusOK, `{"verdict":"block","reason":"bad"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		err := json.NewDecoder(r.Body).Decode(&q)
		user := strings.Split(q.Messages[1].Content, "\n")
		if err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer k" || q.Model != "m" ||
			len(user) != 3 || user[0] != user[2] || strings.Contains(user[1], user[0]) || !strings.Contains(user[1], "# Count") {
			t.Errorf("%v, %s, %+v", err, r.URL, q)
		}
		w.WriteHeader(status)
		answer, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": map[string]string{"content": content}}}})
		_, _ = w.Write(answer)
	}))
	defer server.Close()
	by := ask.OpinionForm().Endpoint(server.URL+"/v1/", "m", "k")
	if found := second(by); len(found) != 1 || found[0].Rule != ask.RuleOpinion || found[0].Severity != diag.Error {
		t.Error(found)
	}
	for _, status = range []int{http.StatusTooManyRequests, http.StatusFound} {
		if found := second(by); len(found) != 1 || found[0].Rule != ask.RuleOpinionFailed {
			t.Error(found)
		}
	}
	server.Close()
	if found := second(by); len(found) != 1 || found[0].Rule != ask.RuleOpinionFailed {
		t.Error(found)
	}
}
