package connect

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
)

// TokenVariable is the environment variable with the highest precedence.
const TokenVariable = "ASSENT_TOKEN"

// token finds the login to a service: ASSENT_TOKEN, on GitHub also GH_TOKEN and
// GITHUB_TOKEN, then the logins in Git's credential helpers for the service and for the
// server of pushes, then the login of gh. It never prompts on a terminal. It returns "" if
// there is none. The error is ErrElsewhere or ErrToken.
func token(ctx context.Context, repo *gitstore.Repo, s Service, env func(string) string) (string, error) {
	names := []string{TokenVariable}
	if s.Kind == GitHub {
		names = append(names, "GH_TOKEN", "GITHUB_TOKEN")
	}
	for _, name := range names {
		if v := env(name); v != "" {
			return v, checkServers(s, v, env)
		}
	}
	return storedLogin(ctx, repo, s), nil
}

// storedLogin returns the login to a service in Git's credential helpers or gh. Both look it up
// by server.
func storedLogin(ctx context.Context, repo *gitstore.Repo, s Service) string {
	server, err := url.Parse(s.API)
	if err != nil {
		return ""
	}
	for _, at := range slices.Compact([]string{server.Scheme + "://" + server.Host, cmp.Or(s.Git, server.Scheme+"://"+server.Host)}) {
		there, err := url.Parse(at)
		if err != nil || there.Scheme == "http" && server.Scheme != "http" {
			continue
		}
		there.Path = "/" + s.Owner + "/" + s.Repo + ".git"
		if password, err := remote.Password(ctx, repo, there); err == nil {
			return password
		}
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

// passwordVariable passes a login that is not in TokenVariable to the helper below: that of
// a GitHub App, which changes each hour.
const passwordVariable = "ASSENT_GIT_PASSWORD"

// GitEnvironment returns variables that make git use ASSENT_TOKEN, or the token of the App,
// for the server of the remote; nil without either. None of them contains the token. Only a
// server that the token belongs to gets it, and unencrypted only if the service's API is
// unencrypted too.
func GitEnvironment(repo *gitstore.Repo, s Service, env func(string) string) []string {
	if s.Kind == Local || s.Git == "" || env(TokenVariable) == "" && !hasApp(repo, s, env) ||
		strings.HasPrefix(s.Git, "http://") && !strings.HasPrefix(s.API, "http://") || checkServers(s, env(TokenVariable), env) != nil {
		return nil
	}
	there, _ := strconv.Atoi(env("GIT_CONFIG_COUNT")) // entries of others stay
	helper := `!f() { test "$1" = get && printf 'username=assent\npassword=%s\n' "${` + TokenVariable + `:-$` + passwordVariable + `}"; }; f`
	section := "credential." + s.Git
	return []string{
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", there+2),
		fmt.Sprintf("GIT_CONFIG_KEY_%d=%s.helper", there, section), fmt.Sprintf("GIT_CONFIG_VALUE_%d=", there), // before it, forget the user's
		fmt.Sprintf("GIT_CONFIG_KEY_%d=%s.helper", there+1, section), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", there+1, helper),
	}
}
