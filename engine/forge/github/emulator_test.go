package github

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/hosttest"
)

// emulatorPackage imitates GitHub. It is the newest version for Node 20, and pinned
// because the test runs code of others.
const emulatorPackage = "emulate@0.11.2"

// emulator is a running emulator.
type emulator struct {
	address string
	key     []byte
	serial  atomic.Int64
}

// The accounts: an organisation owns the repositories, the engine is an App of it, and
// the organisation's owner creates them.
const (
	organisation = "guild"
	owner        = "root"
	appID        = "4711"
	appSlug      = "assent-engine"
)

func startEmulator(t *testing.T) *emulator {
	t.Helper()
	needNPX(t)
	dir := t.TempDir()
	install := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, emulatorPackage)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	e := &emulator{key: pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})}
	seed := filepath.Join(dir, "seed.json")
	if err := os.WriteFile(seed, e.seed(), 0o600); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	e.address = "http://127.0.0.1:" + port
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "node", filepath.Join(dir, "node_modules", "emulate", "dist", "index.js"),
		"start", "-s", "github", "-p", port, "--seed", seed, "--base-url", e.address)
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	for end := time.Now().Add(time.Minute); ; {
		resp, err := http.Get(e.address + "/rate_limit")
		if err == nil {
			resp.Body.Close()
			return e
		}
		select {
		case <-ended:
			t.Fatalf("the emulator ended:\n%s", said.String())
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatalf("the emulator does not answer: %v", err)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// seed returns the accounts; each test creates a repository of its own.
func (e *emulator) seed() []byte {
	tokens, users := map[string]any{}, []any{}
	for i, who := range []string{owner, hosttest.Ada, hosttest.Bob, hosttest.Stranger} {
		tokens[tokenOf(who)] = map[string]any{"login": who, "id": 100 + i, "scopes": []string{"repo", "user", "admin:org"}}
		users = append(users, map[string]any{"login": who, "name": who, "email": who + "@example.org"})
	}
	text, err := json.Marshal(map[string]any{"tokens": tokens, "github": map[string]any{
		"users": users,
		"orgs": []any{map[string]any{"login": organisation, "name": organisation, "members": []any{
			map[string]any{"login": owner, "role": "admin"},
		}}},
		"apps": []any{map[string]any{
			"app_id": 4711, "slug": appSlug, "name": "Engine", "private_key": string(e.key),
			"permissions":   map[string]any{"contents": "write", "pull_requests": "write", "issues": "write", "checks": "write", "administration": "read", "metadata": "read"},
			"installations": []any{map[string]any{"installation_id": 815, "account": organisation, "repository_selection": "all"}},
		}},
	}})
	if err != nil {
		panic(err)
	}
	return text
}

func tokenOf(who string) string { return "token-of-" + who }

// onRoot moves requests from the API path of an Enterprise Server to that of the
// emulator. The App's own token bypasses next, which counts writes to the repository.
type onRoot struct{ next http.RoundTripper }

func (r onRoot) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Path, req.URL.RawPath = strings.TrimPrefix(req.URL.Path, "/api/v3"), strings.TrimPrefix(req.URL.RawPath, "/api/v3")
	if r.next == nil {
		r.next = http.DefaultTransport
	}
	if strings.HasPrefix(req.URL.Path, "/app/installations/") || strings.HasSuffix(req.URL.Path, "/installation") {
		return http.DefaultTransport.RoundTrip(req)
	}
	resp, err := r.next.RoundTrip(req)
	if err != nil || !strings.HasSuffix(req.URL.Path, "/check-runs") {
		return resp, err
	}
	// The emulator does not name the App of a check run; here there is only one.
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(body, []byte(`"app":null`), []byte(`"app":{"slug":"`+appSlug+`"}`))))
	resp.ContentLength = -1
	return resp, err
}

// TestEmulator runs the suite on the emulator and checks each request against GitHub's
// API description.
func TestEmulator(t *testing.T) {
	e := startEmulator(t)
	hosttest.Run(t, func(t *testing.T) hosttest.Harness { return e.harness(t) })
}

