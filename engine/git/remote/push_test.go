package remote_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
)

// hub creates a bare repository that also accepts pushes over HTTP.
func hub(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "hub.git")
	git(t, t.TempDir(), "init", "-q", "--bare", "-b", "main", dir)
	git(t, dir, "config", "http.receivepack", "true")
	return dir
}

// backend serves everything below dir with git's own CGI program. wrap, if not nil, wraps its
// handler.
func backend(t testing.TB, dir string, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	program := filepath.Join(git(t, dir, "--exec-path"), "git-http-backend")
	if _, err := os.Stat(program); err != nil {
		t.Skip("git http-backend is not installed: pushing over HTTP is not tested")
	}
	var h http.Handler = &cgi.Handler{Path: program, Dir: dir, Stderr: t.Output(),
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}}
	if wrap != nil {
		h = wrap(h)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// remoteAt makes url the remote origin of r, and returns r reopened.
func remoteAt(t testing.TB, r *gitstore.Repo, url string) *gitstore.Repo {
	t.Helper()
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_TERMINAL_PROMPT", "0")
	git(t, r.Root(), "remote", "add", "origin", url)
	return open(t, r.Root())
}

// push pushes exactly the given moves.
func push(t testing.TB, r *gitstore.Repo, moves ...remote.Move) (remote.Receipt, error) {
	t.Helper()
	return remote.Push(t.Context(), r, "origin", remote.PushOptions{}, func(map[string]tree.Hash) ([]remote.Move, error) { return moves, nil })
}

// publishedRepo returns a repository whose main is published at url.
func publishedRepo(t testing.TB, url string) (*gitstore.Repo, tree.Hash) {
	t.Helper()
	r := newRepo(t)
	h := commit(t, r, tree.Hash{}, 0, files("a", "1", "dir/b", "2", "dir/sub/c", "3")...)
	update(t, r, "refs/heads/main", tree.Hash{}, h)
	r = remoteAt(t, r, url)
	if _, err := push(t, r, remote.Move{Ref: "refs/heads/main", New: h}); err != nil {
		t.Fatal(err)
	}
	return r, h
}

// places runs a test with each way to reach a hub.
func places(t *testing.T, run func(t *testing.T, hub, url string)) {
	for name, address := range map[string]func(t *testing.T, dir string) string{
		"folder": func(_ *testing.T, dir string) string { return dir },
		"file":   func(_ *testing.T, dir string) string { return "file://" + filepath.ToSlash(dir) },
		"http": func(t *testing.T, dir string) string {
			return backend(t, filepath.Dir(dir), nil) + "/hub.git"
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := hub(t)
			run(t, dir, address(t, dir))
		})
	}
}

func TestPush(t *testing.T) {
	places(t, func(t *testing.T, dir, url string) {
		r, main := publishedRepo(t, url)
		next := commit(t, r, main, 1, files("dir/sub/c", "4", "dir/new", "5")...)
		event := commit(t, r, tree.Hash{}, 1, files("event", "x")...)
		update(t, r, "refs/heads/proposal/p", tree.Hash{}, next)
		update(t, r, "refs/assent/pulls/p", tree.Hash{}, event)
		receipt, err := push(t, r, remote.Move{Ref: "refs/heads/proposal/p", New: next}, remote.Move{Ref: "refs/assent/pulls/p", New: event})
		if err != nil || len(receipt.Moved) != 2 {
			t.Fatal(receipt, err)
		}
		if got := git(t, dir, "show", "refs/heads/proposal/p:dir/sub/c"); got != "4" {
			t.Errorf("it holds %q", got)
		}
		git(t, dir, "fsck", "--strict", "--connectivity-only")
		// A backward move and a deletion, each only from the ref's current value.
		if _, err := push(t, r, remote.Move{Ref: "refs/heads/proposal/p", Old: next, New: main}, remote.Move{Ref: "refs/assent/pulls/p", Old: event}); err != nil {
			t.Fatal(err)
		}
		if got := git(t, dir, "for-each-ref", "--format=%(refname) %(objectname)"); got != fmt.Sprintf("refs/heads/main %s\nrefs/heads/proposal/p %s", main, main) {
			t.Errorf("the hub has\n%s", got)
		}
	})
}

