package actions_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instance are files in force in TestTemplates: a skill that gc archives, and a tool whose tests are due.
var instance = map[string]string{
	"policies/retention.yaml":            "deprecated: 0d\n",
	"skills/fold-shirts/SKILL.md":        "---\nname: fold-shirts\ndescription: Folds shirts along two seams. Use when laundry is dry.\n---\n# Fold\n\nLay the shirt flat.\n",
	"skills/fold-shirts/capability.yaml": "kind: skill\nversion: 1.0.0\nstatus: deprecated\n",
	"skills/roll-shirts/SKILL.md":        "---\nname: roll-shirts\ndescription: Rolls shirts for a suitcase. Use before a journey.\n---\n# Roll\n\nStart at the hem.\n",
	"skills/roll-shirts/capability.yaml": "kind: skill\nversion: 1.0.0\nstatus: active\nsupersedes: fold-shirts\n",
	"skills/half/SKILL.md":               "---\nname: half\ndescription: Gives half of a number. Use it to divide by two.\n---\n# Half\n\nCall it by name.\n",
	"skills/half/capability.yaml":        "kind: tool\nversion: 1.0.0\nlayer: base\nrun: {runtime: bash, entry: scripts/main.sh, timeout: 10s, memory: 256MiB}\ninput: {type: object, properties: {}}\noutput: {type: number}\n",
	"skills/half/scripts/main.sh":        "echo 0.5\n",
	"skills/half/tests.yaml":             "cases:\n  - {name: a half, input: {}, expect: {equals: 0.5}}\n",
}

var nightly = regexp.MustCompile(`schedule: ".*"`)

// TestTemplates: a workflow from each template of `assent new workflow` does its work in the pass of
// schedule.yml, whose clone remembers nothing.
func TestTemplates(t *testing.T) {
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Skip("bubblewrap is not installed")
	}
	r := newRig(t)
	work := filepath.Join(r.top, "agents")
	r.run(r.top, nil, "git", "init", "-q", work)
	r.write(work, instance)
	for _, template := range []string{"acquire", "checks", "gc", "notify", "revalidate"} {
		r.run(work, nil, r.assent, "new", "workflow", template, "--template", template)
		path := "workflows/" + template + ".yaml"
		text, err := os.ReadFile(filepath.Join(work, path))
		if err != nil {
			t.Fatal(err)
		}
		r.write(work, map[string]string{path: nightly.ReplaceAllString(string(text), `schedule: "* * * * *"`)}) // due in each pass
	}
	r.run(work, nil, "git", "add", "-A")
	r.run(work, nil, "git", "commit", "-q", "-m", "begin")
	r.run(work, nil, r.assent, "init", ".")
	r.run(work, nil, r.assent, "init", "--github", "--engine", engine)
	r.run(work, nil, "git", "add", "-A")
	r.run(work, nil, "git", "commit", "-q", "-m", "workflows of GitHub")
	r.run(work, nil, r.assent, "gap", "voice-call", "learn to call phones", "--agent", "scout")
	p := r.at(work)
	p.git("push", "-q", p.hub, "refs/assent/*:refs/assent/*")
	pass := func() (said string, runs map[string]string) {
		t.Helper()
		said = p.event("schedule", "schedule.yml", map[string]any{})
		clone := filepath.Join(t.TempDir(), "clone")
		r.run(r.top, nil, r.assent, "clone", p.hub, clone)
		var all []struct{ Workflow, Outcome, Reason string }
		if err := json.Unmarshal([]byte(r.run(clone, nil, r.assent, "runs", "--all", "--json")), &all); err != nil {
			t.Fatal(err)
		}
		runs = map[string]string{}
		for _, one := range all {
			runs[one.Workflow] = one.Outcome + one.Reason
		}
		return said, runs
	}
	said, runs := pass()
	if !strings.Contains(said, "checked tools") || !strings.HasPrefix(p.wall.branch, "proposal/archive-fold-shirts-") {
		t.Errorf("revalidate and gc: a pull request from %q", p.wall.branch)
	}
	if outcome, begun := runs["acquire"]; !begun || outcome != "" {
		t.Errorf("acquire: %q, %v", outcome, runs)
	}
	if runs["checks"] == "" {
		_, runs = pass() // the pull request was opened after the pass looked
	}
	if runs["checks"] != "completed" {
		t.Errorf("checks: %v", runs)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	r.run(r.top, nil, r.assent, "clone", p.hub, clone)
	r.write(filepath.Join(r.top, "home", "assent"), map[string]string{"config.yaml": "unattended: true\n"}) // no one is at a terminal
	r.run(clone, nil, r.assent, "review", strings.TrimPrefix(p.wall.branch, "proposal/"), "reject", "--reason", "keep it")
	r.run(clone, nil, r.assent, "push")
	if _, runs = pass(); runs["notify"] != "completed" {
		t.Errorf("notify, after the rejection: %v", runs)
	}
	refs := strings.Fields(r.run(p.hub, nil, "git", "for-each-ref", "--format=%(refname)", "refs/heads/proposal"))
	if slices.ContainsFunc(refs, func(ref string) bool { return strings.Contains(ref, "mend-") }) {
		t.Errorf("a tool that works is to be mended: %s", refs)
	}
}
