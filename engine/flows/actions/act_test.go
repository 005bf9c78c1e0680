package actions_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/version"
)

const skill = `---
name: brew-tea
description: Brews tea. Use when somebody asks for tea and there is a kettle.
---
# Brew tea

Boil water, pour it over the leaves, wait four minutes.
`

// loose is a change of a policy by hand, which no proposal explains.
var loose = map[string]string{"policies/autonomy.yaml": "default: autonomous\n"}

// TestWorkflowsOfUsers runs the workflows of `assent init --github`, for honest and hostile
// pull requests.
func TestWorkflowsOfUsers(t *testing.T) {
	r := newRig(t)
	work := filepath.Join(r.top, "agents")
	r.run(r.top, nil, r.assent, "init", work, "--github", "--engine", engine, "--login", "ada")
	p := r.at(work)

	tea := filepath.Join(r.top, "brew-tea")
	if err := os.MkdirAll(tea, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tea, "SKILL.md"), []byte(skill), 0o600); err != nil {
		t.Fatal(err)
	}
	var opened struct{ ID string }
	if err := json.Unmarshal([]byte(r.run(work, nil, r.assent, "propose", tea, "--agent", "scout", "--json")), &opened); err != nil {
		t.Fatal(err)
	}
	honest := p.publish("proposal/" + opened.ID)
	p.pulled("proposal/"+opened.ID, honest)
	p.expect("assent-report", true)
	if sarif, err := os.ReadFile(filepath.Join(p.artifacts, "assent-report", "report.sarif")); err != nil || !strings.Contains(string(sarif), `"2.1.0"`) {
		t.Errorf("the report as SARIF: %v\n%s", err, sarif)
	}
	p.followed("pull_request", honest)
	p.expect("assent-confirmed", true)

	t.Run("the report of another head", func(t *testing.T) {
		head := p.push("replay", loose)
		p.followed("pull_request", head) // and the artifact is still that of the honest one
		p.expect("assent-confirmed", false, "proposal-missing", "report-trees")
	})
	t.Run("a policy that allows it", func(t *testing.T) {
		head := p.push("policy", loose)
		p.pulled("policy", head)
		p.expect("assent-report", false, "proposal-missing")
	})
	t.Run("a workflow that says it is fine", func(t *testing.T) {
		head := p.push("workflow", map[string]string{
			"policies/autonomy.yaml":         loose["policies/autonomy.yaml"],
			".github/workflows/proposal.yml": forgery,
		})
		p.pulled("workflow", head)
		p.expect("assent-report", true)
		p.followed("pull_request", head)
		p.expect("assent-confirmed", false, "proposal-missing", "report-forged")
	})
	t.Run("a queue of merges", func(t *testing.T) {
		p.git("switch", "-q", "-C", "queue", "main")
		p.git("merge", "-q", "--no-ff", "-m", "queued", honest)
		head := p.publish("queue")
		p.event("merge_group", "proposal.yml", map[string]any{"merge_group": map[string]any{
			"head_sha": head, "head_ref": "refs/heads/queue", "base_sha": p.git("rev-parse", "main"), "base_ref": "refs/heads/main",
		}})
		p.expect("assent-report", true)
		p.followed("merge_group", head)
		p.expect("assent-confirmed", true)
	})
}

// TestPass: an inbox branch is a pull request after the following pass, also on a server
// other than github.com.
func TestPass(t *testing.T) {
	r := newRig(t)
	work := filepath.Join(r.top, "agents")
	r.run(r.top, nil, r.assent, "init", work, "--github", "--engine", engine)
	p := r.at(work)
	p.push("inbox/scout/brew-tea", map[string]string{"skills/brew-tea/SKILL.md": skill})
	p.event("push", "inbox.yml", map[string]any{"ref": "refs/heads/inbox/scout/brew-tea", "head_commit": map[string]any{"message": p.nasty()}})
	p.git("checkout", "-q", "--detach", "main")
	p.event("workflow_run", "schedule.yml", map[string]any{"workflow_run": map[string]any{"id": 11, "head_branch": p.nasty()}})
	refs := r.run(p.hub, nil, "git", "for-each-ref", "--format=%(refname)")
	if strings.Contains(refs, "inbox/") || !strings.Contains(refs, "refs/heads/proposal/brew-tea-") || !strings.Contains(refs, "refs/assent/pulls/brew-tea-") {
		t.Errorf("after the pass there are\n%s", refs)
	}
	if !strings.HasPrefix(p.wall.branch, "proposal/brew-tea-") {
		t.Errorf("the service has a pull request from %q", p.wall.branch)
	}
}

// TestWorkflowsOfThisRepository: here a pull request can change the engine too, and the
// engine of the base judges.
func TestWorkflowsOfThisRepository(t *testing.T) {
	r := newRig(t)
	r.run(r.source, nil, "git", "init", "-q")
	r.run(r.source, nil, "git", "add", "-A")
	r.run(r.source, nil, "git", "commit", "-q", "-m", "all of it")
	p := r.at(r.source)

	head := p.push("engine", map[string]string{
		"engine/base/version/version.go": "package version\n\nconst Engine = \"6.6.6\"\n",
		".github/actions/validate":       "echo '{}' > \"$RUNNER_TEMP/assent/report/report.json\"; echo code=0 >> \"$GITHUB_OUTPUT\"\n",
		"policies/autonomy.yaml":         loose["policies/autonomy.yaml"],
	})
	// None of this repository's own roles has a key; any change of a policy reports that.
	want := []string{"policy-no-human", "policy-too-few", "proposal-missing"}
	p.pulled("engine", head)
	if judged := p.expect("assent-report", false, want...); judged != version.Engine {
		t.Errorf("the engine that judged is %s, the base's is %s", judged, version.Engine)
	}
	p.followed("pull_request", head)
	p.expect("assent-confirmed", false, want...)
}

// expect compares an artifact's rules, and returns the engine that made it.
func (p *place) expect(artifact string, passed bool, rules ...string) (engine string) {
	p.t.Helper()
	got, found := p.report(artifact)
	if diff := cmp.Diff(append([]string{}, rules...), found); diff != "" || got.Passed != passed {
		p.t.Errorf("%s: passed is %v (-want +is):\n%s", artifact, got.Passed, diff)
	}
	if artifact != "assent-confirmed" {
		return got.Engine
	}
	if state := map[bool]string{true: "success", false: "failure"}[passed]; p.wall.state != state {
		p.t.Errorf("the status is %q, want %q", p.wall.state, state)
	}
	for _, rule := range rules {
		if !strings.Contains(p.wall.said, "`"+rule+"`") {
			p.t.Errorf("the comment does not tell of %s: %q", rule, p.wall.said)
		}
	}
	return got.Engine
}

// forgery is an attacker's workflow: it reports no findings for the right commits.
const forgery = `name: proposal
on: pull_request
jobs:
  validate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
        with:
          ref: ${{ github.event.pull_request.head.sha }}
      - run: |
          mkdir -p "$ARTIFACTS/assent-report"
          printf '{"v":1,"engine":"%s","base":"%s","result":"%s","passed":true,"diagnostics":[]}' \
            ` + version.Engine + ` "$(git rev-parse 'HEAD~1^{tree}')" "$(git rev-parse 'HEAD^{tree}')" >"$ARTIFACTS/assent-report/report.json"
`
