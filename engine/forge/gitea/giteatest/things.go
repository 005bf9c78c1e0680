package giteatest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Admin is the account that administers the server.
const Admin = "root"

const password = "a password for tests only"

// User creates an account unless it exists.
func (s *Server) User(t testing.TB, name string) {
	t.Helper()
	if s.Status(t, Admin, http.MethodGet, "/users/"+name, nil) == http.StatusOK {
		return
	}
	s.Do(t, Admin, http.MethodPost, "/admin/users", map[string]any{
		"username": name, "email": name + "@example.org", "password": password, "must_change_password": false,
	}, nil)
}

// Token creates a token of an account, with these scopes or all of them.
func (s *Server) Token(t testing.TB, user string, scopes ...string) string {
	t.Helper()
	if len(scopes) == 0 {
		scopes = []string{"write:repository", "write:issue", "read:user"}
	}
	s.serial++
	var made struct{ Sha1 string }
	s.Do(t, user, http.MethodPost, "/users/"+user+"/tokens", map[string]any{"name": fmt.Sprint("test ", s.serial), "scopes": scopes}, &made)
	return made.Sha1
}

// RevokeTokens makes all tokens of an account invalid.
func (s *Server) RevokeTokens(t testing.TB, user string) {
	t.Helper()
	var tokens []struct{ ID int64 }
	s.Do(t, user, http.MethodGet, "/users/"+user+"/tokens?limit=50", nil, &tokens)
	for _, token := range tokens {
		s.Do(t, user, http.MethodDelete, fmt.Sprintf("/users/%s/tokens/%d", user, token.ID), nil, nil)
	}
}

// Repo is a repository on the server.
type Repo struct {
	Server      *Server
	Owner, Name string
}

// Repo creates an empty, publicly readable repository of an account, and lets others
// write to it.
func (s *Server) Repo(t testing.TB, owner string, writers ...string) Repo {
	t.Helper()
	s.serial++
	r := Repo{Server: s, Owner: owner, Name: fmt.Sprint("ws-", s.serial)}
	s.Do(t, owner, http.MethodPost, "/user/repos", map[string]any{"name": r.Name, "default_branch": "main"}, nil)
	for _, w := range writers {
		s.Do(t, owner, http.MethodPut, r.Path("/collaborators/"+w), map[string]any{"permission": "write"}, nil)
	}
	return r
}

// Path returns an API path below the repository.
func (r Repo) Path(below string) string { return "/repos/" + r.Owner + "/" + r.Name + below }

// Do is Server.Do as the owner.
func (r Repo) Do(t testing.TB, method, below string, body, into any) {
	t.Helper()
	r.Server.Do(t, r.Owner, method, r.Path(below), body, into)
}

// Remote returns the address for git, with an account and its token or password in it.
func (r Repo) Remote(t testing.TB, user string) string {
	t.Helper()
	u, err := url.Parse(r.Server.URL)
	must(t, err)
	u.User = url.UserPassword(user, password)
	return u.JoinPath(r.Owner, r.Name+".git").String()
}

// Ready waits until the server has processed the first push. For a moment the server
// takes a repository for empty, and fails.
func (r Repo) Ready(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); r.Server.Status(t, r.Owner, http.MethodGet, r.Path("/branches/main"), nil) != http.StatusOK; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the server does not see the first push\n%s", r.Server.log())
		}
	}
}

// Dir returns the server's folder of the repository, for reading only.
func (r Repo) Dir() string {
	return filepath.Join(r.Server.dir, "repositories", r.Owner, r.Name+".git")
}

// Settings changes settings of the repository, such as allow_manual_merge.
func (r Repo) Settings(t testing.TB, settings map[string]any) {
	t.Helper()
	r.Do(t, http.MethodPatch, "", settings, nil)
}

// Protect creates a rule for a branch, with further settings by their names in the API.
func (r Repo) Protect(t testing.TB, branch string, settings map[string]any) {
	t.Helper()
	rule := map[string]any{"rule_name": branch}
	for k, v := range settings {
		rule[k] = v
	}
	r.Do(t, http.MethodPost, "/branch_protections", rule, nil)
}

// Do sends an API request as an account, with its password, and ends the test if it is
// refused. body and into may be nil.
func (s *Server) Do(t testing.TB, user, method, path string, body, into any) {
	t.Helper()
	status, text := s.ask(t, user, method, path, body)
	if status >= 300 {
		t.Fatalf("%s %s as %s: %d %s\n%s", method, path, user, status, text, s.log())
	}
	if into != nil {
		must(t, json.Unmarshal(text, into))
	}
}

// Status is Do for requests that may be refused.
func (s *Server) Status(t testing.TB, user, method, path string, body any) int {
	t.Helper()
	status, _ := s.ask(t, user, method, path, body)
	return status
}

func (s *Server) ask(t testing.TB, user, method, path string, body any) (int, []byte) {
	t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		must(t, err)
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1"+path, sent)
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	if user == Admin && !strings.HasSuffix(path, "/tokens") {
		req.Header.Set("Authorization", "token "+s.admin)
	} else {
		req.SetBasicAuth(user, password)
	}
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, text
}
