package hosted_test

import (
	"context"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/effort"
	"github.com/assent-dev/assent/engine/forge/forgetest"
	"github.com/assent-dev/assent/engine/forge/gitea"
	"github.com/assent-dev/assent/engine/forge/gitea/giteatest"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// TestGitea runs the suite of forges with the real Gitea as service and hub. Accounts
// decide there; with ASSENT_STRESS=nightly, keys do so too.
func TestGitea(t *testing.T) {
	server := giteatest.Start(t)
	people := []string{"kublai", "jochi", "temujin", "somebody"}
	tokens := map[string]string{}
	for _, name := range people {
		server.User(t, name)
		tokens[name] = server.Token(t, name)
	}
	for name, person := range map[string]func(*world, string) forgetest.Person{"signed": (*world).person, "accounts": (*world).account} {
		if name == "signed" && !effort.Nightly() {
			continue // TestConformance covers it
		}
		t.Run(name, func(t *testing.T) {
			forgetest.Run(t, func(t *testing.T) forgetest.Harness {
				w := newGiteaWorld(t, server.Repo(t, people[0], people[1:]...), tokens)
				return w.harness(func(name string) forgetest.Person { return person(w, name) })
			})
		})
	}
}

// newGiteaWorld returns a world whose hub and service are one repository of a server.
func newGiteaWorld(t *testing.T, repo giteatest.Repo, tokens map[string]string) *world {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	repo.Settings(t, map[string]any{"allow_manual_merge": true, "autodetect_manual_merge": false})
	dir := t.TempDir()
	storetest.Git(t, dir, "init", "-q", "-b", "main")
	storetest.Git(t, dir, "-c", "user.name=Jochi", "-c", "user.email=jochi@example.org", "commit", "-q", "--allow-empty", "-m", "Begin")
	storetest.Git(t, dir, "remote", "add", "origin", repo.Remote(t, repo.Owner))
	storetest.Git(t, dir, "push", "-q", "origin", "main")
	repo.Ready(t)
	w := &world{t: t}
	var err error
	w.hub, err = gitstore.Open(repo.Dir())
	must(t, err)
	w.clone, err = gitstore.Open(dir)
	must(t, err)
	var broken atomic.Pointer[error]
	w.fail = func(err error) {
		broken.Store(nil)
		if err != nil {
			broken.Store(&err)
		}
	}
	w.as = func(login string) host.Host {
		h, err := gitea.New(gitea.Options{
			URL: repo.Server.URL, Owner: repo.Owner, Repo: repo.Name, Token: tokens[login], UserAgent: "assent-test",
			Transport: transport(func(req *http.Request) (*http.Response, error) {
				if err := broken.Load(); err != nil {
					return nil, *err
				}
				return http.DefaultTransport.RoundTrip(req)
			}),
			Sleep: func(ctx context.Context, d time.Duration) error {
				select {
				case <-ctx.Done():
				case <-time.After(d / 50):
				}
				return ctx.Err()
			},
		})
		must(t, err)
		return h
	}
	return w
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
