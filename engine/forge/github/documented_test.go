package github

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/hosttest"
)

// TestDocumented runs the suite against an imitation made from GitHub's documentation.
func TestDocumented(t *testing.T) {
	hosttest.Run(t, func(t *testing.T) hosttest.Harness { return newService(t).harness() })
}

func (s *service) harness() hosttest.Harness {
	connect := func(t *testing.T, who, repo string, via http.RoundTripper, sleep hosttest.Sleep) host.Host {
		return s.connect(t, who, func(o *Options) {
			o.Repo, o.Sleep = repo, sleep
			o.Transport = &checked{t: t, api: s.api, strip: "/api/v3", next: via}
		})
	}
	by := func(who, method, path string, body map[string]any) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range routes() {
			m, pattern, _ := strings.Cut(r.pattern, " ")
			if parts := strings.Split(path, "/"); m == method && fits(strings.Split(pattern, "/"), parts) {
				if _, answer := r.do(s, call{who: who, path: parts, body: body}); answer != nil {
					if r, ok := answer.(refusal); ok {
						s.t.Fatal(r)
					}
				}
				return
			}
		}
	}
	number := func(format string, n int) string { return fmt.Sprintf(format, n) }
	return hosttest.Harness{
		Name: "github", Page: 100,
		Connect: func(t *testing.T, who string, via http.RoundTripper, sleep hosttest.Sleep) host.Host {
			return connect(t, who, "workspace", via, sleep)
		},
		Elsewhere: func(t *testing.T) host.Host {
			return connect(t, hosttest.Engine, "nowhere", nil, func(ctx context.Context, _ time.Duration) error { return ctx.Err() })
		},
		Login: func(who string) string { return who },
		Commit: func(t *testing.T, _, _ string, parents ...tree.Hash) tree.Hash {
			s.mu.Lock()
			defer s.mu.Unlock()
			var names []string
			for _, p := range parents {
				names = append(names, p.String())
			}
			return hash(t, s.store(names...))
		},
		Push: func(_ *testing.T, who, branch string, to tree.Hash) {
			name := to.String()
			if to.IsZero() {
				name = ""
			}
			s.push(who, branch, name)
		},
		Tip: func(t *testing.T, branch string) tree.Hash {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.refs[branch] == "" {
				return tree.Hash{}
			}
			return hash(t, s.refs[branch])
		},
		SetOpen: func(_ *testing.T, who string, n int, open bool) {
			by(who, "PATCH", number("pulls/%d", n), map[string]any{"state": map[bool]string{true: "open", false: "closed"}[open]})
		},
		Edit: func(_ *testing.T, who string, n int, title, body string) {
			by(who, "PATCH", number("pulls/%d", n), map[string]any{"title": title, "body": strings.ReplaceAll(body, "\n", "\r\n")})
		},
		Say: func(_ *testing.T, who string, n int, body string) {
			by(who, "POST", number("issues/%d/comments", n), map[string]any{"body": body})
		},
		Raw: func(_ *testing.T, n int) []string {
			s.mu.Lock()
			defer s.mu.Unlock()
			var out []string
			for _, c := range s.comments {
				if strings.HasSuffix(c["issue_url"].(string), number("/issues/%d", n)) {
					out = append(out, c["body"].(string))
				}
			}
			return out
		},
		Remark: func(_ *testing.T, who string, n int, body string) {
			by(who, "POST", number("pulls/%d/reviews", n), map[string]any{"event": "COMMENT", "body": body})
		},
		Dismiss: func(_ *testing.T, n int, login string) {
			for _, r := range s.pulls[n-1].reviews {
				if r["user"].(map[string]any)["login"] == login {
					by(hosttest.Engine, "PUT", fmt.Sprintf("pulls/%d/reviews/%v/dismissals", n, r["id"]), map[string]any{"message": "no"})
				}
			}
		},
		Tag: func(_ *testing.T, n int, label string) {
			by(hosttest.Ada, "POST", number("issues/%d/labels", n), map[string]any{"labels": []any{label}})
		},
		Asked: func(_ *testing.T, n int) []string {
			s.mu.Lock()
			defer s.mu.Unlock()
			return append([]string{}, s.pulls[n-1].asked...)
		},
		Checks: func(_ *testing.T, head tree.Hash) []string {
			s.mu.Lock()
			defer s.mu.Unlock()
			var out []string
			for _, one := range slices.Backward(s.statuses[head.String()]) {
				if one["context"] == host.CheckName {
					out = append(out, one["state"].(string))
				}
			}
			return out
		},
		Protect: func(*testing.T, string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.protect(map[string]any{"actor_id": account(hosttest.Engine)["id"], "actor_type": "User", "bypass_mode": "always"})
		},
		Revoke: func(_ *testing.T, who string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.tokens, tokenOf(who))
		},
		Lacks: map[hosttest.Feature]string{
			hosttest.ClosedMerges: "only open pull requests are shown as merged by a push",
			hosttest.Scopes:       "every token may tell its account and read what is public; TestDenied has what GitHub refuses by scope",
		},
	}
}