func TestPushSendsWhatIsLacking(t *testing.T) {
	dir := hub(t)
	r, main := publishedRepo(t, dir)
	git(t, dir, "config", "receive.unpackLimit", "1")
	next := commit(t, r, main, 1, files("dir/sub/c", "4")...)
	update(t, r, "refs/heads/x", tree.Hash{}, next)
	if _, err := push(t, r, remote.Move{Ref: "refs/heads/x", New: next}); err != nil {
		t.Fatal(err)
	}
	packs, _ := filepath.Glob(filepath.Join(dir, "objects/pack/*.idx"))
	// One commit, three trees, one blob.
	if len(packs) != 1 || strings.Count(git(t, dir, "verify-pack", "-v", packs[0]), " blob ")+strings.Count(git(t, dir, "verify-pack", "-v", packs[0]), " tree ") != 4 {
		t.Errorf("the pushes left %v", packs)
	}
	// Main moves elsewhere; a branch from an older commit needs a comparison of histories.
	for i := range 300 {
		main = commit(t, r, main, int64(2+i), files("n", fmt.Sprint(i))...)
	}
	update(t, r, "refs/heads/main", git2hash(t, r, "refs/heads/main"), main)
	if _, err := push(t, r, remote.Move{Ref: "refs/heads/main", Old: git2hash(t, r, "refs/heads/main~300"), New: main}); err != nil {
		t.Fatal(err)
	}
	fork := commit(t, r, git2hash(t, r, "refs/heads/main~290"), 400, files("fork", "x")...)
	update(t, r, "refs/heads/fork", tree.Hash{}, fork)
	if _, err := push(t, r, remote.Move{Ref: "refs/heads/fork", New: fork}); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "fsck", "--strict")
}

