package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/forge/github"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
)

// ErrApp says that the user's GitHub App cannot be used.
var ErrApp = errors.New("the GitHub App is not set up")

// maxKey bounds the file of a private key, in bytes.
const maxKey = 64 << 10

// appSetting is one thing about the App: by the environment, else by Git's configuration.
func appSetting(repo *gitstore.Repo, env func(string) string, variable, setting string) string {
	return cmp.Or(env(variable), repo.Config(setting))
}

// hasApp reports whether the user named an App for this service. ASSENT_TOKEN is before it.
func hasApp(repo *gitstore.Repo, s Service, env func(string) string) bool {
	return s.Kind == GitHub && env(TokenVariable) == "" &&
		(appSetting(repo, env, "ASSENT_APP", "assent.app") != "" || appSetting(repo, env, "ASSENT_APP_KEY", "assent.appKey") != "")
}

// appOf reads the user's App: its id (ASSENT_APP, or Git's assent.app), the file of its
// private key (ASSENT_APP_KEY, assent.appKey), which must be outside the repository, and
// the number of its installation (ASSENT_APP_INSTALLATION, assent.appInstallation), which
// is looked up if not given. The error is ErrApp.
func appOf(repo *gitstore.Repo, env func(string) string) (*github.App, error) {
	id, file := appSetting(repo, env, "ASSENT_APP", "assent.app"), appSetting(repo, env, "ASSENT_APP_KEY", "assent.appKey")
	switch {
	case id == "":
		return nil, fmt.Errorf("%w: its id is missing: git config assent.app ID", ErrApp)
	case file == "":
		return nil, fmt.Errorf("%w: its key is missing: git config assent.appKey FILE, with the private key that GitHub handed out, outside of the repository", ErrApp)
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrApp, err)
		}
		file = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(file) {
		return nil, fmt.Errorf("%w: name the file of its key from the root of the disk on, or with ~/: %q", ErrApp, file)
	}
	key, err := keys.ReadOwn(file, maxKey, repo.Top(), repo.CommonDir())
	if err != nil {
		return nil, fmt.Errorf("%w: its key: %w", ErrApp, err)
	}
	app := &github.App{ID: id, Key: key}
	if n := appSetting(repo, env, "ASSENT_APP_INSTALLATION", "assent.appInstallation"); n != "" {
		if app.Installation, err = strconv.ParseInt(n, 10, 64); err != nil || app.Installation < 1 {
			return nil, fmt.Errorf("%w: its installation %q is no number", ErrApp, n)
		}
	}
	return app, nil
}

// Admit lets git push and fetch as the user's App, if there is one: it requests a password
// that is valid for an hour and passes it to the helper of GitEnvironment. Git finds all
// other logins itself. For a token of the environment that belongs to another server, the
// error is ErrElsewhere.
func Admit(ctx context.Context, repo *gitstore.Repo, s Service, env func(string) string) error {
	if !hasApp(repo, s, env) {
		return checkServers(s, env(TokenVariable), env)
	}
	h, err := byApp(repo, s, env)
	if err != nil {
		return err
	}
	password, err := h.Password(ctx)
	if err == nil {
		repo.AddLogin(passwordVariable + "=" + password)
	}
	return err
}

func byApp(repo *gitstore.Repo, s Service, env func(string) string) (*github.Host, error) {
	app, err := appOf(repo, env)
	if err != nil {
		return nil, err
	}
	h, err := github.New(github.Options{Server: s.API, Owner: s.Owner, Repo: s.Repo, App: app})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrApp, err)
	}
	return h, nil
}
