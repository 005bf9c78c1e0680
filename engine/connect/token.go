package connect

import (
	"context"
	"net/url"
	"os/exec"
	"strings"

	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/remote"
)

// TokenVariable is the environment variable that comes first.
const TokenVariable = "ASSENT_TOKEN"

// token finds the login to a service: ASSENT_TOKEN, on GitHub also GH_TOKEN and
// GITHUB_TOKEN, then what Git's credential helpers know, then what gh is logged in
// with. Nobody is asked on a terminal. Empty when there is none.
func token(ctx context.Context, repo *gitstore.Repo, s Service, env func(string) string) string {
	names := []string{TokenVariable}
	if s.Kind == GitHub {
		names = append(names, "GH_TOKEN", "GITHUB_TOKEN")
	}
	for _, name := range names {
		if v := env(name); v != "" {
			return v
		}
	}
	server, err := url.Parse(s.API)
	if err != nil {
		return ""
	}
	server.Path = "/" + s.Owner + "/" + s.Repo + ".git"
	if password, err := remote.Password(ctx, repo, server); err == nil {
		return password
	}
	if s.Kind != GitHub {
		return ""
	}
	out, err := exec.CommandContext(ctx, "gh", "auth", "token", "--hostname", server.Hostname()).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// GitEnvironment makes git use the token of ASSENT_TOKEN for this server, as entries
// of the environment; nil where that variable is not set. The token itself stands in
// none of them.
func GitEnvironment(s Service, env func(string) string) []string {
	server, err := url.Parse(s.API)
	if s.Kind == Local || env(TokenVariable) == "" || err != nil || env("GIT_CONFIG_COUNT") != "" {
		return nil
	}
	helper := `!f() { test "$1" = get && printf 'username=assent\npassword=%s\n' "$` + TokenVariable + `"; }; f`
	section := "credential." + server.Scheme + "://" + server.Host
	return []string{
		"GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=" + section + ".helper", "GIT_CONFIG_VALUE_0=", // before it, forget the user's
		"GIT_CONFIG_KEY_1=" + section + ".helper", "GIT_CONFIG_VALUE_1=" + helper,
	}
}