func git2hash(t testing.TB, r *gitstore.Repo, rev string) tree.Hash {
	t.Helper()
	h, err := r.Resolve(rev)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPushLostRace(t *testing.T) {
	places(t, func(t *testing.T, dir, url string) {
		r, main := publishedRepo(t, url)
		mine, theirs := commit(t, r, main, 1, files("a", "mine")...), commit(t, r, main, 2, files("a", "theirs")...)
		update(t, r, "refs/heads/mine", tree.Hash{}, mine)
		update(t, r, "refs/heads/theirs", tree.Hash{}, theirs)
		for name, between := range map[string]func(){
			"seen before": nil,
			"seen after": func() {
				git(t, r.Root(), "push", "-q", dir, theirs.String()+":refs/heads/main")
			},
		} {
			git(t, dir, "update-ref", "refs/heads/main", main.String())
			want := main
			if between == nil {
				want = mine
			}
			_, err := remote.Push(t.Context(), r, "origin", remote.PushOptions{}, func(map[string]tree.Hash) ([]remote.Move, error) {
				if between != nil {
					between()
				}
				return []remote.Move{{Ref: "refs/heads/new", New: mine}, {Ref: "refs/heads/main", Old: want, New: mine}}, nil
			})
			got := theirs
			if between == nil {
				got = main
			}
			var stale *gitstore.ErrStale
			if !errors.As(err, &stale) || stale.Ref != "refs/heads/main" || stale.Got != got {
				t.Errorf("%s: %v", name, err)
			}
			if out, err := tryGit(t, dir, "rev-parse", "--verify", "-q", "refs/heads/new"); err == nil {
				t.Errorf("%s: a lost push left %s", name, out)
			}
		}
	})
}

func TestPushDeclined(t *testing.T) {
	places(t, func(t *testing.T, dir, url string) {
		r, main := publishedRepo(t, url)
		next := commit(t, r, main, 1, files("a", "2")...)
		update(t, r, "refs/heads/x", tree.Hash{}, next)
		hook := filepath.Join(dir, "hooks", "update")
		write(t, dir, "hooks/update", "#!/bin/sh\ncase $1 in refs/heads/main) echo 'main is \033[31mclosed' >&2; exit 1;; esac\n")
		if err := os.Chmod(hook, 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := push(t, r, remote.Move{Ref: "refs/heads/x", New: next}, remote.Move{Ref: "refs/heads/main", Old: main, New: next})
		var declined *remote.ErrDeclined
		if !errors.As(err, &declined) || !strings.Contains(declined.Words, "closed") || declined.Busy() ||
			!slices.Contains(declined.Refs, remote.DeclinedRef{Ref: "refs/heads/main", Reason: "hook declined"}) {
			t.Errorf("%v, %+v", err, declined)
		}
		if _, err := tryGit(t, dir, "rev-parse", "--verify", "-q", "refs/heads/x"); err == nil {
			t.Error("half of the push was made")
		}
		if err := os.Remove(hook); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "config", "receive.denyNonFastForwards", "true")
		other := commit(t, r, tree.Hash{}, 1, files("a", "2")...)
		update(t, r, "refs/heads/y", tree.Hash{}, other)
		_, err = push(t, r, remote.Move{Ref: "refs/heads/main", Old: main, New: other})
		if !errors.As(err, &declined) || declined.Refs[0].Reason != "non-fast-forward" {
			t.Errorf("%v", err)
		}
	})
}

func TestPushToWhatIsNoRepository(t *testing.T) {
	r := remoteAt(t, newRepo(t), filepath.Join(t.TempDir(), "nowhere"))
	if _, err := push(t, r); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("%v", err)
	}
	_, err := remote.Push(t.Context(), r, "upstream", remote.PushOptions{}, nil)
	if !errors.Is(err, remote.ErrNoRemote) {
		t.Errorf("%v", err)
	}
	git(t, r.Root(), "remote", "set-url", "origin", "ext::sh -c touch% pwned")
	if _, err := push(t, r); err == nil {
		t.Error("a program was taken for an address")
	}
	if _, err := os.Stat(filepath.Join(r.Root(), "pwned")); err == nil {
		t.Error("it was run")
	}
}

func TestPushHonoursAddresses(t *testing.T) {
	dir := hub(t)
	r := newRepo(t)
	h := commit(t, r, tree.Hash{}, 0, files("a", "1")...)
	update(t, r, "refs/heads/main", tree.Hash{}, h)
	r = remoteAt(t, r, "nowhere:x")
	git(t, r.Root(), "config", "url."+filepath.Dir(dir)+"/.pushInsteadOf", "nowhere:")
	git(t, r.Root(), "config", "remote.origin.url", "nowhere:hub.git")
	if _, err := push(t, r, remote.Move{Ref: "refs/heads/main", New: h}); err != nil {
		t.Error(err)
	}
	git(t, r.Root(), "config", "remote.origin.pushurl", "../"+filepath.Base(filepath.Dir(dir))+"/nothing")
	if _, err := push(t, r, remote.Move{Ref: "refs/heads/main", New: h}); err == nil {
		t.Error("pushurl is not honoured")
	}
}

// TestPushByGit: git push does what our code does not, with the same guarantees.
func TestPushByGit(t *testing.T) {
	dir := hub(t)
	r, main := publishedRepo(t, dir)
	git(t, r.Root(), "config", "push.gpgSign", "if-asked")
	r = open(t, r.Root())
	next := commit(t, r, main, 1, files("a", "2")...)
	update(t, r, "refs/heads/x", tree.Hash{}, next)
	if _, err := push(t, r, remote.Move{Ref: "refs/heads/x", New: next}, remote.Move{Ref: "refs/heads/main", Old: main, New: next}); err != nil {
		t.Fatal(err)
	}
	if _, err := push(t, r, remote.Move{Ref: "refs/heads/main", Old: next, New: main}, remote.Move{Ref: "refs/heads/x", Old: next}); err != nil {
		t.Fatal(err)
	}
	_, err := remote.Push(t.Context(), r, "origin", remote.PushOptions{}, func(there map[string]tree.Hash) ([]remote.Move, error) {
		git(t, dir, "update-ref", "refs/heads/main", git(t, dir, "commit-tree", "-m", "x", "main^{tree}"))
		return []remote.Move{{Ref: "refs/heads/main", Old: there["refs/heads/main"], New: next}}, nil
	})
	var stale *gitstore.ErrStale
	if !errors.As(err, &stale) {
		t.Errorf("%v", err)
	}
}

