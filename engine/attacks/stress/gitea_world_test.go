package stress_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/forge/gitea/giteatest"
)

// service is a workspace on a real Gitea: engines with accounts, clones and lines of their own;
// ada, who decides at her machine; bob, who decides on the server's pages; and carol, who pushes
// with ordinary git.
type service struct {
	*campaign
	hub     giteatest.Repo
	url     string // of the repository, as it is reached without the network
	net     *network
	engines []*mortal
}

const adasLine = -1

// newService starts a service with that many engines. The network is calm until weather changes
// that.
func newService(t *testing.T, r *rand.Rand, engines int) *service {
	t.Helper()
	server := giteatest.Start(t)
	p := newPlace(t, engines)
	s := &service{campaign: &campaign{T: t, place: p, tally: newTally(), actor: actor{p, r}}}
	names := []string{"bob", "carol"}
	for i := range engines {
		names = append(names, fmt.Sprintf("engine%d", i))
	}
	for _, name := range append([]string{"ada"}, names...) {
		server.User(t, name)
	}
	s.hub = server.Repo(t, "ada", names...)
	s.hub.Settings(t, map[string]any{
		"allow_manual_merge": true, "autodetect_manual_merge": false,
		"allow_squash_merge": false, "allow_rebase": false, "allow_rebase_explicit": false, "allow_fast_forward_only_merge": false,
	})
	s.url = server.URL + "/ada/" + s.hub.Name + ".git"
	var err error
	s.net, err = newNetwork(server.URL, r)
	must(t, err)
	s.net.life = func(line int) int {
		if line == adasLine {
			return 0
		}
		e := s.engines[line]
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.life
	}
	s.net.kill = func(line, life int) bool { return line != adasLine && s.engines[line].strike(life) }
	for i, name := range names[2:] {
		s.engines = append(s.engines, &mortal{
			name: name, dir: filepath.Join(p.root, name), exits: map[int]int{},
			env:  append(append([]string{}, p.env...), "ASSENT_HOME="+filepath.Join(p.root, name+"-home"), "ASSENT_TOKEN="+server.Token(t, name)),
			args: []string{"serve", "--remote", "origin", "--listen", "127.0.0.1:0", "--poll", "5s", "--settle", "10ms"},
		})
		if i == 0 { // as cron does it
			s.engines[i].once, s.engines[i].args = true, []string{"reconcile"}
		}
	}
	for _, e := range s.engines {
		t.Cleanup(e.perish)
	}
	s.appoint()
	s.publish(server)
	return s
}

// as runs a command that must succeed in a person's environment.
func (s *service) as(env []string, c command) string {
	s.Helper()
	p := *s.place
	p.env = env
	return p.must(s.T, c)
}

// appoint gives all people and engines their roles, before anything is shared.
func (s *service) appoint() {
	s.Helper()
	people := "people:\n  bob:\n    emails: [bob@example.org]\n    logins: {gitea: bob}\n  carol:\n    emails: [carol@example.org]\n    logins: {gitea: carol}\n"
	var witnesses []string
	for _, e := range s.engines {
		said := s.as(e.env, assent("keys", "new"))
		for line := range strings.Lines(said) {
			if key, ok := strings.CutPrefix(strings.TrimSpace(line), "public "); ok {
				people += fmt.Sprintf("  %s:\n    keys: [%s]\n    logins: {gitea: %s}\n", e.name, strings.TrimSpace(key), e.name)
			}
		}
		witnesses = append(witnesses, e.name)
	}
	s.rewrite("policies/roles.yaml", "people:\n", people, "human: [ada]", "human: [ada, bob]", "lead: [ada]", "lead: [ada, bob]",
		"roles:\n", "roles:\n  witness: ["+strings.Join(witnesses, ", ")+"]\n", "logins: {gitea: ada}", "", "  ada:\n", "  ada:\n    logins: {gitea: ada}\n")
	s.rewrite("policies/limits.yaml", "learned_per_agent: 50", "learned_per_agent: 1000", "synthesised_per_workspace: 20", "synthesised_per_workspace: 1000")
	s.life(act{kind: "propose", token: "everybody", command: assent("propose", "--goal", "everybody", "--json")})
}

// rewrite edits a file of the checkout.
func (s *service) rewrite(file string, oldnew ...string) {
	s.Helper()
	path := filepath.Join(s.place.dir, file)
	text, err := os.ReadFile(path)
	must(s.T, err)
	must(s.T, os.WriteFile(path, []byte(strings.NewReplacer(oldnew...).Replace(string(text))), 0o666))
}

// publish pushes the workspace to the server and gives each engine its clone, over its own line.
func (s *service) publish(server *giteatest.Server) {
	s.Helper()
	on := func(line int) string { return s.net.line(s.T, line) + "/ada/" + s.hub.Name + ".git" }
	s.place.must(s.T, git("remote", "add", "origin", on(adasLine)))
	s.place.env = append(s.place.env, "ASSENT_TOKEN="+server.Token(s.T, "ada"))
	s.place.must(s.T, git("config", "assent.forge", "gitea"))
	s.place.must(s.T, assent("push"))
	s.hub.Ready(s.T)
	var may []string
	for i, e := range s.engines {
		s.as(e.env, assent("clone", on(i), e.dir).in(s.place.root))
		s.as(e.env, git("config", "assent.forge", "gitea").in(e.dir))
		may = append(may, e.name)
	}
	s.hub.Protect(s.T, "main", map[string]any{"enable_push": true, "enable_push_whitelist": true, "push_whitelist_usernames": append(may, "ada")})
}

// api sends a request to the server below the repository, without the network.
func (s *service) api(account, method, below string, body, into any) {
	s.Helper()
	s.hub.Server.Do(s.T, account, method, s.hub.Path(below), body, into)
}

// request is a pull request as the server returns it.
type request struct {
	Number int
	State  string
	Merged bool
	Commit string `json:"merge_commit_sha"`
	Head   struct{ Label, Sha string }
}

// requests lists pull requests: open, or all.
func (s *service) requests(state string) []request {
	s.Helper()
	var all []request
	for page := 1; ; page++ {
		var some []request
		s.api("ada", http.MethodGet, fmt.Sprintf("/pulls?state=%s&limit=50&page=%d", state, page), nil, &some)
		if all = append(all, some...); len(some) < 50 {
			return all
		}
	}
}
