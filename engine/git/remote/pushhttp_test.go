package remote_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/remote"
)

// guarded requires a password.
func guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, password, _ := r.BasicAuth(); name != "scout" || password != "s3cret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="hub"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.Header.Del("Authorization")
		h.ServeHTTP(w, r)
	})
}

// helper configures a credential helper that logs its calls.
func helper(t *testing.T, password string) (log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	script := fmt.Sprintf(`!f() { echo "$1" >> '%s'; cat > /dev/null; test "$1" = get && printf 'username=scout\npassword=%s\n'; :; }; f`, log, password)
	mine := filepath.Join(t.TempDir(), "gitconfig") // a helper in the repository's own file is refused
	git(t, filepath.Dir(log), "config", "--file", mine, "credential.helper", script)
	t.Setenv("GIT_CONFIG_GLOBAL", mine)
	return log
}

func TestPushAsksForCredentials(t *testing.T) {
	for _, tc := range []struct{ password, calls, err string }{
		{"s3cret", "get\nstore\n", ""},
		{"wrong", "get\nerase\n", `refuses the login of "scout"`},
	} {
		dir := hub(t)
		r := newRepo(t)
		h := commit(t, r, tree.Hash{}, 0, files("a", "1")...)
		update(t, r, "refs/heads/main", tree.Hash{}, h)
		r = remoteAt(t, r, backend(t, filepath.Dir(dir), guarded)+"/hub.git")
		log := helper(t, tc.password)
		_, err := push(t, r, remote.Move{Ref: "refs/heads/main", New: h})
		if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
			t.Errorf("%s: %v", tc.password, err)
		}
		if got := read(t, filepath.Dir(log), "log"); got != tc.calls {
			t.Errorf("%s: the helper was called for %q, want %q", tc.password, got, tc.calls)
		}
	}
}

func TestPushWithLoginInAddress(t *testing.T) {
	dir := hub(t)
	url := strings.Replace(backend(t, filepath.Dir(dir), guarded), "http://", "http://scout:s3cret@", 1)
	publishedRepo(t, url+"/hub.git")
	git(t, dir, "rev-parse", "--verify", "refs/heads/main")
}

// TestPushServerDies: the server dies before or after it accepts the push.
func TestPushServerDies(t *testing.T) {
	for _, tc := range []struct {
		name  string
		taken bool
	}{{"after", true}, {"before", false}} {
		t.Run(tc.name, func(t *testing.T) {
			dir := hub(t)
			dying := func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPost {
						h.ServeHTTP(w, r)
						return
					}
					if tc.taken {
						h.ServeHTTP(httptest.NewRecorder(), r)
					}
					panic(http.ErrAbortHandler)
				})
			}
			r := newRepo(t)
			h := commit(t, r, tree.Hash{}, 0, files("a", "1")...)
			update(t, r, "refs/heads/main", tree.Hash{}, h)
			r = remoteAt(t, r, backend(t, filepath.Dir(dir), dying)+"/hub.git")
			receipt, err := push(t, r, remote.Move{Ref: "refs/heads/main", New: h})
			if (err == nil) != tc.taken || (len(receipt.Moved) == 1) != tc.taken {
				t.Errorf("%v, %v", receipt, err)
			}
		})
	}
}

// TestPushFollowsNobodyElsewhere: another host gets neither credentials nor objects.
func TestPushFollowsNobodyElsewhere(t *testing.T) {
	dir := hub(t)
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		r := newRepo(t)
		h := commit(t, r, tree.Hash{}, 0, files("a", "1")...)
		update(t, r, "refs/heads/main", tree.Hash{}, h)
		r = remoteAt(t, r, backend(t, filepath.Dir(dir), func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == method {
					http.Redirect(w, r, elsewhere.URL+r.URL.String(), http.StatusTemporaryRedirect)
					return
				}
				h.ServeHTTP(w, r)
			})
		})+"/hub.git")
		if _, err := push(t, r, remote.Move{Ref: "refs/heads/main", New: h}); err == nil || !strings.Contains(err.Error(), "redirects") {
			t.Errorf("%s: %v", method, err)
		}
	}
	if asked > 0 {
		t.Errorf("the other server was asked %d times", asked)
	}
	// A redirect within the host is followed.
	moved := backend(t, filepath.Dir(dir), func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if rest, ok := strings.CutPrefix(r.URL.Path, "/old"); ok {
				http.Redirect(w, r, rest+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	publishedRepo(t, moved+"/old/hub.git")
}

func TestPushToAWebPage(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"page":     func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"missing":  http.NotFound,
		"negative": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"garbage": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-git-receive-pack-advertisement")
			fmt.Fprint(w, "001f# service=git-receive-pack\n0000zzzz")
		},
		"endless": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/x-git-receive-pack-advertisement")
			fmt.Fprint(w, "001f# service=git-receive-pack\n0000")
			for range 5000 { // far more than the bound
				if _, err := w.Write([]byte(strings.Repeat("0033"+strings.Repeat("a", 40)+" .have\n", 1000))); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(h)
			defer server.Close()
			r := remoteAt(t, newRepo(t), server.URL+"/x.git")
			if _, err := push(t, r); err == nil {
				t.Error("it was taken for a repository")
			} else {
				t.Log(err)
			}
		})
	}
}
