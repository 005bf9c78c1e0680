package gitea_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/gitea"
	"github.com/assent-dev/assent/engine/forge/gitea/giteatest"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/hosttest"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// TestHost runs the suite against the real Gitea.
func TestHost(t *testing.T) {
	server := giteatest.Start(t)
	for _, who := range []string{hosttest.Engine, hosttest.Ada, hosttest.Bob, hosttest.Stranger} {
		server.User(t, who)
	}
	hosttest.Run(t, func(t *testing.T) hosttest.Harness { return newBench(t, server).harness() })
}

// bench is a repository on the server, with a local one in which to make commits.
type bench struct {
	giteatest.Repo
	dir    string
	clone  *gitstore.Repo
	tokens map[string]string
	serial int64
}

func newBench(t *testing.T, server *giteatest.Server) *bench {
	t.Helper()
	b := emptyBench(t, server)
	b.push(t, hosttest.Engine, hosttest.Base, b.commit(t, "README.md", "# A workspace\n"))
	b.Ready(t)
	return b
}

// emptyBench returns a bench without a push.
func emptyBench(t *testing.T, server *giteatest.Server) *bench {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	b := &bench{Repo: server.Repo(t, hosttest.Engine, hosttest.Ada, hosttest.Bob), dir: t.TempDir(), tokens: map[string]string{}}
	var err error
	b.clone, err = gitstore.Init(b.dir)
	must(t, err)
	b.Settings(t, map[string]any{"allow_manual_merge": true, "autodetect_manual_merge": false})
	return b
}

// eventually polls until so returns true, with a long timeout.
func eventually(t *testing.T, so func() bool, complaint func() string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(complaint())
		}
	}
}

// token returns an account's token, created on first use.
func (b *bench) token(t *testing.T, who string) string {
	t.Helper()
	if b.tokens[who] == "" {
		b.tokens[who] = b.Server.Token(t, who)
	}
	return b.tokens[who]
}

func (b *bench) options(token string) gitea.Options {
	return gitea.Options{URL: b.Server.URL, Owner: b.Owner, Repo: b.Name, Token: token, UserAgent: "assent-test"}
}

