package services_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli/clitest"
	"github.com/assent-dev/assent/engine/forge/gitea/giteatest"
)

// The program is this test binary under another name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"assent": func() { os.Exit(clitest.Main()) }})
}

// The scripts in testdata/gitea run the program against a real Gitea, over HTTP. Each
// has a repository of ada's to which bob and engine may write, at $HUB, and the tokens
// $TOKEN_ADA, $TOKEN_BOB and $TOKEN_ENGINE, and $TOKEN_NARROW of ada's, which may only read. Besides the commands of clitest there are
//
//	api ACCOUNT METHOD PATH [JSON]    asks the API below the repository; the answer is
//	                                  standard output. Refusals are what `!` is for
//	succeed CHECK NUMBER              lets a check of a pull request succeed, as ada, and waits
//	                                  until the server has merged it for that
func TestGiteaScripts(t *testing.T) { testscript.Run(t, giteaParams(t)) }

// TestGiteaYear runs the script about a year of use, which runs on the embedded forge as well.
func TestGiteaYear(t *testing.T) {
	p := giteaParams(t)
	p.Dir, p.Files = "", []string{"../runs/testdata/script/year.txtar"}
	p.Condition = func(is string) (bool, error) { return is == "gitea", nil }
	testscript.Run(t, p)
}

func giteaParams(t *testing.T) testscript.Params {
	t.Helper()
	server := giteatest.Start(t)
	for _, name := range []string{"ada", "bob", "engine"} {
		server.User(t, name)
	}
	p := clitest.Params("gitea")
	surround := p.Setup
	p.Setup = func(env *testscript.Env) error {
		if err := surround(env); err != nil {
			return err
		}
		repo := server.Repo(t, "ada", "bob", "engine")
		repo.Settings(t, map[string]any{"allow_manual_merge": true})
		env.Values[repoKey{}] = repo
		env.Setenv("HUB", server.URL+"/"+repo.Owner+"/"+repo.Name+".git")
		for _, name := range []string{"ada", "bob", "engine"} {
			env.Setenv("TOKEN_"+strings.ToUpper(name), server.Token(t, name))
		}
		env.Setenv("TOKEN_NARROW", server.Token(t, "ada", "read:repository", "read:user"))
		return nil
	}
	p.Cmds["api"], p.Cmds["succeed"] = api, succeed
	return p
}

type repoKey struct{}

// api asks the service in the name of an account.
func api(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: api ACCOUNT METHOD PATH [JSON]")
	}
	repo, ok := ts.Value(repoKey{}).(giteatest.Repo)
	if !ok {
		ts.Fatalf("no repository")
	}
	req, err := http.NewRequest(args[1], repo.Server.URL+"/api/v1"+repo.Path(args[2]), strings.NewReader(strings.Join(args[3:], " ")))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "token "+ts.Getenv("TOKEN_"+strings.ToUpper(args[0])))
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	_, err = io.Copy(ts.Stdout(), resp.Body)
	ts.Check(err)
	if refused := resp.StatusCode >= http.StatusBadRequest; refused != neg {
		ts.Fatalf("%s %s: %s", args[1], args[2], resp.Status)
	}
}

func succeed(ts *testscript.TestScript, neg bool, args []string) {
	repo, ok := ts.Value(repoKey{}).(giteatest.Repo)
	if neg || len(args) != 2 || !ok {
		ts.Fatalf("usage: succeed CHECK NUMBER")
	}
	ask := func(method, path string, body, into any) {
		sent, err := json.Marshal(body)
		ts.Check(err)
		req, err := http.NewRequest(method, repo.Server.URL+"/api/v1"+repo.Path(path), bytes.NewReader(sent))
		ts.Check(err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "token "+ts.Getenv("TOKEN_ADA"))
		resp, err := http.DefaultClient.Do(req)
		ts.Check(err)
		defer resp.Body.Close()
		ts.Check(json.NewDecoder(resp.Body).Decode(into))
	}
	var pr struct {
		Merged bool
		Head   struct{ Sha string }
	}
	ask(http.MethodGet, "/pulls/"+args[1], nil, &pr)
	ask(http.MethodPost, "/statuses/"+pr.Head.Sha, map[string]string{"context": args[0], "state": "success"}, &struct{}{})
	for end := time.Now().Add(2 * time.Minute); !pr.Merged; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("the server does not merge #%s", args[1])
		}
		ask(http.MethodGet, "/pulls/"+args[1], nil, &pr)
	}
}
