package actions_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-dev/assent/engine/gate/validate"
)

// rig runs workflows with act, on copies of repositories and without a network. They run
// with the rights of the test and without a container.
type rig struct {
	t                        *testing.T
	act, top, source, assent string
	building                 []string // the environment in which the engine is built
}

// newRig copies the source of the engine and builds it once, like the action, so the runs
// find it in Go's cache.
func newRig(t *testing.T) *rig {
	t.Helper()
	act := os.Getenv("ASSENT_TEST_ACT")
	if act == "" {
		t.Skip("ASSENT_TEST_ACT does not name act")
	}
	r := &rig{t: t, act: act, top: t.TempDir()}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		r.building = append(r.building, name+"="+strings.TrimSpace(string(out)))
	}
	r.source = filepath.Join(r.top, "source")
	r.copySource()
	temp := filepath.Join(r.top, "built")
	r.run(r.top, []string{"RUNNER_TEMP=" + temp, "GITHUB_PATH=" + filepath.Join(r.top, "path")}, "bash", filepath.Join(r.source, ".github/actions/engine/build"))
	r.assent = filepath.Join(temp, "assent", "bin", "assent")
	return r
}

// copySource copies the engine's source and the actions.
func (r *rig) copySource() {
	r.t.Helper()
	for _, top := range []string{"action.yml", "go.mod", "go.sum", "template.go", ".github", "cmd", "engine", "soul", "skills", "policies", "workflows"} {
		err := filepath.WalkDir(filepath.Join("../../..", top), func(file string, e fs.DirEntry, err error) error {
			if err != nil || strings.HasSuffix(file, "_test.go") {
				return err
			}
			if e.IsDir() {
				if e.Name() == "testdata" {
					return fs.SkipDir
				}
				return nil
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			to := filepath.Join(r.source, strings.TrimPrefix(filepath.ToSlash(file), "../../../"))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return os.WriteFile(to, text, info.Mode().Perm())
		})
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// run executes a program with its own home and returns its output.
func (r *rig) run(dir string, env []string, program string, args ...string) string {
	r.t.Helper()
	cmd := r.command(dir, env, program, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes files below a folder.
func (r *rig) write(dir string, files map[string]string) {
	r.t.Helper()
	for path, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *rig) command(dir string, env []string, program string, args ...string) *exec.Cmd {
	home := filepath.Join(r.top, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "ASSENT_HOME=" + filepath.Join(home, "assent"), "GOTOOLCHAIN=local",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main",
		"GIT_CONFIG_KEY_1=user.name", "GIT_CONFIG_VALUE_1=Ada", "GIT_CONFIG_KEY_2=user.email", "GIT_CONFIG_VALUE_2=ada@example.org",
	}, slices.Concat(r.building, env)...)
	return cmd
}

// place is a repository on GitHub, from a workflow's view.
type place struct {
	*rig
	work, hub, artifacts string
	forged               string // the file that a value of an event makes when it is run
	wall                 *wall
	server               string
}

// at makes a place from the repository in work, whose branch main is in force.
func (r *rig) at(work string) *place {
	r.t.Helper()
	dir := r.t.TempDir()
	p := &place{rig: r, work: work, hub: filepath.Join(dir, "hub.git"), artifacts: filepath.Join(dir, "artifacts"), forged: filepath.Join(dir, "was-run"), wall: &wall{}}
	p.wall.hub = p.hub
	server := httptest.NewServer(p.wall)
	r.t.Cleanup(server.Close)
	p.server = server.URL
	r.run(work, nil, "git", "clone", "-q", "--bare", ".", p.hub)
	r.run(p.hub, nil, "git", "config", "uploadpack.allowAnySHA1InWant", "true") // as on GitHub
	r.run(work, nil, "git", "remote", "add", "origin", "https://github.com/someone/agents")
	return p
}

// git runs git in the place's checkout.
func (p *place) git(args ...string) string { return p.run(p.work, nil, "git", args...) }

// push makes a branch of main with files written over it; "" removes one.
func (p *place) push(branch string, files map[string]string) (head string) {
	p.t.Helper()
	p.git("switch", "-q", "-C", branch, "main")
	p.write(p.work, files)
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "change")
	return p.publish(branch)
}

func (p *place) publish(branch string) (head string) {
	p.t.Helper()
	p.git("push", "-q", "-f", p.hub, branch)
	return p.git("rev-parse", branch)
}

// nasty is a text that creates a file if a shell, a workflow command or an output setting
// interprets it.
func (p *place) nasty() string {
	return fmt.Sprintf("$(touch %[1]s) `touch %[1]s` '; touch %[1]s; ' \"; touch %[1]s; \" ${{ github.token }}\n::add-path::/\ncode=0\nbase=x", p.forged)
}

// pulled runs proposal.yml for a pull request. As on GitHub, the workflow is the one
// of the head.
func (p *place) pulled(branch, head string) {
	p.t.Helper()
	p.git("checkout", "-q", "--detach", head)
	p.event("pull_request", "proposal.yml", map[string]any{
		"number": 7,
		"pull_request": map[string]any{
			"number": 7, "title": p.nasty(), "body": p.nasty(),
			"base": map[string]any{"ref": "main", "sha": p.git("rev-parse", "main")},
			"head": map[string]any{"ref": branch + p.nasty(), "sha": head, "label": p.nasty()},
		},
	})
}

// followed runs report.yml after a run for head. GitHub reads it from the default branch.
func (p *place) followed(event, head string) {
	p.t.Helper()
	p.wall.head, p.wall.branch = head, p.nasty()
	p.git("checkout", "-q", "--detach", "main")
	p.event("workflow_run", "report.yml", map[string]any{
		"workflow_run": map[string]any{
			"id": 11, "event": event, "conclusion": "success", "head_sha": head, "head_branch": p.nasty(), "display_title": p.nasty(),
			"head_commit": map[string]any{"message": p.nasty()},
		},
	})
}

// used is a third-party action in a workflow, with its commit.
var used = regexp.MustCompile(`uses: (actions/([\w-]+)@[0-9a-f]{40})`)

// event runs one workflow and returns what it printed. Its failure is a result, recorded in the report.
func (p *place) event(name, workflow string, payload map[string]any) (said string) {
	p.t.Helper()
	payload["repository"] = map[string]any{"default_branch": "main", "full_name": "someone/agents", "name": "agents", "owner": map[string]any{"login": "someone"}}
	text, err := json.Marshal(payload)
	if err != nil {
		p.t.Fatal(err)
	}
	file := filepath.Join(p.t.TempDir(), "event.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		p.t.Fatal(err)
	}
	args := []string{
		name, "-W", ".github/workflows/" + workflow, "-e", file, "-P", "ubuntu-latest=-self-hosted", "--no-cache-server", "--no-skip-checkout",
		"--action-cache-path", filepath.Join(p.t.TempDir(), "cache"), "--env", "ARTIFACTS=" + p.artifacts,
		"--local-repository", "assent-dev/assent@" + engine + "=" + p.source,
		"--env", "GIT_CONFIG_COUNT=1", "--env", "GIT_CONFIG_KEY_0=url." + p.hub + ".insteadOf", "--env", "GIT_CONFIG_VALUE_0=" + p.server + "/someone/agents",
		"--env", "GITHUB_SERVER_URL=" + p.server, "-s", "GITHUB_TOKEN=t0ken",
	}
	fakes, err := filepath.Abs(filepath.Join("testdata", "act"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, text := range all(p.t) {
		for _, m := range used.FindAllStringSubmatch(text, -1) {
			args = append(args, "--local-repository", m[1]+"="+filepath.Join(fakes, m[2]))
		}
	}
	for _, v := range p.building {
		args = append(args, "--env", v)
	}
	out, _ := p.command(p.work, []string{"GITHUB_REPOSITORY=someone/agents"}, p.act, args...).CombinedOutput()
	if _, err := os.Stat(p.forged); err == nil {
		p.t.Errorf("%s: something of the event was run\n%s", workflow, out)
	}
	if p.t.Failed() || testing.Verbose() {
		p.t.Logf("%s\n%s", workflow, out)
	}
	if !strings.Contains(string(out), "Complete job") {
		p.t.Fatalf("%s did not run\n%s", workflow, out)
	}
	return string(out)
}

// report reads an artifact, and the rules of its findings.
func (p *place) report(artifact string) (validate.Report, []string) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.artifacts, artifact, "report.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := validate.ParseReport(text)
	if err != nil {
		p.t.Fatal(err)
	}
	rules := []string{}
	for _, d := range r.Diagnostics {
		rules = append(rules, d.Rule)
	}
	slices.Sort(rules)
	return r, rules
}

// wall is as much of GitHub's API as telling a pull request needs.
type wall struct {
	mu           sync.Mutex
	head, branch string // of pull request 7
	state, said  string // of the newest status, and in the newest comment
	hub          string // the repository
}

func (w *wall) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var in struct{ State, Body, Head string }
	if r.Method != http.MethodGet {
		_ = json.NewDecoder(r.Body).Decode(&in)
	}
	var out any = []any{}
	switch path := strings.TrimPrefix(r.URL.Path, "/api/v3"); {
	case r.Header.Get("Authorization") != "Bearer t0ken":
		rw.WriteHeader(http.StatusUnauthorized)
	case path == "/user":
		out = map[string]any{"login": "github-actions[bot]"}
	case path == "/repos/someone/agents/pulls" && r.Method == http.MethodPost:
		w.branch = in.Head
		out = w.pull()
		rw.WriteHeader(http.StatusCreated)
	case path == "/repos/someone/agents/pulls":
		if w.head != "" {
			out = []any{w.pull()}
		}
	case path == "/repos/someone/agents/pulls/7":
		out = w.pull()
	case path == "/repos/someone/agents/labels":
		rw.WriteHeader(http.StatusUnprocessableEntity) // it is there
	case path == "/repos/someone/agents/issues/7/labels":
	case r.Method == http.MethodGet:
	case path == "/repos/someone/agents/statuses/"+w.head:
		w.state, out = in.State, map[string]any{"state": in.State}
	case path == "/repos/someone/agents/issues/7/comments":
		w.said, out = in.Body, map[string]any{"id": 1, "body": in.Body}
	default:
		rw.WriteHeader(http.StatusNotFound)
	}
	_ = json.NewEncoder(rw).Encode(out)
}

// pull is pull request 7, at the head of its branch if the repository has that.
func (w *wall) pull() map[string]any {
	if tip, err := exec.Command("git", "-C", w.hub, "rev-parse", "--verify", "refs/heads/"+w.branch).Output(); err == nil {
		w.head = strings.TrimSpace(string(tip))
	}
	repository := map[string]any{"full_name": "someone/agents"}
	return map[string]any{
		"number": 7, "state": "open", "base": map[string]any{"ref": "main", "repo": repository},
		"head": map[string]any{"ref": w.branch, "sha": w.head, "repo": repository},
	}
}