func connect(t *testing.T, o gitea.Options) host.Host {
	t.Helper()
	h, err := gitea.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (b *bench) commit(t *testing.T, path, content string, parents ...tree.Hash) tree.Hash {
	t.Helper()
	b.serial++
	var base tree.Hash
	if len(parents) > 0 {
		c, err := b.clone.Commit(parents[0])
		if err != nil { // the server made the commit
			storetest.Git(t, b.dir, "fetch", "--quiet", b.Remote(t, hosttest.Engine), parents[0].String())
			c, err = b.clone.Commit(parents[0])
		}
		must(t, err)
		base = c.Tree
	}
	top, err := b.clone.WriteTree(base, storetest.Files(path, content))
	must(t, err)
	who := storetest.Person(b.serial)
	h, err := b.clone.WriteCommit(gitstore.Commit{Tree: top, Parents: parents, Author: who, Committer: who, Message: "Change " + path + "\n"}, nil)
	must(t, err)
	storetest.Update(t, b.clone, fmt.Sprint("refs/kept/", b.serial), tree.Hash{}, h) // stores the objects that it needs
	return h
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bench) push(t *testing.T, who, branch string, to tree.Hash) {
	t.Helper()
	spec := ":refs/heads/" + branch
	if !to.IsZero() {
		spec = to.String() + spec
	}
	storetest.Git(t, b.dir, "push", "--quiet", "--force", b.Remote(t, who), spec)
}

func (b *bench) tip(t *testing.T, branch string) tree.Hash {
	t.Helper()
	line := storetest.Git(t, b.dir, "ls-remote", b.Remote(t, hosttest.Engine), "refs/heads/"+branch)
	if line == "" {
		return tree.Hash{}
	}
	h, err := tree.ParseHash(line[:40])
	must(t, err)
	return h
}

func (b *bench) as(t *testing.T, who, method, below string, body, into any) {
	t.Helper()
	b.Server.Do(t, who, method, b.Path(below), body, into)
}

func pull(number int, below string) string  { return fmt.Sprintf("/pulls/%d%s", number, below) }
func issue(number int, below string) string { return fmt.Sprintf("/issues/%d%s", number, below) }

func (b *bench) harness() hosttest.Harness {
	return hosttest.Harness{
		Name: "gitea", Page: 50, Login: func(who string) string { return who },
		Connect: func(t *testing.T, who string, via http.RoundTripper, sleep hosttest.Sleep) host.Host {
			o := b.options(b.token(t, who))
			o.Transport, o.Sleep = via, sleep
			return connect(t, o)
		},
		Elsewhere: func(t *testing.T) host.Host {
			o := b.options(b.token(t, hosttest.Engine))
			o.Repo = "nowhere"
			return connect(t, o)
		},
		Narrow: func(t *testing.T) host.Host {
			return connect(t, b.options(b.Server.Token(t, hosttest.Engine, "read:repository")))
		},
		Commit: b.commit, Push: b.push, Tip: b.tip,
		SetOpen: func(t *testing.T, who string, number int, open bool) {
			b.as(t, who, http.MethodPatch, pull(number, ""), map[string]any{"state": map[bool]string{true: "open", false: "closed"}[open]}, nil)
		},
		Edit: func(t *testing.T, who string, number int, title, body string) {
			b.as(t, who, http.MethodPatch, pull(number, ""), map[string]any{"title": title, "body": body}, nil)
		},
		Say: func(t *testing.T, who string, number int, body string) {
			b.as(t, who, http.MethodPost, issue(number, "/comments"), map[string]any{"body": body}, nil)
		},
		Raw: b.raw,
		Remark: func(t *testing.T, who string, number int, body string) {
			b.as(t, who, http.MethodPost, pull(number, "/reviews"), map[string]any{"event": "COMMENT", "body": body}, nil)
		},
		Dismiss: b.dismiss, Tag: b.tag, Asked: b.asked, Checks: b.checks, Protect: b.protect,
		Revoke: func(t *testing.T, who string) {
			b.Server.RevokeTokens(t, who)
			delete(b.tokens, who)
		},
	}
}

func (b *bench) raw(t *testing.T, number int) []string {
	var comments []struct{ Body string }
	b.as(t, hosttest.Engine, http.MethodGet, issue(number, "/comments"), nil, &comments)
	var out []string
	for _, c := range comments {
		out = append(out, c.Body)
	}
	return out
}

func (b *bench) dismiss(t *testing.T, number int, login string) {
	var reviews []struct {
		ID   int64
		User struct{ Login string }
	}
	b.as(t, hosttest.Engine, http.MethodGet, pull(number, "/reviews"), nil, &reviews)
	for _, r := range reviews {
		if r.User.Login == login {
			b.as(t, hosttest.Engine, http.MethodPost, pull(number, fmt.Sprintf("/reviews/%d/dismissals", r.ID)), map[string]any{"message": "no"}, nil)
		}
	}
}

func (b *bench) tag(t *testing.T, number int, label string) {
	var made struct{ ID int64 }
	b.as(t, hosttest.Engine, http.MethodPost, "/labels", map[string]any{"name": label, "color": "#ff0000"}, &made)
	b.as(t, hosttest.Engine, http.MethodPost, issue(number, "/labels"), map[string]any{"labels": []int64{made.ID}}, nil)
}

func (b *bench) asked(t *testing.T, number int) []string {
	var pr struct {
		Asked []struct{ Login string } `json:"requested_reviewers"`
	}
	b.as(t, hosttest.Engine, http.MethodGet, pull(number, ""), nil, &pr)
	var out []string
	for _, u := range pr.Asked {
		out = append(out, u.Login)
	}
	return out
}

func (b *bench) checks(t *testing.T, head tree.Hash) []string {
	type status struct {
		ID              int64
		Status, Context string
	}
	var statuses []status
	b.as(t, hosttest.Engine, http.MethodGet, "/commits/"+head.String()+"/statuses?limit=50", nil, &statuses)
	slices.SortFunc(statuses, func(a, b status) int { return int(a.ID - b.ID) })
	var out []string
	for _, s := range statuses {
		if s.Context == host.CheckName {
			out = append(out, s.Status)
		}
	}
	return out
}

func (b *bench) protect(t *testing.T, branch string) {
	b.Protect(t, branch, map[string]any{
		"enable_push": true, "enable_push_whitelist": true, "push_whitelist_usernames": []string{hosttest.Engine},
		"enable_status_check": true, "status_check_contexts": []string{host.CheckName}, "required_approvals": 1,
	})
}
