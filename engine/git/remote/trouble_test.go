package remote_test

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/git/remote"
)

// TestTrouble: fetches by git and our own pushes distinguish why a remote failed.
func TestTrouble(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_TERMINAL_PROMPT", "0")
	for _, c := range []struct {
		status int
		want   error
	}{
		{http.StatusBadGateway, remote.ErrAway}, {http.StatusServiceUnavailable, remote.ErrAway},
		{http.StatusUnauthorized, remote.ErrLogin}, {http.StatusForbidden, remote.ErrLogin}, {http.StatusNotFound, remote.ErrGone},
		{0, remote.ErrAway}, // no server
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(c.status)
		}))
		if c.status == 0 {
			server.Close()
		} else {
			t.Cleanup(server.Close)
		}
		r := storetest.NewRepo(t)
		storetest.Git(t, r.Top(), "config", "credential.helper", "")
		storetest.Git(t, r.Top(), "remote", "add", "origin", server.URL+"/o/r.git")
		_, err := remote.Push(t.Context(), r, "origin", remote.PushOptions{}, func(map[string]tree.Hash) ([]remote.Move, error) { return nil, nil })
		if !errors.Is(err, c.want) {
			t.Errorf("%d: a push says %v", c.status, err)
		}
		if err := remote.Fetch(t.Context(), r, "origin"); !errors.Is(err, c.want) {
			t.Errorf("%d: a fetch says %v", c.status, err)
		}
	}
}

// An untrusted certificate is not a wrong login.
func TestTroubleWithCertificates(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	r := storetest.NewRepo(t)
	storetest.Git(t, r.Top(), "remote", "add", "origin", server.URL+"/o/r.git")
	_, err := remote.Push(t.Context(), r, "origin", remote.PushOptions{}, func(map[string]tree.Hash) ([]remote.Move, error) { return nil, nil })
	if !errors.Is(err, remote.ErrCertificate) {
		t.Errorf("push: %v", err)
	}
	if err := remote.Fetch(t.Context(), r, "origin"); !errors.Is(err, remote.ErrCertificate) {
		t.Errorf("fetch: %v", err)
	}
}
