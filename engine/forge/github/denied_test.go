package github

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/hosttest"
)

// TestDenied: each refusal has a fix, from GitHub's status, text and headers. None is
// retried.
func TestDenied(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer *canned
		want   string // in the fix
	}{
		{"revoked", reply(401, `{"message":"Bad credentials"}`), "make a new one"},
		{"two factors", reply(401, `{"message":"Must specify two-factor authentication OTP code."}`, "X-GitHub-OTP", "required; app"), "make a new one"},
		{"scope", reply(403, `{"message":"Must have admin rights"}`, "X-OAuth-Scopes", "gist, read:org", "X-Accepted-OAuth-Scopes", "repo"), "the token has the scopes gist, read:org: give it one of repo"},
		{"no scope", reply(404, `{"message":"Not Found"}`, "X-OAuth-Scopes", "", "X-Accepted-OAuth-Scopes", "repo, public_repo"), "(none): give it one of repo, public_repo"},
		{"enough scopes", reply(403, `{"message":"No"}`, "X-OAuth-Scopes", "repo", "X-Accepted-OAuth-Scopes", "repo"), "its role in the repository"},
		{"permission", reply(403, `{"message":"Resource not accessible by personal access token"}`, "X-Accepted-GitHub-Permissions", "pull_requests=write; issues=write"), "permission pull_requests=write; issues=write"},
		{"permission of an App", reply(403, `{"message":"Resource not accessible by integration"}`, "X-Accepted-GitHub-Permissions", "checks=write"), "permission checks=write"},
		{"single sign-on", reply(403, `{"message":"Resource protected by organization SAML enforcement."}`, "X-GitHub-SSO", "required; url=https://github.com/orgs/guild/sso?authorization_request=AZSC"), "at https://github.com/orgs/guild/sso?authorization_request=AZSC"},
		{"single sign-on, elsewhere", reply(403, `{"message":"SAML"}`, "X-GitHub-SSO", "required; url=javascript:alert(1)"), "in your settings"},
		{"renamed", reply(301, `{"message":"Moved Permanently"}`, "Location", "http://127.0.0.1:1/repositories/1"), "git remote set-url"},
		{"renamed, for a write", reply(307, `{"message":"Temporary Redirect"}`, "Location", "http://127.0.0.1:1/repositories/1"), "git remote set-url"},
		{"not there", reply(404, `{"message":"Not Found"}`), "renamed, or the token may not see it"},
		{"switched off", reply(410, `{"message":"Issues are disabled for this repo"}`), "settings"},
		{"no way to open again", reply(422, `{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","field":"state","message":"state cannot be changed. The x branch was force-pushed or recreated."}]}`), "open a new pull request"},
		{"hostile headers", reply(403, `{"message":"No"}`, "X-Accepted-GitHub-Permissions", "\x1b[31mcontents=write"), "its role in the repository"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t)
			number := s.open(t)
			h, in := s.scripted(t, &clock{now: time.Now()}, c.answer)
			err := h.SetOpen(t.Context(), number, false)
			var d *host.Denied
			if !errors.As(err, &d) || d.Status != c.answer.status || d.Said == "" || !strings.Contains(d.Fix, c.want) {
				t.Errorf("%#v; want a fix with %q", err, c.want)
			}
			if len(in.asked) != 1 {
				t.Errorf("asked %q", in.asked)
			}
		})
	}
}

// TestRedirectKeepsTheToken: the token is sent to the configured server only.
func TestRedirectKeepsTheToken(t *testing.T) {
	s := newService(t)
	for _, status := range []int{301, 302, 307, 308} {
		h, in := s.scripted(t, &clock{now: time.Now()}, reply(status, `{}`, "Location", "https://elsewhere.example/user"))
		if _, err := h.Login(t.Context()); err == nil || len(in.asked) != 1 {
			t.Errorf("%d: %v; asked %q", status, err, in.asked)
		}
	}
}

// TestSaidIsBounded: the text of a service is cut before it is quoted.
func TestSaidIsBounded(t *testing.T) {
	s := newService(t)
	h, _ := s.scripted(t, &clock{now: time.Now()}, reply(401, `{"message":"`+strings.Repeat("ä", 4000)+`"}`))
	_, err := h.Login(t.Context())
	var d *host.Denied
	if !errors.As(err, &d) || len(d.Said) > maxSaid || !strings.HasSuffix(d.Said, "ä…") {
		t.Errorf("%d bytes: %v", len(d.Said), err)
	}
}

func TestOptions(t *testing.T) {
	good := Options{Owner: "guild", Repo: "workspace", Token: "x"}
	for name, change := range map[string]func(*Options){
		"no owner":        func(o *Options) { o.Owner = "" },
		"an owner's path": func(o *Options) { o.Owner = "a/b" },
		"two dots":        func(o *Options) { o.Repo = ".." },
		"a query":         func(o *Options) { o.Repo = "a?b" },
		"nobody":          func(o *Options) { o.Token = "" },
		"both":            func(o *Options) { o.App = &App{ID: "1"} },
		"a line break":    func(o *Options) { o.Token = "x\ny" },
		"no TLS":          func(o *Options) { o.Server = "http://github.example" },
		"a login":         func(o *Options) { o.Server = "https://me:secret@github.example" },
		"no address":      func(o *Options) { o.Server = "github.example" },
		"no key":          func(o *Options) { o.Token, o.App = "", &App{ID: "1", Key: []byte("key")} },
		"no id":           func(o *Options) { o.Token, o.App = "", &App{Key: []byte("key")} },
		"a certificate": func(o *Options) {
			o.Token, o.App = "", &App{ID: "1", Key: []byte("-----BEGIN X-----\nAAAA\n-----END X-----\n")}
		},
		"another protocol":  func(o *Options) { o.Server = "file:///etc" },
		"a server's search": func(o *Options) { o.Server = "https://github.example/?a=b" },
	} {
		o := good
		change(&o)
		_, err := New(o)
		if err == nil {
			t.Errorf("%s was accepted", name)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the password is repeated: %v", name, err)
		}
	}
	for server, want := range map[string]string{
		"": "https://api.github.com/", "https://github.com": "https://api.github.com/", "https://GitHub.com/": "https://api.github.com/",
		"https://github.example": "https://github.example/api/v3/", "https://github.example/api/v3/": "https://github.example/api/v3/",
		"https://guild.ghe.com": "https://api.guild.ghe.com/", "http://127.0.0.1:3000": "http://127.0.0.1:3000/api/v3/",
	} {
		o := good
		o.Server = server
		h, err := New(o)
		if err != nil || h.usual.BaseURL.String() != want {
			t.Errorf("%s: %v, %v; want %s", server, h, err, want)
		}
	}
}

// TestForksAreOthers: a pull request from a fork is not ours, even if the fork was
// deleted.
func TestForksAreOthers(t *testing.T) {
	s := newService(t)
	s.open(t)
	list, err := s.connect(t, hosttest.Engine).List(t.Context(), "proposal/", false)
	if err != nil || len(list) != 1 || strings.Contains(list[0].Branch, "fork") {
		t.Errorf("%+v, %v", list, err)
	}
}
