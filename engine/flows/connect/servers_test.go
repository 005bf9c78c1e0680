package connect_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assent-dev/assent/engine/flows/connect"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// A token goes only to the servers that first received it, or that the environment names,
// regardless of later changes of .git/config.
func TestTokenStaysWithItsServer(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	home := t.TempDir()
	t.Setenv("ASSENT_HOME", home)
	repo := storetest.NewRepo(t)
	at := func(api, git string) connect.Service { return connect.Service{Kind: connect.Gitea, API: api, Git: git} }
	token, named := "secret-of-ada", ""
	ask := func(s connect.Service) error {
		return connect.Admit(t.Context(), repo, s, func(name string) string {
			return map[string]string{connect.TokenVariable: token, connect.ServerVariable: named}[name]
		})
	}
	good, api := at("https://git.example.org/api", "https://git.example.org"), "https://evil.example.net"
	steps := []struct {
		name, token, named string
		to                 connect.Service
		refused            bool
	}{
		{"first", "secret-of-ada", "", good, false},
		{"again", "secret-of-ada", "", good, false},
		{"by ssh", "secret-of-ada", "", at("https://GIT.example.org/", ""), false},
		{"another api", "secret-of-ada", "", at(api, "https://git.example.org"), true},
		{"another remote", "secret-of-ada", "", at("https://git.example.org", "https://evil.example.net"), true},
		{"another port", "secret-of-ada", "", at("https://git.example.org:8443", ""), true},
		{"in the clear", "secret-of-ada", "", at("http://git.example.org", ""), true},
		{"another token", "secret-of-bob", "", at(api, ""), false},
		{"named", "secret-of-ada", "https://moved.example.org, git.example.org", at("https://moved.example.org", ""), false},
		{"not named", "secret-of-eve", "https://moved.example.org", at(api, ""), true},
		{"the same folder", "secret-of-ada", "", connect.Service{Kind: connect.Local}, false},
	}
	for _, s := range steps {
		token, named = s.token, s.named
		if err := ask(s.to); errors.Is(err, connect.ErrElsewhere) != s.refused || err != nil && !s.refused {
			t.Errorf("%s: %v", s.name, err)
		}
		env := connect.GitEnvironment(repo, s.to, func(name string) string {
			return map[string]string{connect.TokenVariable: token, connect.ServerVariable: named}[name]
		})
		if s.refused && env != nil {
			t.Errorf("%s: git is given the token", s.name)
		}
	}
	for _, bad := range []string{"secret\n", "sec ret", "secret\x7f", "secret\r\nhelp"} {
		token, named = bad, ""
		if err := ask(good); !errors.Is(err, connect.ErrToken) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(home, "logins.json"))
	if err != nil || strings.Contains(string(data), "secret") {
		t.Errorf("%s, %v", data, err)
	}
}

// Processes that use a token for the first time at the same moment bind it to one server.
func TestTokenIsBoundOnce(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("ASSENT_HOME", t.TempDir())
	repo := storetest.NewRepo(t)
	env := func(name string) string { return map[string]string{connect.TokenVariable: "secret-of-ada"}[name] }
	var admitted atomic.Int32
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			err := connect.Admit(t.Context(), repo, connect.Service{Kind: connect.Gitea, API: fmt.Sprintf("https://%d.example.org", n)}, env)
			if err == nil {
				admitted.Add(1)
			} else if !errors.Is(err, connect.ErrElsewhere) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := admitted.Load(); n != 1 {
		t.Errorf("the token is admitted for %d servers", n)
	}
}
