package connect_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/flows/connect"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/workspace"
)

// appServer answers the App 17 with the installation 815 of o/r as GitHub does.
func appServer(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		status, text := http.StatusNotFound, `{"message": "Not Found"}`
		switch path := strings.TrimPrefix(req.URL.Path, "/api/v3"); {
		case !strings.HasPrefix(req.Header.Get("Authorization"), "Bearer "):
			status, text = http.StatusUnauthorized, `{"message": "Bad credentials"}`
		case path == "/repos/o/r/installation":
			status, text = http.StatusOK, `{"id": 815}`
		case path == "/app/installations/815/access_tokens":
			status, text = http.StatusCreated, `{"token": "ghs_1", "expires_at": "2099-01-01T00:00:00Z"}`
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func keyFile(t *testing.T, dir string, mode os.FileMode) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	file := filepath.Join(dir, "app.pem")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
	return file
}

// passwordOfGit is the password that a run of git here uses for the server.
func passwordOfGit(t *testing.T, w *workspace.Workspace) string {
	t.Helper()
	out, err := w.Repo.Git(t.Context(), "url="+w.Repo.Config("remote.origin.url")+"\n", "credential", "fill")
	if err != nil {
		t.Error(err)
	}
	_, password, _ := strings.Cut(out, "password=")
	return strings.TrimSpace(password)
}

// Git's configuration or the environment names a GitHub App, its key is a file of the user,
// and git gets its password. Errors say what to do.
func TestApp(t *testing.T) {
	t.Setenv("ASSENT_HOME", t.TempDir()) // where the servers of tokens are recorded
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	server := appServer(t)
	own := keyFile(t, t.TempDir(), 0o600)
	bad := filepath.Join(t.TempDir(), "bad.pem")
	if err := os.WriteFile(bad, []byte("ssh-rsa\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config, env []string
		inside      bool // the key lies in the repository
		want        string
	}{
		"configuration":        {config: []string{"assent.app", "17", "assent.appKey", own}},
		"environment":          {env: []string{"ASSENT_APP", "17", "ASSENT_APP_KEY", own, "ASSENT_APP_INSTALLATION", "815"}},
		"no key":               {config: []string{"assent.app", "17"}, want: "git config assent.appKey FILE"},
		"no id":                {config: []string{"assent.appKey", own}, want: "git config assent.app ID"},
		"no such file":         {config: []string{"assent.app", "17", "assent.appKey", own + "x"}, want: "no such file"},
		"no key in it":         {config: []string{"assent.app", "17", "assent.appKey", bad}, want: "not a PEM file"},
		"a relative path":      {config: []string{"assent.app", "17", "assent.appKey", "app.pem"}, want: "from the root of the disk"},
		"in the repository":    {inside: true, config: []string{"assent.app", "17"}, want: "lies in the repository"},
		"everybody's":          {config: []string{"assent.app", "17", "assent.appKey", keyFile(t, t.TempDir(), 0o644)}, want: "chmod o-rwx"},
		"no number":            {config: []string{"assent.app", "17", "assent.appKey", own, "assent.appInstallation", "all"}, want: "is no number"},
		"another installation": {config: []string{"assent.app", "17", "assent.appKey", own, "assent.appInstallation", "816"}, want: "the installation 816 does not belong to this App"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			storetest.Git(t, dir, "init", "-q")
			storetest.Git(t, dir, "remote", "add", "origin", server+"/o/r.git")
			storetest.Git(t, dir, "config", "assent.forge", "github")
			for i := 0; i < len(c.config); i += 2 {
				storetest.Git(t, dir, "config", c.config[i], c.config[i+1])
			}
			if c.inside {
				storetest.Git(t, dir, "config", "assent.appKey", keyFile(t, dir, 0o600))
			}
			env := map[string]string{}
			for i := 0; i < len(c.env); i += 2 {
				env[c.env[i]] = c.env[i+1]
			}
			get := func(name string) string { return env[name] }
			w := workspace.Of(storetest.Open(t, dir), workspace.Surroundings{})
			s, err := connect.ServiceOf(w.Repo)
			if err != nil {
				t.Fatal(err)
			}
			w.Repo.AddLogin(connect.GitEnvironment(w.Repo, s, get)...)
			err = connect.Admit(t.Context(), w.Repo, s, get)
			if c.want == "" {
				if h, herr := connect.Host(t.Context(), w, s, get); err != nil || herr != nil || h == nil || passwordOfGit(t, w) != "ghs_1" {
					t.Errorf("%v, %v, %v, %q", err, herr, h, passwordOfGit(t, w))
				}
				if said := strings.Join(connect.GitEnvironment(w.Repo, s, get), " "); !strings.Contains(said, "ASSENT_GIT_PASSWORD") || strings.Contains(said, "ghs_1") {
					t.Errorf("git is told %q", said)
				}
				return
			}
			var denied *host.Denied
			said := ""
			switch {
			case errors.As(err, &denied):
				said = denied.Fix
			case errors.Is(err, connect.ErrApp):
				said = err.Error()
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("%q, %v; want %q", said, err, c.want)
			}
			env[connect.TokenVariable] = "mine" // it has precedence
			if err := connect.Admit(t.Context(), w.Repo, s, get); err != nil {
				t.Error(err)
			}
		})
	}
}
