package connect_test

import (
	"os"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/flows/connect"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// Git gets the token once, in addition to its environment's settings, and no variable
// contains the token itself.
func TestGitEnvironment(t *testing.T) {
	t.Setenv("ASSENT_HOME", t.TempDir()) // where the servers of tokens are recorded
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	repo := storetest.NewRepo(t)
	s := connect.Service{Kind: connect.Gitea, API: "https://api.example.org/below", Git: "https://git.example.org"}
	env := map[string]string{connect.TokenVariable: "secret", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Ada"}
	get := func(name string) string { return env[name] }
	for _, variable := range connect.GitEnvironment(repo, s, get) {
		if name, value, _ := strings.Cut(variable, "="); name != "" {
			env[name] = value
		}
	}
	if env["GIT_CONFIG_COUNT"] != "3" || env["GIT_CONFIG_KEY_0"] != "user.name" || env["GIT_CONFIG_KEY_2"] != "credential.https://git.example.org.helper" {
		t.Errorf("%v", env)
	}
	for name, value := range env {
		if name != connect.TokenVariable && strings.Contains(value, "secret") {
			t.Errorf("the token stands in %s", name)
		}
	}
	for name, other := range map[string]connect.Service{
		"by ssh": {Kind: connect.Gitea, API: "https://git.example.org"}, "in the clear": {Kind: connect.Gitea, API: "https://git.example.org", Git: "http://git.example.org"},
	} {
		if got := connect.GitEnvironment(repo, other, func(string) string { return "secret" }); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	if none := connect.GitEnvironment(repo, connect.Service{Kind: connect.Local}, get); none != nil {
		t.Errorf("without a service: %v", none)
	}
}