func (e *emulator) harness(t *testing.T) hosttest.Harness {
	t.Helper()
	api := published(t)
	name := fmt.Sprintf("workspace-%d", e.serial.Add(1))
	r := &emulated{e: e, path: "/repos/" + organisation + "/" + name}
	r.as(t, owner, "POST", "/orgs/"+organisation+"/repos", map[string]any{"name": name, "auto_init": true}, nil)
	for _, who := range []string{hosttest.Ada, hosttest.Bob} {
		r.as(t, owner, "PUT", r.path+"/collaborators/"+who, map[string]any{"permission": "push"}, nil)
	}
	connect := func(who, repo string, via http.RoundTripper, sleep hosttest.Sleep) host.Host {
		o := Options{Server: e.address, Owner: organisation, Repo: repo, Sleep: sleep,
			Transport: &checked{t: t, api: api, strip: "/api/v3", next: onRoot{via}}}
		if who == hosttest.Engine {
			o.App = &App{ID: appID, Key: e.key}
		} else {
			o.Token = tokenOf(who)
		}
		h, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	return hosttest.Harness{
		Name: "github", Page: 100,
		Connect: func(_ *testing.T, who string, via http.RoundTripper, sleep hosttest.Sleep) host.Host {
			return connect(who, name, via, sleep)
		},
		Elsewhere: func(*testing.T) host.Host {
			return connect(hosttest.Ada, "nowhere", nil, func(ctx context.Context, _ time.Duration) error { return ctx.Err() })
		},
		Login: func(who string) string {
			if who == hosttest.Engine {
				return appSlug + "[bot]"
			}
			return who
		},
		Commit: r.commit, Push: r.push, Tip: r.tip,
		SetOpen: func(t *testing.T, who string, number int, open bool) {
			state := map[bool]string{true: "open", false: "closed"}[open]
			r.as(t, who, "PATCH", fmt.Sprintf("%s/pulls/%d", r.path, number), map[string]any{"state": state}, nil)
		},
		Edit: func(t *testing.T, who string, number int, title, body string) {
			r.as(t, who, "PATCH", fmt.Sprintf("%s/pulls/%d", r.path, number), map[string]any{"title": title, "body": body}, nil)
		},
		Say: func(t *testing.T, who string, number int, body string) {
			r.as(t, who, "POST", fmt.Sprintf("%s/issues/%d/comments", r.path, number), map[string]any{"body": body}, nil)
		},
		Raw: r.raw,
		Remark: func(t *testing.T, who string, number int, body string) {
			r.as(t, who, "POST", fmt.Sprintf("%s/pulls/%d/reviews", r.path, number), map[string]any{"event": "COMMENT", "body": body}, nil)
		},
		Dismiss: r.dismiss,
		Tag: func(t *testing.T, number int, label string) {
			r.as(t, owner, "POST", r.path+"/labels", map[string]any{"name": label, "color": "ff0000"}, nil)
			r.as(t, owner, "POST", fmt.Sprintf("%s/issues/%d/labels", r.path, number), map[string]any{"labels": []string{label}}, nil)
		},
		Asked:  r.asked,
		Checks: r.checks,
		Lacks: map[hosttest.Feature]string{
			hosttest.Merges:       "it serves no git, and takes no note of what is pushed otherwise",
			hosttest.ClosedMerges: "as above",
			hosttest.Following:    "a pull request keeps the head that it was opened with",
			hosttest.Branches:     "it opens a pull request again whose branch is gone",
			hosttest.Existence:    "it opens a pull request for a branch that is not there",
			hosttest.Duplicates:   "it opens a second pull request for a branch",
			hosttest.SelfApproval: "it lets authors approve",
			hosttest.Dismissing:   "the words of a dismissal replace those of the review",
			hosttest.Rights:       "it lets any account write",
			hosttest.Pushers:      "it has no repository activity",
			hosttest.Scopes:       "it tells no scopes",
			hosttest.Revocation:   "its tokens are in its seed",
			hosttest.Protecting:   "it has no rulesets",
			hosttest.Queueing:     "it has neither merge queues nor auto-merge",
			hosttest.Merging:      "it has no git to merge in",
		},
	}
}

// emulated is one repository in the emulator, which the harness changes directly.
type emulated struct {
	e    *emulator
	path string
}

// as sends a request directly as one account. into may be nil.
func (r *emulated) as(t *testing.T, who, method, path string, body, into any) {
	t.Helper()
	status, text := r.ask(t, who, method, path, body)
	if status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s %s: %v: %s", method, path, err, text)
		}
	}
}

