package connect_test

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/flows/connect"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// Git's configuration and the remote's address determine where approvals are read.
func TestServiceOf(t *testing.T) {
	for _, c := range []struct {
		name, url string
		set       []string
		want      connect.Service
		bad       bool
	}{
		{name: "no remote", want: connect.Service{Kind: "local"}},
		{name: "a folder", url: "../hub.git", want: connect.Service{Kind: "local"}},
		{name: "another server", url: "https://git.example.org/o/r.git", want: connect.Service{Kind: "local"}},
		{name: "github", url: "https://github.com/o/r.git", want: connect.Service{Kind: "github", Guessed: true, Remote: "origin", API: "https://github.com", Owner: "o", Repo: "r"}},
		{name: "github by ssh", url: "git@github.com:o/r.git", want: connect.Service{Kind: "github", Guessed: true, Remote: "origin", API: "https://github.com", Owner: "o", Repo: "r"}},
		{name: "github by ssh on another port", url: "ssh://git@ssh.github.com:443/o/r.git", want: connect.Service{Kind: "github", Guessed: true, Remote: "origin", API: "https://github.com", Owner: "o", Repo: "r"}},
		{name: "only like github", url: "https://github.com.evil.example/o/r", want: connect.Service{Kind: "local"}},
		{name: "a folder like github", url: "../github.com/o/r", want: connect.Service{Kind: "local"}},
		{name: "not on github", url: "https://github.com/o/r", set: []string{"assent.forge", "local"}, want: connect.Service{Kind: "local"}},
		{name: "gitea", url: "http://127.0.0.1:3000/o/r.git", set: []string{"assent.forge", "gitea"}, want: connect.Service{Kind: "gitea", Remote: "origin", API: "http://127.0.0.1:3000", Owner: "o", Repo: "r"}},
		{name: "below a path", url: "https://example.org/git/o/r", set: []string{"assent.forge", "gitea"}, want: connect.Service{Kind: "gitea", Remote: "origin", API: "https://example.org/git", Owner: "o", Repo: "r"}},
		{name: "ssh with a port", url: "ssh://git@example.org:2222/o/r.git", set: []string{"assent.forge", "gitea"}, want: connect.Service{Kind: "gitea", Remote: "origin", API: "https://example.org", Owner: "o", Repo: "r"}},
		{name: "its api elsewhere", url: "git@example.org:o/r.git", set: []string{"assent.forge", "gitea", "assent.api", "https://api.example.org"}, want: connect.Service{Kind: "gitea", Remote: "origin", API: "https://api.example.org", Owner: "o", Repo: "r"}},
		{name: "merges by push", url: "http://127.0.0.1:3000/o/r.git", set: []string{"assent.forge", "gitea", "assent.merge", "push"}, want: connect.Service{Kind: "gitea", Remote: "origin", API: "http://127.0.0.1:3000", Owner: "o", Repo: "r"}},
		{name: "merges by the service", url: "http://127.0.0.1:3000/o/r.git", set: []string{"assent.forge", "gitea", "assent.merge", "service"}, want: connect.Service{Kind: "gitea", Remote: "origin", API: "http://127.0.0.1:3000", Owner: "o", Repo: "r", Merge: "service"}},
		{name: "merges by a queue", url: "https://github.com/o/r", set: []string{"assent.merge", "queue"}, want: connect.Service{Kind: "github", Guessed: true, Remote: "origin", API: "https://github.com", Owner: "o", Repo: "r", Merge: "queue"}},
		{name: "merges by something else", url: "https://github.com/o/r", set: []string{"assent.merge", "button"}, bad: true},
		{name: "merges by no service", set: []string{"assent.merge", "service"}, bad: true},
		{name: "unknown", url: "https://example.org/o/r", set: []string{"assent.forge", "gitlab"}, bad: true},
		{name: "no remote for it", set: []string{"assent.forge", "gitea"}, bad: true},
		{name: "no owner", url: "https://example.org/r", set: []string{"assent.forge", "gitea"}, bad: true},
		{name: "no way there", url: "ftp://example.org/o/r", set: []string{"assent.forge", "gitea"}, bad: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			dir := t.TempDir()
			storetest.Git(t, dir, "init", "-q")
			if c.url != "" {
				storetest.Git(t, dir, "remote", "add", "origin", c.url)
			}
			for i := 0; i < len(c.set); i += 2 {
				storetest.Git(t, dir, "config", c.set[i], c.set[i+1])
			}
			got, err := connect.ServiceOf(storetest.Open(t, dir))
			if u, uerr := url.Parse(c.url); uerr == nil && strings.HasPrefix(u.Scheme, "http") && c.want.Kind != "local" {
				c.want.Git = u.Scheme + "://" + u.Host // the server under which git looks up logins
			}
			if (err != nil) != c.bad || !c.bad && got != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}
