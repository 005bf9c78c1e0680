package github

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestLacks: a classic token's scopes are read from GitHub's headers. For other tokens,
// requests that GitHub refuses anyway show what is missing.
func TestLacks(t *testing.T) {
	for _, c := range []struct {
		name, scopes string // "-" is no classic token
		private      bool
		role         string
		refuses      string // a part of the path of what the token may not
		want         []string
	}{
		{name: "classic", scopes: "repo, workflow", private: true},
		{name: "public", scopes: "public_repo"},
		{name: "not for private ones", scopes: "public_repo", private: true, want: []string{"the scope repo"}},
		{name: "none", scopes: "", want: []string{"the scope public_repo"}},
		{name: "fine-grained", scopes: "-"},
		{name: "no contents", scopes: "-", refuses: "/git/refs", want: []string{"the permission contents: write"}},
		{name: "no pulls", scopes: "-", refuses: "/pulls", want: []string{"the permission pull requests: write"}},
		{name: "no statuses", scopes: "-", refuses: "/statuses/", want: []string{"the permission commit statuses: write"}},
		{name: "only reads", scopes: "-", refuses: "/", want: []string{"the permission contents", "the permission pull requests", "the permission commit statuses"}},
		{name: "nobody there", scopes: "repo", role: "read", want: []string{"the right to write to o/r"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if c.scopes != "-" {
					w.Header().Set("X-OAuth-Scopes", c.scopes)
				}
				w.Header().Set("Content-Type", "application/json")
				switch {
				case req.Method == http.MethodGet:
					_ = json.NewEncoder(w).Encode(map[string]any{"private": c.private, "permissions": map[string]bool{"pull": true, "push": c.role != "read"}})
				case c.refuses != "" && strings.Contains(strings.TrimPrefix(req.URL.Path, "/api/v3/repos/o/r"), c.refuses):
					w.WriteHeader(http.StatusForbidden)
					_, _ = w.Write([]byte(`{"message": "Resource not accessible by personal access token"}`))
				default:
					w.WriteHeader(http.StatusUnprocessableEntity)
					_, _ = w.Write([]byte(`{"message": "Validation Failed"}`))
				}
			}))
			defer server.Close()
			h, err := New(Options{Server: server.URL, Owner: "o", Repo: "r", Token: "t"})
			if err != nil {
				t.Fatal(err)
			}
			lacks, err := h.Lacks(t.Context())
			if err != nil || len(lacks) != len(c.want) {
				t.Fatalf("%+v, %v", lacks, err)
			}
			for i, l := range lacks {
				if !strings.HasPrefix(l.Right, c.want[i]) || l.For == "" || l.Fix == "" {
					t.Errorf("%+v, want %s", l, c.want[i])
				}
			}
		})
	}
}