func (r *emulated) ask(t *testing.T, who, method, path string, body any) (int, []byte) {
	t.Helper()
	var in io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		in = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, r.e.address+path, in)
	if err != nil {
		t.Fatal(err)
	}
	if who == hosttest.Engine { // the owner does what needs no particular account
		who = owner
	}
	req.Header.Set("Authorization", "Bearer "+tokenOf(who))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, text
}

type object struct {
	SHA string `json:"sha"`
}

func (r *emulated) commit(t *testing.T, path, content string, parents ...tree.Hash) tree.Hash {
	t.Helper()
	var first struct{ Tree object }
	var files, made object
	r.as(t, owner, "GET", r.path+"/git/commits/"+parents[0].String(), nil, &first)
	r.as(t, owner, "POST", r.path+"/git/trees", map[string]any{"base_tree": first.Tree.SHA, "tree": []any{
		map[string]any{"path": path, "mode": "100644", "type": "blob", "content": content},
	}}, &files)
	names := []string{}
	for _, p := range parents {
		names = append(names, p.String())
	}
	r.as(t, owner, "POST", r.path+"/git/commits", map[string]any{"message": path, "tree": files.SHA, "parents": names}, &made)
	return hash(t, made.SHA)
}

func (r *emulated) push(t *testing.T, who, branch string, to tree.Hash) {
	t.Helper()
	ref := r.path + "/git/refs/heads/" + branch
	switch {
	case to.IsZero():
		r.as(t, who, "DELETE", ref, nil, nil)
	case r.tip(t, branch).IsZero():
		r.as(t, who, "POST", r.path+"/git/refs", map[string]any{"ref": "refs/heads/" + branch, "sha": to.String()}, nil)
	default:
		r.as(t, who, "PATCH", ref, map[string]any{"sha": to.String(), "force": true}, nil)
	}
}

func (r *emulated) tip(t *testing.T, branch string) tree.Hash {
	t.Helper()
	status, text := r.ask(t, owner, "GET", r.path+"/git/ref/heads/"+branch, nil)
	if status == http.StatusNotFound {
		return tree.Hash{}
	}
	var ref struct{ Object object }
	if err := json.Unmarshal(text, &ref); err != nil {
		t.Fatal(err)
	}
	return hash(t, ref.Object.SHA)
}

func (r *emulated) raw(t *testing.T, number int) []string {
	t.Helper()
	var list []struct{ Body string }
	r.as(t, owner, "GET", fmt.Sprintf("%s/issues/%d/comments?per_page=100", r.path, number), nil, &list)
	var out []string
	for _, c := range list {
		out = append(out, c.Body)
	}
	return out
}

func (r *emulated) dismiss(t *testing.T, number int, login string) {
	t.Helper()
	var list []struct {
		ID    int
		State string
		User  struct{ Login string }
	}
	r.as(t, owner, "GET", fmt.Sprintf("%s/pulls/%d/reviews", r.path, number), nil, &list)
	for _, one := range list {
		if one.User.Login == login && (one.State == "APPROVED" || one.State == "CHANGES_REQUESTED") {
			r.as(t, owner, "PUT", fmt.Sprintf("%s/pulls/%d/reviews/%d/dismissals", r.path, number, one.ID), map[string]any{"message": "no"}, nil)
		}
	}
}

func (r *emulated) asked(t *testing.T, number int) []string {
	t.Helper()
	var pr struct {
		Asked []struct{ Login string } `json:"requested_reviewers"`
	}
	r.as(t, owner, "GET", fmt.Sprintf("%s/pulls/%d", r.path, number), nil, &pr)
	out := make([]string, 0, len(pr.Asked))
	for _, u := range pr.Asked {
		out = append(out, u.Login)
	}
	return out
}

func (r *emulated) checks(t *testing.T, head tree.Hash) []string {
	t.Helper()
	var list struct {
		Runs []struct {
			ID                       int
			Name, Status, Conclusion string
		} `json:"check_runs"`
	}
	r.as(t, owner, "GET", fmt.Sprintf("%s/commits/%s/check-runs?filter=all&check_name=%s&per_page=100", r.path, head, url.QueryEscape(host.CheckName)), nil, &list)
	out := make([]string, 0, len(list.Runs))
	for i := range list.Runs { // newest first
		run := list.Runs[len(list.Runs)-1-i]
		if run.Status != "completed" {
			run.Conclusion = "pending"
		}
		out = append(out, run.Conclusion)
	}
	return out
}

func hash(t *testing.T, s string) tree.Hash {
	t.Helper()
	h, err := tree.ParseHash(s)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