func TestPushShallow(t *testing.T) {
	dir := hub(t)
	r, main := publishedRepo(t, dir)
	next := commit(t, r, main, 1, files("a", "2")...)
	update(t, r, "refs/heads/main", main, next)
	if _, err := push(t, r, remote.Move{Ref: "refs/heads/main", Old: main, New: next}); err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, dir, "clone", "-q", "--depth", "1", "file://"+dir, clone)
	s := open(t, clone)
	third := commit(t, s, next, 2, files("a", "3")...)
	update(t, s, "refs/heads/x", tree.Hash{}, third)
	if _, err := push(t, s, remote.Move{Ref: "refs/heads/x", New: third}); err != nil {
		t.Error(err)
	}
}

func TestPushCancelled(t *testing.T) {
	dir := hub(t)
	r, main := publishedRepo(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := remote.Push(ctx, r, "origin", remote.PushOptions{}, func(there map[string]tree.Hash) ([]remote.Move, error) {
		cancel()
		return []remote.Move{{Ref: "refs/heads/x", New: main}}, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestFetchKeepsToAllowedTransports: transports that the user forbids git stay forbidden.
func TestFetchKeepsToAllowedTransports(t *testing.T) {
	dir := hub(t)
	r, _ := publishedRepo(t, dir)
	t.Setenv("GIT_ALLOW_PROTOCOL", "https")
	if err := remote.Fetch(t.Context(), r, "origin"); err == nil || !strings.Contains(err.Error(), "not allowed") {
		t.Errorf("fetching from a folder: %v", err)
	}
	t.Setenv("GIT_ALLOW_PROTOCOL", "ext:file")
	if err := remote.Fetch(t.Context(), r, "origin"); err != nil {
		t.Error(err)
	}
}

func TestFetch(t *testing.T) {
	dir := hub(t)
	r, main := publishedRepo(t, dir)
	event := commit(t, r, tree.Hash{}, 1, files("event", "x")...)
	update(t, r, "refs/assent/pulls/p", tree.Hash{}, event)
	if _, err := push(t, r, remote.Move{Ref: "refs/assent/pulls/p", New: event}, remote.Move{Ref: "refs/heads/proposal/p", New: main}, remote.Move{Ref: "refs/heads/other", New: main}); err != nil {
		t.Fatal(err)
	}
	fetched := func() map[string]tree.Hash {
		if err := remote.Fetch(t.Context(), r, "origin"); err != nil {
			t.Fatal(err)
		}
		refs, err := r.Refs(remote.TrackingPrefix + "origin/")
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]tree.Hash{}
		for _, ref := range refs {
			out[strings.TrimPrefix(ref.Name, remote.TrackingPrefix+"origin/")] = ref.Hash
		}
		return out
	}
	want := map[string]tree.Hash{"heads/main": main, "heads/proposal/p": main, "assent/pulls/p": event}
	if got := fetched(); !maps.Equal(got, want) {
		t.Errorf("fetched %v", got)
	}
	git(t, dir, "update-ref", "-d", "refs/heads/proposal/p")
	delete(want, "heads/proposal/p")
	if got := fetched(); !maps.Equal(got, want) {
		t.Errorf("fetched %v", got)
	}
	git(t, dir, "update-ref", "-d", "refs/heads/main")
	if err := remote.Fetch(t.Context(), r, "origin"); !errors.Is(err, remote.ErrNoRemoteMain) {
		t.Errorf("%v", err)
	}
}
